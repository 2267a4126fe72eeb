"""The metrics page, case by case."""
import re
import shutil
import subprocess
import threading

import pytest

from support import eventually, settings


def promtool(text):
    tool = shutil.which("promtool")
    if not tool:
        pytest.skip("promtool is not installed")
    return subprocess.run([tool, "check", "metrics"], input=text, capture_output=True, text=True,
                          timeout=60)


def test_bc_133_no_label_value_breaks_the_page(start, up):
    name = 'a"b\\c d{e}\u2028é'
    weir = start(settings(up, models={name: {"targets": ["up1"], "limits": ["1 requests/h"]}}))
    assert [weir.chat(model=name).status for _ in range(2)] == [200, 429]
    assert weir.chat(model='un"known\\').status == 404
    answer = weir.admin("GET", "/metrics")
    assert answer.get("Content-Type") == "text/plain; version=0.0.4; charset=utf-8"
    text = answer.body.decode()
    assert text.endswith("\n") and r'model="a\"b\\c d{e}' in text
    assert 'un\\"known' not in text, "names that callers invent are no labels"
    assert re.search(r'weir_requests_total\{[^}]*model="unknown"[^}]*status="4', text)
    checked = promtool(text)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_bc_135_the_buckets_reach_as_far_as_answers_take(weir):
    weir.chat()
    weir.chat(stream=True)
    text = weir.metrics()

    def bounds(name):
        found = re.findall(rf'^{name}_bucket\{{.*le="([^"]+)"\}}', text, re.M)
        return sorted({float(b) for b in found})
    duration = bounds("gen_ai_server_request_duration_seconds")
    assert duration[-1] == float("inf") and duration[-2] >= 600
    assert {30.0, 60.0} <= set(duration)
    assert bounds("gen_ai_server_time_to_first_token_seconds")[-2] >= 120
    gaps = re.findall(r"_time_per_output_token_seconds_bucket\{.*le=\"([^\"]+)\"", text)
    assert not gaps or min(map(float, gaps)) <= 0.001


def test_a_histogram_agrees_with_itself(weir):
    for _ in range(5):
        weir.chat()
    weir.wait_calls(5)
    text = weir.metrics()
    name = "gen_ai_server_request_duration_seconds"
    counts = re.findall(rf"^{name}_count\{{.*\}} (\d+)", text, re.M)
    ends = re.findall(rf'^{name}_bucket\{{.*le="\+Inf"\}} (\d+)', text, re.M)
    assert counts == ends and sum(map(int, counts)) == 5


def test_bc_136_series_that_the_configuration_names_exist_before_their_first_event(start, up):
    weir = start(settings(up, tiers={"FREE": {"limits": ["1 requests/h"]}}))
    text = weir.metrics()
    for wanted in (r'weir_refusals_total\{[^}]*rule="tiers\.FREE[^}]*\} 0$',
                   r'weir_upstream_errors_total\{[^}]*provider="up1"[^}]*\} 0$',
                   r'weir_config_reloads_total\{result="error"\} 0$'):
        assert re.search(wanted, text, re.M), wanted
    weir.chat()
    weir.chat()
    eventually(lambda: weir.metric("weir_refusals_total", rule="tiers.FREE.limits[0]") == 1 or
               weir.metric("weir_refusals_total") == 1)
    assert promtool(text).returncode == 0


def test_callers_cannot_make_series(weir):
    def series():
        return {line.rsplit(" ", 1)[0] for line in weir.metrics().splitlines() if line[:1] != "#"}
    for i in range(3):
        weir.chat(model=f"made-up-{i}", user=f"user-{i}")
        weir.get(f"/v1/path-{i}")
        weir.send(f"M{i}", "/v1/x")
    before = series()
    for i in range(10, 60):
        weir.chat(model=f"made-up-{i}", user=f"user-{i}")
        weir.get(f"/v1/path-{i}")
        weir.send(f"M{i}", "/v1/x", headers={"X-Session-Id": f"s{i}"})
    assert series() == before


def test_counts_are_whole_while_scrapes_run_beside_calls(start, up):
    weir = start(settings(up), threads=4)
    stop = threading.Event()
    totals = []

    def scrape():
        while not stop.is_set():
            totals.append(weir.metric("weir_requests_total"))
    scraper = threading.Thread(target=scrape, daemon=True)
    scraper.start()
    callers = [threading.Thread(target=lambda: [weir.chat() for _ in range(20)], daemon=True) for _ in range(5)]
    for one in callers:
        one.start()
    for one in callers:
        one.join()
    stop.set()
    scraper.join()
    assert totals == sorted(totals)
    assert eventually(lambda: weir.metric("weir_requests_total", outcome="success") == 100)
