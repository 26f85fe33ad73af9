"""Words of questions that are no names: what is left when they are taken out may be one. Data alone."""

import re

_ENGLISH = """overall looking
a an and any anybody anything are as at bad be been before behind better blocked blocking board boss branch
build builds by can chance change changed ci code commit commitments commits company compared could cracks
customer date dates days deadline deadlines deliveries delivery did do does done due each else end eta ever
every everyone everything failing far feature find fine finish finished first flags for from get give go goal
goals going good got grabs green had hand handoff handoffs handover handovers hands has have her here him his
holding how i if in into is issue issues it item items its just last late latest launch left let line list long
main many master me meet member members merge merged moment month more most mr mrs much my need needs new next
no nobody not now of off ok okay on one open or order other our out over own owner owners part passing people
pick picked pipeline place plan plate please point pr problem problems project projects prs qa question queue
reach read recap red release released releases repo report repository review reviews right risk risks same say
schedule see ship shipped show side so some somebody someone something soon source sources stand start state
status still store stuck stuff subject summary sure target task tasks team tell test testers tests than that the
their them then there these they thing things this those time to today todo todos track trouble true two under
up update updates us view wait waiting want was way we week weeks well went were what when where which while who
whole whom whose why will with work works worse would year yes yesterday yet you your
"""

ENGLISH = frozenset(_ENGLISH.split())

CHINESE = re.compile(
    r"因为|别的|什么时候|为什么|怎么样|怎么回事|什么样|哪一步|有没有|是不是|能不能|会不会|多少|哪些|哪个|哪里|哪儿|哪位|哪天|什么|怎么|怎样|如何|为何|为啥|咋样|咋"
    r"|现在|目前|当前|最近|今天|昨天|明天|已经|还有|还没|还在|还是|还|都|也|就|才|又|再|吗|呢|吧|啊|呀|么|的|了|着|过|得|地|是|在|有|没有|没|不|被|把|给|让|和|与|跟|同|及|或"
    r"|项目|目标|任务|待办|事项|事情|工作|问题|东西|进展|进度|情况|状态|状况|方面|部分|这块|那块|这边|那边|这个|那个|这件|那件|这些|那些|这|那|哪|谁|我们|你们|他们|大家|我|你|他|她|它"
    r"|请问|请|麻烦|帮我|帮忙|告诉|看看|看下|看一下|说说|说一下|讲讲|列一下|列出|列|查一下|查|给我|想知道|了解|一下|一份|一个|一些|几个|个|件|项|位|份|条|点"
    r"|可以|能|会|要|该|应该|需要|必须|想|得到|到|去|来|做|弄|搞|干|完成|做完|结束|开始|上线|发布|交付|提交|负责人|负责|负责的|对接|牵头|管|找|问|联系"
    r"|卡住|卡|阻塞|受阻|风险|逾期|到期|截止|期限|剩下|剩余|剩|差|缺|推迟|延期|延后|推后|落后|领先|交接|移交|测试|评审|变化|更新|动|周报|总结|汇总|原因|对比|比较|比"
    r"|整体|总体|全部|所有|一共|总共|从|自|以来|之前|之后|前|后|里|上|下|中|内|外|大概|大约|左右|人|名|叫|关于|对于|针对|对|最|更|很|太|好|快|慢|早|晚|多|久|新|老是|顺利|正常"
    r"|步|程度|阶段|走|推进|跑|行|成|稳|黄|按时|预计|计划|打算|定|日期|时间|日子|等|等待|谁在|接|收|领|方|团队|同事|组"
)
