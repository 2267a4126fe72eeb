"""Fixtures of all end-to-end tests. After each test weir must hold nothing and stop by itself."""
import pytest

import support
from upstream import Upstream


@pytest.fixture
def engine():
    """Makes scripted engines that are gone after the test."""
    made = []

    def make(script=None, **more):
        made.append(Upstream(script, **more))
        return made[-1]
    yield make
    for one in made:
        one.close()


@pytest.fixture
def up(engine):
    return engine()


@pytest.fixture
def start(tmp_path):
    """Starts weir; every one that still runs at the end must have settled all and stop in order."""
    assert support.BIN, "WEIR_BIN names no program; see tools/dev/e2e.sh"
    running = []

    def begin(config, **more):
        folder = tmp_path / f"weir{len(running)}"
        folder.mkdir()
        running.append(support.Weir(folder, config, **more))
        return running[-1]
    yield begin
    for one in running:
        alive = one.process.poll() is None
        try:
            if alive:
                support.eventually(one.nothing_held, 10)
        finally:
            code = one.stop()
        assert code == 0, f"weir ended with {code}:\n{one.text[-3000:]}"
        assert "ended by an exception" not in one.text


@pytest.fixture
def weir(start, up):
    """weir with the configuration of support.settings in front of `up`."""
    return start(support.settings(up))
