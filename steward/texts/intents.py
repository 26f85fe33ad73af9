"""What questions are about, in a few words each: said where an answer takes over what the one before was about."""

from collections.abc import Mapping

from steward.texts.catalogue import Text

LABELS: Mapping[str, Text] = {
    "overview": Text("概览", "overview"),
    "progress": Text("进展", "progress"),
    "blocked": Text("受阻", "blocked"),
    "waiting": Text("谁在等谁", "who is waiting on whom"),
    "delivered": Text("交付", "delivered"),
    "owner": Text("负责人", "owner"),
    "mine": Text("我的待办", "my todos"),
    "first": Text("先后顺序", "what comes first"),
    "overdue": Text("逾期", "overdue"),
    "due": Text("到期", "due"),
    "when": Text("目标日期", "target date"),
    "risk": Text("风险", "risks"),
    "remaining": Text("还剩什么", "what is left"),
    "todo_detail": Text("一项待办", "one todo"),
    "pr": Text("合并请求", "pull request"),
    "reviews": Text("待评审", "waiting for review"),
    "ci": Text("持续集成", "CI"),
    "changes": Text("变化", "changes"),
    "commits": Text("提交", "commits"),
    "handoff": Text("交接", "handoffs"),
    "unclaimed": Text("没人接的交接", "unclaimed handoffs"),
    "decision": Text("原因", "reasons"),
    "compare": Text("对比", "comparison"),
    "summary": Text("总结", "summary"),
    "projects": Text("目标一览", "list of goals"),
    "stale": Text("久未更新", "not moved"),
    "coverage": Text("来源", "sources"),
    "source_read": Text("一个来源", "one source"),
    "nothing": Text("有没有交付", "whether anything was delivered"),
    "act": Text("代为操作", "a request to act"),
    "judge": Text("评价人", "a judgement of people"),
}
"""By the value of the reporter's intents."""
