"""Limits over the wire: exactly as many calls as allowed, true waits, and nothing left held however
a call ends.
"""
import threading
import time

import pytest

import raw
import support
from support import chat_body, eventually, settings, token
from upstream import WHOLE

CALLS = 500


def at_once(weir, count, make=None, hold=False):
    """Sends `count` calls at the same time; the answers in the order of the calls."""
    data = raw.request_bytes("POST", "/v1/chat/completions", chat_body(**(make or {})),
                             {"Authorization": f"Bearer {token()}"})
    lines = [raw.Connection(weir.port) for _ in range(count)]
    answers = [None] * count
    go = threading.Barrier(10)

    def some(first):
        go.wait()
        for i in range(first, count, 10):
            lines[i].send(data)
        for i in range(first, count, 10):
            answers[i] = lines[i].answer()
    threads = [threading.Thread(target=some, args=(i,)) for i in range(10)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    for line in lines:
        line.close()
    return answers


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("limit, allowed", [
    ("37 requests/h", 37), ("37 requests/h sliding_window", 37), ("37 requests/month", 37)])
def test_five_hundred_calls_at_once_are_admitted_exactly_to_the_limit(
        start, up, threads, limit, allowed):
    weir = start(settings(up, tiers={"FREE": {"limits": [limit]}}), threads=threads)
    answers = at_once(weir, CALLS)
    statuses = [a.status for a in answers]
    assert statuses.count(200) == allowed and statuses.count(429) == CALLS - allowed
    assert len(up.requests) == allowed
    assert weir.nothing_held()


@pytest.mark.parametrize("threads", [1, 4])
def test_concurrent_calls_never_exceed_their_limit_and_all_places_come_back(start, up, threads):
    weir = start(settings(up, tiers={"FREE": {"limits": ["7 concurrent"]}}), threads=threads)
    release = threading.Event()
    up.script = lambda _: (release.wait(30), WHOLE)[1]
    refused = threading.Thread(target=lambda: (eventually(
        lambda: weir.metric("weir_refusals_total") >= CALLS - 7, 60), release.set()))
    refused.start()
    answers = at_once(weir, CALLS)
    refused.join()
    statuses = [a.status for a in answers]
    assert statuses.count(200) == 7 and statuses.count(429) == CALLS - 7
    assert weir.nothing_held() and weir.chat().status == 200


@pytest.mark.parametrize("threads", [1, 4])
def test_tokens_of_calls_at_once_never_exceed_the_limit(start, up, threads):
    """Each call reserves 10 + 90 tokens and is settled with 10."""
    weir = start(settings(up, tiers={"FREE": {"limits": ["2000 tokens/month"]}}), threads=threads)
    release = threading.Event()
    up.script = lambda _: (release.wait(30), WHOLE)[1]
    helper = threading.Thread(target=lambda: (eventually(
        lambda: weir.metric("weir_refusals_total") >= 80, 60), release.set()))
    helper.start()
    statuses = [a.status for a in at_once(weir, 100, {"max_tokens": 90})]
    helper.join()
    assert statuses.count(200) == 20 and statuses.count(429) == 80
    assert weir.nothing_held()
    answer = weir.chat(max_tokens=90)
    assert answer.get("x-ratelimit-remaining-tokens") == str(2000 - 20 * 10 - 100)


def test_bc_084_the_first_requests_of_an_unknown_user_are_limited_too(start, up):
    weir = start(settings(up, tiers={"FREE": {"limits": ["2 requests/min"]}}))
    assert sorted(a.status for a in at_once(weir, 10)) == [200] * 2 + [429] * 8


# --- every way a call can end

LIMITS = ["100 requests/month", "100000 tokens/month", "3 concurrent"]
ENDINGS = {
    "answer": ("@json 200 " + WHOLE.split(" ", 2)[2], "success"),
    "error 500": ('@json 500 {"error":{"message":"x","type":"server_error"}}', "upstream_error"),
    "error 400": ('@json 400 {"error":{"message":"x"}}', "upstream_error"),
    "closed": ("<close>", "upstream_error"),
    "reset": ("<rst>", None),
    "not http": (r"hello\r\n\r\n", "upstream_protocol_error"),
    "half an answer": (r"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf" + "\n<close>",
                       "upstream_truncated"),
    "error in 200": ('@json 200 {"error":{"message":"x"}}', "upstream_error"),
}


@pytest.fixture
def limited(start, up):
    return start(settings(up, tiers={"FREE": {"limits": LIMITS}},
                          timeouts={"first_token": "500ms", "token_gap": "500ms", "total": "3s"},
                          server={"drain_timeout": "300ms"}))


@pytest.mark.parametrize("how", ENDINGS)
def test_nothing_is_held_after_an(limited, up, how):
    up.script, outcome = ENDINGS[how]
    answer = limited.chat()
    assert (answer.status == 200) == (how == "answer"), answer
    call = limited.last_call()
    if outcome:
        assert call["outcome"] == outcome
    assert limited.nothing_held()


STREAM_ENDINGS = {
    "stream": ("@sse\n@role\n@txt Hi\n@stop\n@usage 9 1\n@done\n@end", "success"),
    "stream that is cut": ("@sse\n@role\n@txt Hi\n<sleep 50>\n<close>", "upstream_truncated"),
    "stream that is reset": ("@sse\n@role\n@txt Hi\n<sleep 50>\n<rst>", "upstream_truncated"),
    "stream without a first token": ("@sse\n@role\n<sleep 20000>", "upstream_timeout"),
    "stream without a head": ("<sleep 20000>", "upstream_timeout"),
    "stream with a gap": ("@sse\n@role\n@txt Hi\n<sleep 20000>", "upstream_timeout"),
    "stream over its total": ("@sse\n@role\n<repeat 200 x100ms: @txt t>", "upstream_timeout"),
    "error event": ('@sse\ndata: {"error":{"message":"x"}}\\n\\n\n@end', "upstream_error"),
    "empty stream": ("@sse\n@end", "upstream_error"),
}


@pytest.mark.parametrize("how", STREAM_ENDINGS)
def test_nothing_is_held_after_a(limited, up, how):
    up.script, outcome = STREAM_ENDINGS[how]
    limited.chat(stream=True)
    assert limited.last_call()["outcome"] == outcome
    assert limited.nothing_held()


def test_nothing_is_held_where_the_engine_is_refused(start, engine):
    gone = engine()
    gone.close()
    weir = start(settings(gone, tiers={"FREE": {"limits": LIMITS}}))
    answer = weir.chat()
    assert answer.status in (502, 503) and weir.nothing_held()
    assert answer.get("x-ratelimit-remaining-tokens")
    again = weir.get("/v1/models")
    assert again.get("x-ratelimit-limit-requests") == "100"


@pytest.mark.parametrize("script", [
    "<sleep 20000>", "@sse\n@role\n<sleep 20000>", "@sse\n@role\n@txt Hi\n<sleep 20000>"])
@pytest.mark.parametrize("how", ["close", "reset"])
def test_nothing_is_held_after_a_caller_hangs_up(start, up, script, how):
    weir = start(settings(up, tiers={"FREE": {"limits": LIMITS}}))
    up.script = script
    line = weir.begin_chat(stream=True)
    eventually(lambda: up.requests)
    if "@txt" in script:
        line.read_until(b"Hi")
    getattr(line, how)()
    assert weir.last_call()["outcome"] == "client_gone"
    eventually(weir.nothing_held)
    eventually(lambda: up.hangups)


def test_nothing_is_taken_by_a_caller_that_leaves_before_its_body_is_whole(start, up):
    weir = start(settings(up, tiers={"FREE": {"limits": LIMITS}}))
    line = raw.Connection(weir.port)
    line.send(raw.request_bytes("POST", "/v1/chat/completions", chat_body())[:-5]).close()
    eventually(lambda: weir.calls)
    assert weir.nothing_held() and not up.requests


def test_nothing_is_held_after_sigterm(limited, up):
    up.script = "@sse\n@role\n<repeat 200 x50ms: @txt t>"
    with limited.begin_chat(stream=True) as line:
        line.read_until(b'"t"')
        code = limited.stop()
    assert code == 0 and limited.last_call()["outcome"] in ("shutdown", "client_gone")


# --- what a refusal says

def test_a_caller_that_waits_as_long_as_it_is_told_gets_through(start, up):
    weir = start(settings(up, tiers={"FREE": {"limits": ["2 requests/3s sliding_window"]}}))
    assert [weir.chat().status for _ in range(2)] == [200, 200]
    refused = weir.chat()
    assert refused.status == 429
    wait = int(refused.get("Retry-After"))
    assert 1 <= wait <= 3 and refused.get("x-should-retry") is None
    time.sleep(wait)
    assert weir.chat().status == 200


def test_a_place_that_is_given_back_is_free_when_the_answer_arrives(start, up):
    weir = start(settings(up, tiers={"FREE": {"limits": ["1 concurrent"]}}))
    assert [weir.chat(stream=i % 2 == 1).status for i in range(20)] == [200] * 20


def test_a_refusal_on_v1_is_an_openai_error_with_all_its_facts(start, up):
    weir = start(settings(up, tiers={"FREE": {"limits": ["1 requests/h"]}}))
    first, refused = weir.chat(), weir.chat()
    assert first.get("x-ratelimit-limit-requests") == "1"
    assert first.get("x-ratelimit-remaining-requests") == "0"
    assert first.get("X-RateLimit-Remaining") == "0"
    assert first.get("X-RateLimit-Tier") == refused.get("X-RateLimit-Tier") == "FREE"
    assert first.get("X-RateLimit-Model") == "small"
    assert refused.status == 429
    error = refused.error
    assert error["type"] == "rate_limit_error" and error["code"] == "rate_limit_exceeded"
    assert error["message"] and "param" in error and error["limit"] == 1 and error["used"] == 1
    assert error["scope"] == "user" and "tiers.FREE" in error["rule"]
    assert int(refused.get("Retry-After")) > 60 and refused.get("x-should-retry") == "false"
    call = weir.last_call(2)
    assert call["outcome"] == "refused" and call["decision"] == "refused"
    assert call["reason"] == "rate_limit_exceeded" and call["rule"] == error["rule"]
    assert len(up.requests) == 1


def test_a_refusal_on_plain_chat_is_flat(start, up):
    weir = start(settings(up, tiers={"FREE": {"limits": ["1 requests/min"]}},
                          models={"large": {"limits": ["1 requests/min"]}}))
    body = {"model": "small", "message": "hello", "user_id": "bob"}
    answered = weir.post("/api/v1/ai/chat", body)
    assert answered.json["status"] == "ok"
    assert answered.json["result"]["choices"][0]["message"]["content"] == "Hi"
    refused = weir.post("/api/v1/ai/chat", body)
    assert refused.status == 429
    said = refused.json
    assert said["status"] == "error" and said["error"] == "rate_limit_exceeded"
    assert said["tier"] == "FREE" and said["message"]
    assert said["retry_after_seconds"] == int(refused.get("Retry-After")) >= 1
    assert weir.post("/api/v1/ai/chat", body | {"model": "large"}, user="carl").status == 200
    full = weir.post("/api/v1/ai/chat", body | {"model": "large"}, user="dora").json
    assert full["error"] == "model_capacity_exceeded" and full["model"] == "large"


def test_users_tiers_and_models_each_have_their_own(start, up):
    weir = start(settings(up, tiers={"FREE": {"limits": ["1 requests/h"]},
                                     "PRO": {"limits": ["2 requests/h"]}},
                          models={"large": {"limits": ["3 requests/h"]}}))
    assert [weir.chat(user="a").status for _ in range(2)] == [200, 429]
    assert [weir.chat(user="b").status for _ in range(2)] == [200, 429]
    assert [weir.chat(user="c", tier="pro").status for _ in range(3)] == [200, 200, 429]
    seen = [weir.chat(user=f"u{i}", model="large") for i in range(4)]
    assert [a.status for a in seen] == [200, 200, 200, 429]
    assert seen[3].error["code"] == "model_capacity_exceeded"


def test_teams_sessions_and_routes_share_their_limits(start, up):
    weir = start(settings(
        up, teams={"research": {"users": ["a", "b"], "limits": ["3 requests/h"]}},
        sessions={"limits": ["2 requests"]},
        routes={"/v1/": {"api": "openai"},
                "/api/v1/ai/": {"api": "plain", "limits": ["1 requests/h per user"]}}))
    assert [weir.chat(user=u).status for u in "abab"] == [200, 200, 200, 429]
    run = {"X-Session-Id": "run-1"}
    assert [weir.chat(user="c", headers=run).status for _ in range(3)] == [200, 200, 429]
    assert weir.chat(user="d", headers=run).status == 200, "a session belongs to its caller"
    assert weir.chat(user="c", headers={"X-Session-Id": "run-2"}).status == 200
    body = {"model": "small", "message": "x"}
    assert [weir.post("/api/v1/ai/chat", body, user="e").status for _ in range(2)] == [200, 429]
    assert weir.chat(user="e").status == 200


def test_observe_mode_counts_and_refuses_nothing(start, up):
    weir = start(settings(up, tiers={"FREE": {"limits": [
        {"limit": "1 requests/h", "mode": "observe"}]}}))
    assert [weir.chat().status for _ in range(3)] == [200] * 3
    assert weir.metric("weir_would_refuse_total") == 2
    assert [c["decision"] for c in weir.wait_calls(3)] == ["allowed", "observed", "observed"]
    assert weir.metric("weir_refusals_total") == 0


# --- tokens

def test_tokens_are_reserved_settled_and_given_back(start, up):
    weir = start(settings(up, tiers={"FREE": {"limits": ["1000 tokens/month"]}}))
    answer = weir.chat(max_tokens=500)
    call = weir.last_call()
    assert call["reserved_tokens"] == 510
    assert answer.get("x-ratelimit-limit-tokens") == "1000"
    assert answer.get("x-ratelimit-remaining-tokens") == "490"
    assert weir.chat(max_tokens=500).get("x-ratelimit-remaining-tokens") == "480", "10 were used"
    up.script = '@json 500 {"error":{"message":"x"}}'
    assert weir.chat(max_tokens=500).status == 500
    up.script = WHOLE
    assert weir.chat(max_tokens=500).get("x-ratelimit-remaining-tokens") == "470"


def test_a_call_that_asks_for_more_than_the_limit_is_told_that_waiting_is_no_use(start, up):
    weir = start(settings(up, tiers={"FREE": {"limits": ["1000 tokens/min"]}}))
    refused = weir.chat(max_tokens=5000)
    assert refused.status == 429 and refused.get("x-should-retry") == "false"
    assert refused.get("Retry-After") is None or int(refused.get("Retry-After")) >= 1
    assert "whole limit" in refused.error["message"] and not up.requests
    assert weir.chat(max_tokens=500).status == 200


def test_bc_075_a_refused_call_takes_nothing_from_the_other_limits(start, up):
    weir = start(settings(up, tiers={"FREE": {"limits": [
        "100 requests/month", "1000 tokens/month", "1 requests/h"]}}))
    assert weir.chat(max_tokens=100).status == 200
    assert {weir.chat(max_tokens=100).status for _ in range(30)} == {429}
    assert {weir.post("/api/v1/ai/chat", {"model": "small", "message": "x"}).status
            for _ in range(5)} == {429}
    last = weir.chat(max_tokens=100)
    assert last.get("x-ratelimit-remaining-tokens") == "990"
    assert weir.nothing_held()


def test_bc_081_hits_do_not_push_the_end_of_the_window_away(start, up):
    weir = start(settings(up, tiers={"FREE": {"limits": ["4 requests/2s sliding_window"]}}))
    until = time.monotonic() + 7
    passed = 0
    begun = time.monotonic()
    while time.monotonic() < until:
        passed += weir.chat().status == 200
        time.sleep(0.1)
    windows = (time.monotonic() - begun) / 2
    assert passed <= 4 * (int(windows) + 1)
    assert passed >= 8, "quota comes back though calls go on"
    assert support.eventually(weir.nothing_held)
