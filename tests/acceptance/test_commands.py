"""The commands that need a running bot, as processes of their own."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

DEMO = [sys.executable, "-m", "bot", "demo"]


@pytest.mark.slow
@pytest.mark.timeout(60)
@pytest.mark.requirement("W1", "A2")
def test_the_demo_plays_a_conversation_and_ends_well() -> None:
    done = subprocess.run(
        DEMO, capture_output=True, text=True, encoding="utf-8", timeout=50, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "未读到证据：归档盘 Archive" in done.stdout
    assert "Steward:" in done.stdout
    assert "没有进展" not in done.stdout
    assert done.stderr == ""


@pytest.mark.slow
@pytest.mark.timeout(60)
def test_a_demo_that_stays_can_be_spoken_to_from_another_process(tmp_path: Path) -> None:
    line = tmp_path / "line.json"
    line.write_text(
        json.dumps({"chat": "oc_sim_team", "from": "ou_sim_wei", "text": "登录改造还剩什么？"}),
        encoding="utf-8",
    )
    with subprocess.Popen(
        [*DEMO, "--stay", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as demo:
        try:
            assert demo.stdout is not None
            config = next(
                text.rpartition("--config ")[2].strip()
                for text in demo.stdout
                if " simulate FILE" in text
            )
            done = subprocess.run(
                [sys.executable, "-m", "bot", "simulate", str(line), "--config", config],
                capture_output=True,
                text=True,
                encoding="utf-8",
                timeout=30,
                check=False,
            )
        finally:
            demo.send_signal(signal.SIGTERM)
        assert demo.wait(timeout=15) == 0
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("200 in ")
    assert "Login rework" in done.stdout
    assert not Path(config).exists()
