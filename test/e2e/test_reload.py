"""Reloading the configuration: a good one takes over without a lost call, a bad one changes nothing."""
import os
import signal

import pytest

import support
from support import eventually, settings

BOMB = "a: &a [x, x]\nb: [*a, *a]\n"
BAD_FILES = {
    "empty": "", "half": '{"server": {"listen": "127', "unknown option": "servr: {}\n",
    "an unset variable": "admin: { token: ${NOT_SET_ANYWHERE} }\n", "a tab": "server:\n\tlisten: x\n",
    "a member twice": "log: { level: info }\nlog: { level: warn }\n", "anchors": BOMB,
    "a list": "- 1\n",
}


def still_the_old(weir):
    assert weir.chat(user=None).status == 401, "the old configuration asks for a login"
    assert weir.chat().status == 200
    assert weir.metric("weir_config_reload_success") == 0
    assert not weir.status()["config"]["last_reload_succeeded"]


@pytest.fixture
def strict(start, up):
    return start(settings(up, identity={"anonymous": False}))


@pytest.mark.parametrize("case", BAD_FILES)
def test_bc_154_a_bad_file_changes_nothing(strict, case):
    if not strict.reload(BAD_FILES[case]):
        still_the_old(strict)
        said = strict.wait_log(lambda r: r.get("level") == "error" and "refused" in r["message"])
        assert said["file"].endswith("weir.yaml") and said["mistake"]
    else:
        pytest.fail("a file that says nothing must not turn the login off")


def test_bc_154_a_missing_file_and_a_folder_change_nothing(strict):
    text = strict.config_path.read_text()
    strict.config_path.unlink()
    assert not strict.reload()
    still_the_old(strict)
    strict.config_path.mkdir()
    assert not strict.reload()
    still_the_old(strict)
    strict.config_path.rmdir()
    assert strict.reload(text) and strict.metric("weir_config_reload_success") == 1


def test_bc_154_a_symlink_swap_is_followed_and_a_storm_of_signals_is_calm(start, up):
    weir = start(settings(up))
    new = weir.folder / "new.yaml"
    new.write_text(support.json.dumps(settings(up, models={"fresh": {"targets": ["up1"]}})))
    os.symlink("new.yaml", weir.folder / "link")
    os.replace(weir.folder / "link", weir.config_path)
    for _ in range(50):
        weir.signal(signal.SIGHUP)
    eventually(lambda: weir.chat(model="fresh").status == 200)
    assert 1 <= weir.metric("weir_config_reloads_total", result="ok") <= 20


@pytest.mark.parametrize("text", ["", "{", "servr: 1\n"])
def test_bc_154_a_first_start_with_a_bad_file_fails_with_a_clear_line(tmp_path, text):
    file = tmp_path / "weir.yaml"
    file.write_text(text or "- 1\n")
    done = support.run_weir("serve", "-c", file, folder=tmp_path)
    assert done.returncode != 0 and f"{file}:" in done.stderr
    missing = support.run_weir("serve", "-c", tmp_path / "none.yaml", folder=tmp_path)
    assert missing.returncode != 0 and "none.yaml" in missing.stderr


def test_limits_keep_their_counts_and_running_calls_their_configuration(start, up):
    config = settings(up, tiers={"FREE": {"limits": ["2 requests/h"]}})
    weir = start(config)
    up.script = "@sse\n@role\n@txt Hi\n<sleep 1500>\n@stop\n@usage 9 1\n@done\n@end"
    with weir.begin_chat(stream=True) as line:
        line.read_until(b"Hi")
        assert weir.reload(support.merge(config, {"models": {"fresh": {"targets": ["up1"]}}}))
        line.read_until(b"[DONE]")
    up.script = "@json 200 {}"
    assert [weir.chat(model="fresh").status for _ in range(2)] == [200, 429]


def test_the_admin_plane_reloads_too(start, up):
    weir = start(settings(up))
    weir.write_config(settings(up, models={"fresh": {"targets": ["up1"]}}))
    assert weir.admin("POST", "/internal/reload").status == 202
    eventually(lambda: weir.chat(model="fresh").status == 200)
