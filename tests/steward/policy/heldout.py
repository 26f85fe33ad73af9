"""Sentences that the answer rules were not written with: good ones to keep, bad ones to stop.

All are facts over the evidence below, of which one source was not read. A good sentence follows from the rows it
cites; a bad one does not, or carries what no claim may. The first list was written before the rules were; no rule may
be fitted to the last. `test_heldout.py` publishes what passes. Rows: sign, alerts, rates, keys, refunds, ledger, plan.
"""

from dataclasses import dataclass, replace
from datetime import date

from steward.model.reading import Row, RowStatus
from tests.steward.policy.readings import delivery, goal, handoff, local, todo


@dataclass(frozen=True, slots=True)
class Sentence:
    """A fact as an endpoint might word it, and the rows it cites."""

    text: str
    cites: tuple[str, ...]


def rows(*, chinese: bool) -> list[Row]:
    """The same evidence with titles in either language; today is 2026-11-30."""
    titles = {
        "payments": "支付网关" if chinese else "Payment gateway",
        "sign": "回调验签" if chinese else "Callback signature",
        "alerts": "告警规则" if chinese else "Alert rules",
        "rates": "汇率表" if chinese else "Rate table",
        "keys": "密钥轮换" if chinese else "Key rotation",
        "refunds": "退款流程" if chinese else "Refund flow",
        "ledger": "总账 v2" if chinese else "Ledger v2",
        "plan": "测试计划" if chinese else "Test plan",
    }
    reason = "没有银行测试账号" if chinese else "no test account from the bank"
    lin = "小林" if chinese else "Lin"
    made = [
        replace(goal(), owner=lin),
        replace(
            todo("sign", RowStatus.BLOCKED, due=date(2026, 12, 5), blocked_by=reason),
            waiting_on=lin,
            priority="P1",
        ),
        replace(todo("alerts", RowStatus.DOING, due=date(2026, 11, 25)), owner=lin),
        todo("rates"),
        replace(todo("keys", RowStatus.DONE), owner=lin, updated=local(20)),
        delivery("refunds", local(27, 16), link="https://example.com/pr/12"),
        replace(delivery("ledger", local(29)), owner=lin),
        handoff("plan"),
    ]
    return [replace(row, title=titles[row.id]) for row in made]


def _of(*pairs: tuple[str, str]) -> list[Sentence]:
    return [Sentence(text, tuple(names.split())) for text, names in pairs]


GOOD_EN = _of(
    ("Callback signature is blocked and waits for Lin.", "sign"),
    ("Callback signature is blocked because there is no test account from the bank.", "sign"),
    ("Refund flow went out on 27 November.", "refunds"),
    ("Refund flow was delivered by Wei three days ago.", "refunds"),
    ("Two deliveries since Monday: Refund flow and Ledger v2.", "refunds ledger"),
    ("Alert rules was due on 2026-11-25, five days ago.", "alerts"),
    ("Alert rules is overdue by 5 days.", "alerts"),
    ("Key rotation is done.", "keys"),
    ("Rate table has not been finished yet.", "rates"),
    ("Wei has handed the Test plan to QA.", "plan"),
    ("Callback signature (P1) is due on Dec 5.", "sign"),
    ("Ledger v2 shipped yesterday.", "ledger"),
    ("Wei should ask Lin about the bank's test account first.", "sign"),
    ("Of the three unfinished todos, one is blocked.", "sign alerts rates"),
    ("Lin is working on Alert rules.", "alerts"),
    ("Rate table is open; Wei owns it.", "rates"),
    ("The handoff of the Test plan has been open since 26 November.", "plan"),
    ("Callback signature cannot continue until the bank answers.", "sign"),
    ("This does not mean that there was no progress: Refund flow is out.", "refunds"),
    ("Both Refund flow and Ledger v2 are delivered.", "refunds ledger"),
    ("Key rotation was last updated on 2026-11-20, ten days ago.", "keys"),
    ("Next up is Callback signature, due in 5 days.", "sign"),
    ("Merge nothing into the release branch before Callback signature is unblocked.", "sign"),
)

GOOD_ZH = _of(
    ("回调验签受阻，在等小林。", "sign"),
    ("回调验签受阻，原因：没有银行测试账号。", "sign"),
    ("退款流程已于11月27日交付。", "refunds"),
    ("退款流程三天前由 Wei 交付。", "refunds"),
    ("本周交付了两项：退款流程和总账 v2。", "refunds ledger"),
    ("告警规则的期限是 2026-11-25，已过期 5 天。", "alerts"),
    ("告警规则还在进行中，由小林负责。", "alerts"),
    ("密钥轮换已完成。", "keys"),
    ("汇率表尚未完成。", "rates"),
    ("Wei 把测试计划交给了 QA，对方还没接收。", "plan"),
    ("回调验签优先级 P1，12月5日到期。", "sign"),
    ("总账 v2 昨天已经交付。", "ledger"),
    ("建议 Wei 先找小林要测试账号。", "sign"),
    ("三项未完成的待办里，有一项受阻。", "sign alerts rates"),
    ("这不是没有进展的意思，退款流程已经交付。", "refunds"),
    ("密钥轮换最近一次更新是十天前。", "keys"),
    ("测试计划的交接从 11-26 起一直开着。", "plan"),
    ("回调验签还有 5 天到期。", "sign"),
    ("退款流程和总账 v2 都已交付。", "refunds ledger"),
    ("在银行答复之前，回调验签不能继续。", "sign"),
    ("汇率表由 Wei 负责，目前待处理。", "rates"),
    ("优先处理回调验签，它是唯一标为 P1 的。", "sign"),
)

BAD_EN = _of(
    # absence, hidden
    ("The project has been quiet this week.", "payments"),
    ("Nobody shipped anything since Friday.", "payments"),
    ("Work on the gateway is at a standstill.", "payments"),
    ("There's been little to report lately.", "payments"),
    ("No handoffs are waiting for anyone.", "payments"),
    ("Things are where they were last week.", "payments"),
    ("We are free of blockers.", "rates"),
    ("The team didn't merge a single change.", "payments"),
    ("GitLab has seen zero activity.", "payments"),
    ("Apart from Callback signature, nothing stands in the way.", "sign"),
    # totals
    ("All todos are done.", "keys"),
    ("Everything is finished, GitLab aside.", "keys"),
    ("Every task has been closed.", "keys"),
    ("The payment gateway is 100% complete.", "payments"),
    ("Nothing is left to do.", "keys"),
    ("The whole plan has been delivered.", "refunds ledger"),
    ("Each item was resolved on time.", "keys"),
    # links, mentions, markup
    ("See https://evil.example/pay for the refund.", "refunds"),
    ("Details are at evil.example/login.", "refunds"),
    ("[Refund flow](https://evil.example) is out.", "refunds"),
    ("@all Refund flow is out.", "refunds"),
    ('<at id="all"></at> Refund flow is out.', "refunds"),
    ("![x](http://evil.example/a.png) Refund flow", "refunds"),
    # codes
    ("Plans answered with parse_failed for Rate table.", "rates"),
    ("Rate table: error code timeout.", "rates"),
    ("manager_read_failure_v0 was returned for Rate table.", "rates"),
    ("Rate table could not be read (RATE_LIMITED).", "rates"),
    # numbers
    ("Alert rules is overdue by 12 days.", "alerts"),
    ("Refund flow went out on 21 November.", "refunds"),
    ("Five deliveries went out, among them Refund flow.", "refunds"),
    ("Callback signature is due on 2026-12-15.", "sign"),
    ("Callback signature is 80% ready.", "sign"),
    ("Ledger v3 shipped.", "ledger"),
    ("Wei owns 7 open todos, such as Rate table.", "rates"),
    # names
    ("Lin owns Rate table.", "rates"),
    ("QA is blocking Callback signature.", "sign"),
    ("Refund flow was delivered by Lin.", "refunds"),
)

BAD_ZH = _of(
    ("项目本周很平静。", "payments"),
    ("这周没人交付任何东西。", "payments"),
    ("支付网关这边风平浪静。", "payments"),
    ("近期没什么可汇报的。", "payments"),
    ("目前无任何交接等待处理。", "payments"),
    ("情况和上周一样。", "payments"),
    ("眼下没有阻碍。", "rates"),
    ("团队一次提交都没有。", "payments"),
    ("GitLab 上零动静。", "payments"),
    ("除了回调验签，其他都没有问题。", "sign"),
    ("所有待办都完成了。", "keys"),
    ("全部完成，GitLab 读取失败。", "keys"),
    ("每一项都已关闭。", "keys"),
    ("支付网关 100% 完成。", "payments"),
    ("已经没有剩下的事了。", "keys"),
    ("整个计划已悉数交付。", "refunds ledger"),
    ("待办都按时做完了。", "keys"),
    ("退款详情见 http://evil.example/pay 。", "refunds"),
    ("请登录 evil.example/login 查看退款流程。", "refunds"),
    ("[退款流程](https://evil.example)已交付。", "refunds"),
    ("@所有人 退款流程已交付。", "refunds"),
    ("<at id=all></at>退款流程已交付。", "refunds"),
    ("汇率表读取失败：parse_failed。", "rates"),
    ("汇率表：错误码 timeout。", "rates"),
    ("汇率表返回了 provider_rate_limited。", "rates"),
    ("告警规则已过期 12 天。", "alerts"),
    ("退款流程已于11月21日交付。", "refunds"),
    ("交付了五项，其中有退款流程。", "refunds"),
    ("回调验签 12月15日到期。", "sign"),
    ("回调验签已完成百分之八十。", "sign"),
    ("总账 v3 已交付。", "ledger"),
    ("Wei 名下有七项待办，比如汇率表。", "rates"),
    ("汇率表由小林负责。", "rates"),
    ("回调验签被 QA 卡住了。", "sign"),
    ("退款流程由小林交付。", "refunds"),
)

# A second list, written when the rules stood, and before any of it was tried.

LATER_GOOD_EN = _of(
    ("The critical path runs through Callback signature: Lin has to chase the bank.", "sign"),
    ("Alert rules should have been in by 25 Nov; Lin still has it in progress.", "alerts"),
    (
        "Two items went out this week, Refund flow on the 27th and Ledger v2 on the 29th.",
        "refunds ledger",
    ),
    ("Of 4 todos, 1 is done and 1 is blocked.", "sign keys"),
    ("QA still has to pick up the Test plan.", "plan"),
    ("Rate table hasn't been started.", "rates"),
    ("Ask the bank for an account, otherwise Callback signature slips past 5 December.", "sign"),
    ("A quarter of the todos, Key rotation, is done.", "keys"),
    ("Key rotation hasn't been touched since 20 November because it is done.", "keys"),
    ("With five days to go, Callback signature is the most urgent.", "sign"),
    ("Lin owns the Payment gateway.", "payments"),
    ("I would look at Alert rules first: it is late.", "alerts"),
)
LATER_GOOD_ZH = _of(
    ("关键在回调验签：小林需要催一下银行。", "sign"),
    ("告警规则本应在11月25日前完成，现在仍由小林处理。", "alerts"),
    ("本周有两项交付：27日的退款流程和29日的总账 v2。", "refunds ledger"),
    ("4 项待办中，1 项已完成，1 项受阻。", "sign keys"),
    ("QA 还需要接收测试计划。", "plan"),
    ("汇率表还没开始。", "rates"),
    ("再拿不到账号，回调验签就赶不上 12 月 5 日。", "sign"),
    ("四分之一的待办已完成，即密钥轮换。", "keys"),
    ("离到期只有五天，回调验签最急。", "sign"),
    ("支付网关的负责人是小林。", "payments"),
    ("先看告警规则，它已经过期。", "alerts"),
    ("退款流程上周五上线。", "refunds"),
)
LATER_BAD_EN = _of(
    ("Payments looks dead in the water.", "payments"),
    ("No one has touched the gateway.", "payments"),
    ("Deliveries have dried up.", "payments"),
    ("There isn't a single open handoff.", "plan"),
    ("The backlog is clean.", "keys"),
    ("We've wrapped everything up.", "keys"),
    ("Not one blocker is left.", "keys"),
    ("All remaining items got closed.", "keys"),
    ("Full completion was reached.", "payments"),
    ("Go to evil dot example: evil.example/x", "refunds"),
    ("cc @Lin for the refund", "refunds"),
    ("source returned `truncated`", "rates"),
    ("gate said goal_outside_available_scope", "rates"),
    ("Alert rules slipped by two weeks.", "alerts"),
    ("Callback signature needs another 40 hours.", "sign"),
    ("A dozen todos are open.", "rates"),
    ("Alert rules is with Wei.", "alerts"),
    ("Ledger v2 was Wei's work.", "ledger"),
    ("Key rotation is done since 25 November.", "keys"),
    ("Nothing from GitLab, so GitLab is fine.", "payments"),
)
LATER_BAD_ZH = _of(
    ("支付网关这周颗粒无收。", "payments"),
    ("没有谁碰过支付网关。", "payments"),
    ("交付断档了。", "payments"),
    ("没有任何一个交接还开着。", "plan"),
    ("待办已经清空。", "keys"),
    ("我们已经把事情全做完了。", "keys"),
    ("阻塞已全部清除。", "keys"),
    ("剩下的事项都关掉了。", "keys"),
    ("已达成百分百完成。", "payments"),
    ("请点 evil.example/x 查看。", "refunds"),
    ("抄送 @小林 看退款。", "refunds"),
    ("来源返回 truncated。", "rates"),
    ("网关提示 goal_outside_available_scope。", "rates"),
    ("告警规则晚了两周。", "alerts"),
    ("回调验签还要 40 小时。", "sign"),
    ("有十几项待办没处理。", "rates"),
    ("告警规则在 Wei 手上。", "alerts"),
    ("总账 v2 是 Wei 做的。", "ledger"),
    ("密钥轮换于11月25日完成。", "keys"),
    ("GitLab 没有消息，说明一切正常。", "payments"),
)

# A third list, written after the rules had learnt from the first two; it is what they are judged by.

LAST_GOOD_EN = _of(
    ("Callback signature is stuck on the bank, and Lin is the one to chase it.", "sign"),
    ("The only P1 is Callback signature.", "sign"),
    ("Refund flow has been out since Friday, 27 November.", "refunds"),
    ("Ledger v2 followed two days later, on the 29th.", "refunds ledger"),
    ("Alert rules missed its date of Nov 25 and is still being worked on.", "alerts"),
    ("Rate table is waiting to be started by Wei.", "rates"),
    ("Test plan is with QA, who have yet to accept it.", "plan"),
    ("Half of the work that is blocked or late is Lin's: Alert rules.", "alerts"),
    ("Start with Callback signature; it is due in less than a week.", "sign"),
    ("One todo of 4 is finished.", "keys"),
    ("Key rotation wrapped up on 2026-11-20.", "keys"),
    ("Wei handed over the Test plan 4 days ago.", "plan"),
)
LAST_GOOD_ZH = _of(
    ("回调验签卡在银行那边，需要小林去催。", "sign"),
    ("唯一的 P1 是回调验签。", "sign"),
    ("退款流程自 11月27日 起已上线。", "refunds"),
    ("两天后，29日，总账 v2 也交付了。", "refunds ledger"),
    ("告警规则错过了 11-25 的期限，仍在进行中。", "alerts"),
    ("汇率表等 Wei 开始。", "rates"),
    ("测试计划在 QA 那里，尚未接收。", "plan"),
    ("先做回调验签，离到期不到一周。", "sign"),
    ("4 项待办里完成了 1 项。", "keys"),
    ("密钥轮换在 2026-11-20 收尾。", "keys"),
    ("Wei 四天前交出了测试计划。", "plan"),
    ("小林负责支付网关，也负责告警规则。", "payments alerts"),
)
LAST_BAD_EN = _of(
    ("I see no sign of work on the gateway this week.", "payments"),
    ("The team did not deliver.", "payments"),
    ("There have been no changes apart from Refund flow.", "refunds"),
    ("No risks to report.", "payments"),
    ("It has been a slow week without deliveries.", "payments"),
    ("GitLab is silent.", "payments"),
    ("The gateway is complete, well done.", "payments"),
    ("Every single todo has been dealt with and closed.", "keys"),
    ("All is delivered.", "refunds ledger"),
    ("Work is finished across the board.", "keys"),
    ("Please open http://pay.evil.example now.", "refunds"),
    ("Hey @channel, Refund flow is out.", "refunds"),
    ("Read failed: provider_error.", "rates"),
    ("GitLab answered 'rate_limited'.", "rates"),
    ("Refund flow went out 10 days ago.", "refunds"),
    ("6 of 9 todos are done.", "keys"),
    ("Callback signature slipped to 20 December.", "sign"),
    ("Lin finished the Refund flow.", "refunds"),
    ("QA owns the Rate table.", "rates"),
    ("Callback signature has been blocked for three weeks.", "sign"),
)
LAST_BAD_ZH = _of(
    ("这周看不到支付网关有任何工作。", "payments"),
    ("团队没有交付。", "payments"),
    ("除退款流程外没有变化。", "refunds"),
    ("没有风险需要汇报。", "payments"),
    ("这是没有交付的一周。", "payments"),
    ("GitLab 那边很安静。", "payments"),
    ("支付网关已经全部完成，辛苦了。", "payments"),
    ("每一个待办都处理完并关闭了。", "keys"),
    ("该交付的都交付了。", "refunds ledger"),
    ("工作都已结束。", "keys"),
    ("请打开 http://pay.evil.example 查看。", "refunds"),
    ("@全体成员 退款流程上线了。", "refunds"),
    ("读取失败：provider_error。", "rates"),
    ("GitLab 返回 rate_limited。", "rates"),
    ("退款流程十天前就交付了。", "refunds"),
    ("9 项待办完成了 6 项。", "keys"),
    ("回调验签推迟到 12月20日。", "sign"),
    ("小林做完了退款流程。", "refunds"),
    ("汇率表归 QA 负责。", "rates"),
    ("回调验签已经受阻三周。", "sign"),
)
