"""Failures of sources that are read through a program, here or on another host. Part of failures.FAILURES."""

from collections.abc import Mapping

from steward.texts.catalogue import FailureText, Text

PROGRAMS: Mapping[str, FailureText] = {
    "bad_response": FailureText(
        label=Text(zh="返回内容无法识别", en="answer not understood"),
        happened=Text(
            zh="返回的内容不是约定的形式，可能是版本不合。",
            en="What it returned does not have the agreed form; its version may not fit.",
        ),
        action=Text(
            zh="请维护人员检查该来源的版本与配置。",
            en="The operator should check the version of this source and how it is configured.",
        ),
    ),
    "tool_missing": FailureText(
        label=Text(zh="缺少读取程序", en="program missing"),
        happened=Text(
            zh="本机没有读取该来源所需的程序，或无法启动它。",
            en="The program that reads this source is not installed here, or cannot be started.",
        ),
        action=Text(
            zh="请维护人员在运行本服务的机器上安装该程序，或更正它的位置。",
            en="The operator should install that program where this service runs, or correct where it is looked for.",
        ),
    ),
    "provider_error": FailureText(
        label=Text(zh="来源自身报错", en="reported an error"),
        happened=Text(
            zh="来源报告了自身的错误，没有给出内容。",
            en="The source reported an error of its own and gave no content.",
        ),
        action=Text(
            zh="请维护人员在来源那里检查它的记录是否损坏、组件是否齐全，然后再问。",
            en="The operator should check there whether its records are sound and its parts complete; then ask again.",
        ),
    ),
    "ssh_auth_required": FailureText(
        label=Text(zh="登录被拒", en="login refused"),
        happened=Text(
            zh="远程主机没有接受本机的登录凭据。",
            en="The remote host did not accept the credentials of this machine.",
        ),
        action=Text(
            zh="请维护人员在本机续期凭据（如运行 kinit），或在该主机上登记本机的密钥。",
            en="The operator should renew the credentials here, for example with kinit, or register this machine's "
            "key on that host.",
        ),
    ),
    "ssh_host_unreachable": FailureText(
        label=Text(zh="主机连不上", en="host not reached"),
        happened=Text(
            zh="未能与远程主机建立可信的连接，或它没有及时回应。",
            en="No trusted connection to the remote host came about, or it did not answer in time.",
        ),
        action=Text(
            zh="请维护人员确认该主机在运行、从本机可以连到，并核对它的主机密钥是否已登记、是否有变化。",
            en="The operator should see that the host is up and can be reached from here, and that its host key is "
            "registered and has not changed.",
        ),
    ),
    "remote_cli_missing": FailureText(
        label=Text(zh="远程缺少程序", en="program missing there"),
        happened=Text(
            zh="已登录远程主机，但那里没有读取证据的程序。",
            en="The login to the remote host worked, but the program that reads evidence is not there.",
        ),
        action=Text(
            zh="请维护人员在该主机上安装该程序，或更正配置中的命令。",
            en="The operator should install it on that host, or correct the configured command.",
        ),
    ),
    "remote_protocol_unavailable": FailureText(
        label=Text(zh="远程返回无法识别", en="reply not understood"),
        happened=Text(
            zh="远程主机返回的内容过长，或不是约定的形式。",
            en="What the remote host returned is too long, or does not have the agreed form.",
        ),
        action=Text(
            zh="请维护人员升级该主机上的程序，并检查登录时是否有多余输出。",
            en="The operator should upgrade the program on that host, and check that its login prints nothing else.",
        ),
    ),
    "remote_evidence_unavailable": FailureText(
        label=Text(zh="远程读取失败", en="remote read failed"),
        happened=Text(
            zh="远程主机上的读取失败，原因没有随结果返回。",
            en="The read failed on the remote host, and the reason did not come with it.",
        ),
        action=Text(
            zh="可以再试一次；若仍失败，请维护人员在该主机上检查该程序及其记录。",
            en="Try again once; if it fails again, the operator should check the program and its records on that host.",
        ),
    ),
}
