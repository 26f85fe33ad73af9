"""`steward simulate FILE`: one event, signed and encrypted as the platform does, to a running simulated bot.

The file holds `{"from": "ou_…", "text": …, "chat": "oc_…"}` (no chat: in private), or a whole event document. What
somebody says is said on the simulated platform first, so that it can be fetched there; `--forged` posts a document
that the platform knows nothing of.
"""

from collections.abc import Mapping
from pathlib import Path

import aiohttp
import orjson
from pydantic import ValidationError

from bot.cli.process import DONE, FAILED, configured, err, out, run_loop
from bot.settings import Settings, missing_secrets
from bot.simulator.backstage import REPLY_PATH, SAY_PATH, Line, line_of
from bot.simulator.model import Document, SimulatedApp
from bot.simulator.platform import Platform
from bot.simulator.pusher import Pusher
from steward.errors import SettingsError, StewardError
from steward.model.json import Json
from steward.world import RandomTokens, SystemClock


def run(file: Path, config: Path | None, *, forged: bool, wait: float) -> int:
    """DONE where the bot acknowledged the event."""
    return run_loop(lambda: _simulate(file, config, forged=forged, wait=wait))


async def _simulate(file: Path, config: Path | None, *, forged: bool, wait: float) -> int:
    settings = configured(config)
    _only_simulated(settings)
    document = _document(file)
    async with aiohttp.ClientSession(trust_env=False) as session:
        message_id = None
        line = None if forged else _line(document)
        if line is not None:
            document, message_id = await _said(session, settings, line)
        clock = SystemClock()
        platform = Platform(_app(settings), clock, RandomTokens())
        url = f"http://{settings.server.host}:{settings.server.port}/lark/events"
        async with Pusher(platform, url, clock, session=session) as pusher:
            delivery = await pusher.post(pusher.signed(document))
        status = delivery.status or delivery.failure
        out.print(f"{status} in {delivery.seconds * 1000:.0f} ms from {url}", markup=False)
        if not delivery.accepted:
            return FAILED
        if message_id is not None and wait > 0:
            await _print_reply(session, settings, message_id, wait)
    return DONE


def _only_simulated(settings: Settings) -> None:
    if not settings.lark.simulated:
        raise SettingsError(
            "lark.simulated", "must be true: events are made up for a simulation alone"
        )
    missing = missing_secrets(settings.lark)
    if missing:
        raise SettingsError(missing[0], "is needed to sign and encrypt as the platform does")
    if not settings.server.port:
        raise SettingsError(
            "server.port", "must be a fixed port, so that the running bot can be found"
        )


def _document(file: Path) -> Document:
    try:
        document = orjson.loads(file.read_bytes())
    except OSError as error:
        raise SettingsError("FILE", f"cannot be read: {error.strerror}") from error
    except orjson.JSONDecodeError as error:
        raise SettingsError("FILE", "must be one JSON object") from error
    if not isinstance(document, dict):
        raise SettingsError("FILE", "must be one JSON object")
    return document


def _line(document: Mapping[str, Json]) -> Line | None:
    """What is to be said first; None for an event of another kind, which is posted as it stands."""
    if "event" in document or "schema" in document:
        return line_of(document)
    try:
        return Line.model_validate(document)
    except ValidationError as error:
        fields = ", ".join(sorted({str(one["loc"][0]) for one in error.errors() if one["loc"]}))
        raise SettingsError(
            "FILE",
            f'must be an event, or {{"from": "ou_…", "text": …, "chat": "oc_…"}}; see {fields}',
        ) from error


async def _said(
    session: aiohttp.ClientSession, settings: Settings, line: Line
) -> tuple[Document, str]:
    body = line.model_dump(by_alias=True)
    try:
        async with session.post(settings.lark.domain + SAY_PATH, json=body) as response:
            answer = await response.json()
    except aiohttp.ClientError as error:
        raise StewardError(
            "the simulated platform does not answer at lark.domain: is `steward demo --stay` running?"
        ) from error
    return answer["document"], answer["message_id"]


async def _print_reply(
    session: aiohttp.ClientSession, settings: Settings, message_id: str, wait: float
) -> None:
    path = REPLY_PATH.replace("{message_id}", message_id)
    async with session.get(settings.lark.domain + path, params={"wait": str(wait)}) as response:
        lines = (await response.json())["lines"]
    if lines is None:
        err.print(f"no reply within {wait:.0f} s")
    for line in lines or ():
        out.print(line, markup=False)


def _app(settings: Settings) -> SimulatedApp:
    """The app as the platform knows it: the same identity and secrets, read from the configuration."""
    lark = settings.lark
    return SimulatedApp(
        app_id=lark.app_id or "",
        encrypt_key=lark.encrypt_keys[0].get_secret_value(),
        verification_token=lark.verification_tokens[0].get_secret_value(),
    )
