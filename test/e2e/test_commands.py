"""The command line, and engines that come and go."""
import json
import re

import pytest

import support
from support import ADMIN_TOKEN, eventually, free_port, settings
from upstream import Upstream


@pytest.mark.parametrize("text, said", [
    ("servr: {}\n", r":1:1: .*servr.*server"), ("server: { listen: 5x }\n", r":1:\d+: "),
    ("timeouts: { connect: fast }\n", r":1:\d+: .*duration"),
    ("tiers: { FREE: { limits: [0 requests/min] } }\n", r":1:\d+: "),
    ("models:\n  a:\n    targets: [nobody]\n", r":3:\d+: .*nobody"),
    ("queue: {}\n", r":1:\d+: .*this version")])
def test_check_says_where_each_mistake_is_and_what_was_expected(tmp_path, text, said):
    file = tmp_path / "weir.yaml"
    file.write_text(text)
    done = support.run_weir("check", "-c", file)
    assert done.returncode == 1 and re.search(said, done.stderr, re.S | re.I), done.stderr


def test_check_takes_the_example_and_the_defaults_it_prints(tmp_path):
    shown = support.run_weir("check", "--defaults")
    file = tmp_path / "weir.yaml"
    file.write_text(shown.stdout)
    done = support.run_weir("check", "-c", file)
    assert shown.returncode == done.returncode == 0 and "ok" in done.stdout
    assert json.loads(support.run_weir("check", "--schema").stdout)


def test_an_unknown_command_or_option_is_an_error():
    assert support.run_weir("fly").returncode != 0
    assert support.run_weir("serve", "--fly").returncode != 0
    assert support.run_weir("--help").returncode == support.run_weir("--version").returncode == 0


def test_status_and_provider_drain_ask_the_running_gateway(start, engine):
    one, two = engine(), engine()
    config = settings(one, two, models={"small": {"targets": ["up1", "up2"]}})
    config["admin"] = {"listen": f"127.0.0.1:{free_port()}", "token": ADMIN_TOKEN}
    weir = start(config)

    def run(*arguments):
        return support.run_weir(arguments[0], "-c", weir.config_path, *arguments[1:],
                                folder=weir.folder)
    assert json.loads(run("status").stdout)["status"] == "ok"
    assert run("provider", "drain", "up1").returncode == 0
    assert {weir.chat().get("X-Weir-Provider") for _ in range(6)} == {"up2"}
    assert not one.requests
    assert run("provider", "undrain", "up1").returncode == 0
    assert {weir.chat().get("X-Weir-Provider") for _ in range(6)} == {"up1", "up2"}
    assert run("provider", "drain", "nobody").returncode == 1
    assert weir.stop() == 0
    stopped = run("status")
    assert stopped.returncode == 1 and "running" in stopped.stderr


def test_calls_go_where_least_is_in_flight(start, engine):
    slow, quick = engine("<sleep 2000>\n@json 200 {}"), engine()
    weir = start(settings(slow, quick, models={"small": {"targets": ["up1", "up2"]}}))
    lines = [weir.begin_chat() for _ in range(2)]
    eventually(lambda: slow.requests)
    assert {weir.chat().get("X-Weir-Provider") for _ in range(6)} == {"up2"}
    for line in lines:
        line.answer()
        line.close()


def test_an_engine_that_goes_down_is_passed_over_and_used_again_when_it_is_back(start, engine):
    one, two = engine(), engine()
    weir = start(settings(one, two, models={"small": {"targets": ["up1", "up2"]}},
                          providers={"up1": {"health": {"every": "200ms"}}}))
    assert {weir.chat().get("X-Weir-Provider") for _ in range(6)} == {"up1", "up2"}
    one.close()
    answers = [weir.chat() for _ in range(10)]
    assert all(a.status == 200 for a in answers[2:])
    assert {a.get("X-Weir-Provider") for a in answers[3:]} == {"up2"}
    assert weir.metric("weir_provider_up", provider="up1") == 0
    back = Upstream(port=one.port)
    eventually(lambda: weir.metric("weir_provider_up", provider="up1") == 1)
    assert {weir.chat().get("X-Weir-Provider") for _ in range(8)} == {"up1", "up2"}
    back.close()
