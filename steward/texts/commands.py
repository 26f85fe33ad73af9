"""Commands by name, in both languages, with what each is for: the one table that the grammar and /help read.

The first name of a language is the one that is shown; the others are understood as well. Names are written without
their slash.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from steward.model.command import CommandName
from steward.texts.catalogue import Text


@dataclass(frozen=True, slots=True)
class CommandText:
    """The names of a command, what stands behind them in /help, and what it is for."""

    zh: tuple[str, ...]
    en: tuple[str, ...]
    purpose: Text
    usage: Text | None = None

    @property
    def shown(self) -> Text:
        """As a reader writes it, with its slash."""
        return Text(f"/{self.zh[0]}", f"/{self.en[0]}")


COMMANDS: Mapping[CommandName, CommandText] = {
    CommandName.HELP: CommandText(
        ("帮助",), ("help",), Text("能问什么、能用什么命令", "what you can ask, and the commands")
    ),
    CommandName.STATUS: CommandText(
        ("状态",),
        ("status",),
        Text("这里能读什么、忙不忙", "what can be read here, and how busy I am"),
    ),
    CommandName.SOURCES: CommandText(
        ("来源",),
        ("sources",),
        Text(
            "每个来源现在读不读得到，读不到怎么办",
            "whether each source can be read now, and what to do if not",
        ),
    ),
    CommandName.OWED: CommandText(
        ("待回答",), ("owed",), Text("还没答上来的问题", "questions that are still unanswered")
    ),
    CommandName.NEW: CommandText(
        ("新会话", "新对话"),
        ("new",),
        Text("重新开始，不再参考之前的对话", "start afresh, without what was said before"),
    ),
    CommandName.STOP: CommandText(
        ("停止",),
        ("stop",),
        Text("停下还没答完的问题", "stop the questions that are not answered yet"),
    ),
    CommandName.WHOAMI: CommandText(
        ("我是谁",), ("whoami",), Text("我眼中的你和这个会话", "how I see you and this chat")
    ),
    CommandName.IAM: CommandText(
        ("我叫",),
        ("iam",),
        Text(
            "告诉我记录里怎么称呼你，由所有者确认",
            "say what the records call you; the owner confirms it",
        ),
        Text(" 名字", " NAME"),
    ),
    CommandName.CHATS: CommandText(
        ("群聊",),
        ("chats",),
        Text("我在哪些群、各能读什么", "which chats I am in, and what each may read"),
    ),
    CommandName.GRANT: CommandText(
        ("授权",),
        ("grant",),
        Text("先预览，再确认谁能读什么", "preview, then confirm, who may read what"),
        Text(" 群聊 来源,来源 目标,目标", " CHAT SOURCE,SOURCE GOAL,GOAL"),
    ),
    CommandName.REVOKE: CommandText(
        ("撤销授权",),
        ("revoke",),
        Text("收回一个会话的授权", "take back what a chat may read"),
        Text(" 群聊", " CHAT"),
    ),
    CommandName.PROFILE: CommandText(
        ("模式",), ("profile",), Text("查看或更改运行方式", "see or change how I run")
    ),
    CommandName.AUDIT: CommandText(
        ("审计",), ("audit",), Text("最近的 20 条操作记录", "the last 20 acts on record")
    ),
}
"""In the order in which /help lists them."""
