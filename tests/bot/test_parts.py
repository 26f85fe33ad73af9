"""What a start makes of the configuration: owner, tenant, names, and the limits. P9, A1, A6."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.parts import build_limits, settle_authorities
from bot.settings import Settings, load
from steward.model.audience import Limits
from steward.model.audit import AuditAct
from steward.model.ids import AppId, OpenId, TenantKey
from steward.model.owner import Authority
from steward.store import Store, open_store
from steward.testing.directory import FakeDirectory
from steward.testing.world import FakeClock

APP = AppId("cli_a")


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    async with await open_store("sqlite://", FakeClock()) as opened:
        yield opened


def configured(folder: Path, text: str) -> Settings:
    file = folder / "steward.toml"
    file.write_text(f'[lark]\napp_id = "{APP}"\n{text}', encoding="utf-8")
    return load(file, {})


async def started(store: Store, settings: Settings) -> tuple[object, TenantKey | None]:
    authorities, pinned = await settle_authorities(settings, store, FakeDirectory(FakeClock()))
    return await authorities.now(), pinned


@pytest.mark.requirement("P9", "A1")
async def test_another_owner_in_the_configuration_is_one_from_the_next_start_on(
    store: Store, tmp_path: Path
) -> None:
    first = await started(store, configured(tmp_path, '[owner]\nopen_id = "ou_a"\n'))
    second = await started(store, configured(tmp_path, '[owner]\nopen_id = "ou_b"\n'))
    nobody = await started(store, configured(tmp_path, ""))
    ours = TenantKey("tenant_ours")
    assert first == (Authority(OpenId("ou_a"), ours), None)
    assert second == (Authority(OpenId("ou_b"), ours), ours)
    assert nobody == (Authority(None, ours), ours)
    changes = await store.audit.recent(most=9, acts=(AuditAct.OWNER_CHANGED,))
    assert [entry.row.subject for entry in changes] == ["nobody", "ou_b", "ou_a"]


@pytest.mark.requirement("A1")
async def test_a_configured_tenant_is_pinned_before_the_platform_is_asked(
    store: Store, tmp_path: Path
) -> None:
    settings = configured(tmp_path, 'tenant_key = "tenant_configured"\n')
    now, pinned = await started(store, settings)
    assert pinned == "tenant_configured"
    assert now == Authority(None, TenantKey("tenant_configured"))


async def test_the_names_of_the_configuration_are_known_and_go_with_it(
    store: Store, tmp_path: Path
) -> None:
    lin = '[person.lin]\nopen_id = "ou_lin"\nnames = ["Lin", "小林"]\n'
    await started(store, configured(tmp_path, lin))
    assert await store.people.names(APP, OpenId("ou_lin")) == ("Lin", "小林")
    await started(store, configured(tmp_path, ""))
    assert await store.people.names(APP, OpenId("ou_lin")) == ()


@pytest.mark.requirement("A6")
def test_the_limits_are_the_configured_ones(tmp_path: Path) -> None:
    text = "[limits]\nopen_per_asker = 1\nopen_per_conversation = 2\n"
    assert build_limits(configured(tmp_path, text)) == Limits(1, 2)
    assert build_limits(configured(tmp_path, "")) == Limits()
