"""HTTP between callers, weir and engines, case by case."""
import gzip
import json
import re
import shutil
import subprocess
import time

import pytest

import raw
import support
from support import chat_body, eventually, settings, token
from upstream import ANSWER, WHOLE

BODY = json.dumps(chat_body()).encode()


def auth(user="alice"):
    return {"Authorization": f"Bearer {token(user)}"}


# --- hang-ups

@pytest.mark.parametrize("script, mark", [
    ("@sse\n<repeat 1000 x20ms: @txt tok>\n@done\n@end", b"tok"), ("<sleep 20000>", None)])
@pytest.mark.parametrize("stream", [True, False])
def test_bc_031_a_hang_up_reaches_the_engine(weir, up, script, mark, stream):
    up.script = script
    line = weir.begin_chat(stream=stream)
    eventually(lambda: up.requests)
    if mark and stream:
        line.read_until(mark)
    line.reset()
    eventually(lambda: up.hangups)
    eventually(lambda: weir.metric("weir_inflight_requests") == 0)
    assert weir.last_call()["outcome"] == "client_gone"
    assert weir.metric("weir_inflight_upstream") == 0


def test_bc_032_a_caller_that_leaves_after_done_had_a_success(weir, up):
    up.script = "@sse\n@txt Hi\n@stop\n@usage 9 1\n@done\n<sleep 300>\n@end"
    line = weir.begin_chat(stream=True)
    line.read_until(b"[DONE]")
    line.close()
    call = weir.last_call()
    assert call["outcome"] == "success"
    assert call["prompt_tokens"] + call["completion_tokens"] == 10


# --- bodies

def test_bc_105_a_chunked_body_goes_on_with_its_length(weir, up):
    head = raw.request_bytes("POST", "/v1/chat/completions", None, auth() | {
        "Content-Type": "application/json", "Transfer-Encoding": "chunked"})
    body = (b'1e;ext=1\r\n{"model":"small","messages":[{\r\n'
            b'22\r\n"role":"user","content":"hello"}]}\r\n0\r\nTrailer: x\r\n\r\n')
    answer = raw.exchange(weir.port, head + body)
    assert answer.status == 200
    sent = up.requests[0]
    assert sent.get("Transfer-Encoding") is None and sent.get("Trailer") is None
    assert int(sent.get("Content-Length")) == len(sent.body)
    assert sent.json["messages"] == [{"role": "user", "content": "hello"}]


def test_bc_106_an_endless_chunked_body_is_cut_at_the_limit(start, up):
    weir = start(settings(up, server={"max_body": "1MiB"}))
    before = weir.resident()
    head = raw.request_bytes("POST", "/v1/chat/completions", None,
                             auth() | {"Transfer-Encoding": "chunked"})
    with raw.Connection(weir.port) as line:
        line.send(head)
        try:
            for _ in range(400):
                line.send(b"10000\r\n" + b" " * 65536 + b"\r\n")
        except OSError:
            pass
        try:
            assert line.answer().status == 413
        except AssertionError:
            pass  # the reset of the rest of the body may come before the answer is read
    assert weir.last_call()["status"] == 413
    assert weir.resident() - before < 16 and not up.requests


def test_a_body_that_says_it_is_too_large_is_refused_unread(start, up):
    weir = start(settings(up, server={"max_body": "1MiB"}))
    head = raw.request_bytes("POST", "/v1/chat/completions", None,
                             auth() | {"Content-Length": 1 << 30})
    answer = raw.exchange(weir.port, head)
    assert answer.status == 413 and "max_body" in answer.error["message"]
    assert not up.requests


def test_bc_106_a_body_that_does_not_come_is_a_408(start, up):
    weir = start(settings(up, server={"body_timeout": "500ms"}))
    answer = raw.exchange(weir.port, raw.request_bytes(
        "POST", "/v1/chat/completions", None, auth() | {"Content-Length": 50}))
    assert answer.status == 408 and not up.requests


def test_a_head_that_does_not_end_is_closed_and_one_too_large_refused(start, up):
    weir = start(settings(up, server={"header_timeout": "500ms", "max_header": "4KiB"}))
    with raw.Connection(weir.port) as line:
        line.send(b"POST /v1/chat/completions HTTP/1.1\r\nHost: g")
        assert line.closed_within(10)
    big = raw.exchange(weir.port, raw.request_bytes("GET", "/v1/models", None, {"X": "y" * 9000}))
    assert big.status == 431


def test_expect_100_continue_is_answered_before_the_body(weir, up):
    with raw.Connection(weir.port) as line:
        line.send(raw.request_bytes("POST", "/v1/chat/completions", None, auth() | {
            "Content-Length": len(BODY), "Expect": "100-continue"}))
        line.read_until(b"100 Continue\r\n\r\n")
        line.data = b""
        assert line.send(BODY).answer().status == 200


# --- coded answers

def test_bc_108_a_coded_answer_is_counted_and_can_be_read(weir, up):
    packed = gzip.compress(ANSWER.encode())
    up.script = (r"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n"
                 rf"Content-Length: {len(packed)}\r\n\r\n" + f"<hex {packed.hex()}>")
    answer = weir.chat(headers={"Accept-Encoding": "gzip, br"})
    body = gzip.decompress(answer.body) if answer.get("Content-Encoding") == "gzip" else answer.body
    assert json.loads(body) == json.loads(ANSWER)
    assert up.requests[0].get("Accept-Encoding") == "identity"
    call = weir.last_call()
    assert call["prompt_tokens"] + call["completion_tokens"] == 10


def test_bc_108_an_unknown_coding_passes_and_is_estimated(weir, up):
    up.script = (r"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: br\r\n"
                 r"Content-Length: 4\r\n\r\nabcd")
    answer = weir.chat()
    assert answer.body == b"abcd" and answer.get("Content-Encoding") == "br"
    assert weir.last_call()["tokens_source"] == "estimate"


# --- HTTP/1.0

def test_bc_111_http_1_0_gets_a_length_or_a_close_and_never_chunks(weir, up):
    body = b'{"model":"small","messages":[{"role":"user","content":"hello world"}]}'
    fields = auth() | {"Host": None}
    short = raw.request_bytes("POST", "/v1/chat/completions", body,
                              fields | {"Content-Length": 69}, "HTTP/1.0")
    assert raw.exchange(weir.port, short).status == 400
    good = raw.exchange(weir.port, raw.request_bytes(
        "POST", "/v1/chat/completions", body, fields, "HTTP/1.0"))
    assert good.status == 200 and good.get("Transfer-Encoding") is None
    assert good.get("Content-Length") and good.json
    streamed = json.dumps(chat_body(stream=True)).encode()
    answer = raw.exchange(weir.port, raw.request_bytes(
        "POST", "/v1/chat/completions", streamed, fields, "HTTP/1.0"))
    assert answer.get("Transfer-Encoding") is None
    assert answer.body.startswith(b"data: ") and answer.events[-1] == "[DONE]"


def test_bc_111_ab_sees_no_failure(weir, tmp_path):
    ab = shutil.which("ab")
    if not ab:
        pytest.skip("ab (apache2-utils) is not installed")
    file = tmp_path / "body.json"
    file.write_bytes(BODY)
    done = subprocess.run([ab, "-n", "100", "-c", "10", "-p", file, "-T", "application/json", "-H",
                           f"Authorization: Bearer {token()}",
                           f"http://127.0.0.1:{weir.port}/v1/chat/completions"],
                          capture_output=True, text=True, timeout=60)
    assert re.search(r"Complete requests: +100\b", done.stdout), done.stdout + done.stderr
    assert re.search(r"Failed requests: +0\b", done.stdout) and "Non-2xx" not in done.stdout


# --- methods and CORS

def test_bc_112_methods(start, up):
    weir = start(settings(up, tiers={"FREE": {"limits": ["1 requests/h"]}}))
    ask = {"Origin": "https://app.example", "Access-Control-Request-Method": "POST",
           "Access-Control-Request-Headers": "authorization,content-type"}
    options = weir.send("OPTIONS", "/v1/chat/completions", None, ask, user=None)
    assert options.status == 204
    assert not [k for k, _ in options.headers if k.lower().startswith("access-control")]
    wrong = weir.get("/v1/chat/completions")
    assert wrong.status == 405 and wrong.get("Allow") == "POST"
    put = weir.send("PUT", "/v1/models", b"{}")
    assert put.status == 405 and put.get("Allow").startswith("GET")
    assert weir.send("TRACE", "/").status in (405, 501)
    assert weir.send("FOO", "/").status in (405, 501)
    head = weir.send("HEAD", "/v1/models")
    assert head.status == 200 and head.body == b""
    assert weir.chat().status == 429, "HEAD counted, and nothing before it"


def test_bc_112_cors_for_the_named_origin_on_every_answer(start, up):
    origin = "https://app.example"
    weir = start(settings(up, server={"cors": {"origins": [origin]}},
                          tiers={"FREE": {"limits": ["1 requests/h"]}}))
    ask = {"Origin": origin, "Access-Control-Request-Method": "POST",
           "Access-Control-Request-Headers": "authorization,content-type,x-stainless-timeout"}
    options = weir.send("OPTIONS", "/v1/chat/completions", None, ask, user=None)
    assert options.status == 204 and options.get("Access-Control-Allow-Origin") == origin
    assert "x-stainless-timeout" in options.get("Access-Control-Allow-Headers")
    assert options.get("Access-Control-Max-Age") and options.get("Vary") == "Origin"
    other = weir.send("OPTIONS", "/v1/chat/completions", None, ask | {"Origin": "https://evil"})
    assert other.get("Access-Control-Allow-Origin") is None
    for answer, status in ((weir.chat(headers={"Origin": origin}, stream=True), 200),
                           (weir.chat(headers={"Origin": origin}), 429),
                           (weir.chat(headers={"Origin": origin, "Authorization": "Bearer x"}), 401),
                           (weir.get("/nowhere", headers={"Origin": origin}), 404)):
        assert answer.status == status
        assert answer.get("Access-Control-Allow-Origin") == origin
        assert "retry-after" in answer.get("Access-Control-Expose-Headers").lower()


# --- paths

@pytest.mark.parametrize("base, path", [
    ("", "/v1"), ("/", "/v1"), ("/v1", "/v1"), ("/v1/", "/v1"), ("/prefix/v1", "/prefix/v1")])
def test_bc_114_a_base_url_with_and_without_v1_reaches_the_same(start, up, base, path):
    weir = start(settings(up.url + base))
    assert weir.chat().status == 200
    assert weir.post("/v1/chat/completions/", chat_body()).status == 200
    assert [r.target for r in up.requests] == [path + "/chat/completions"] * 2


@pytest.mark.parametrize("url", ["http://h/?a=b", "http://h/#x", "http://u:p@h/", "ftp://h/", "h"])
def test_bc_114_a_base_url_with_more_than_a_path_is_refused(tmp_path, url):
    file = tmp_path / "weir.yaml"
    file.write_text(json.dumps(settings(url)))
    done = support.run_weir("check", "-c", file)
    assert done.returncode == 1 and re.search(r"weir\.yaml:\d+:\d+: ", done.stderr)


def test_bc_120_model_ids_with_slashes_are_found_however_they_are_written(start, up):
    name = "hf.co/org/Name-30B-GGUF:Q4_K_M"
    weir = start(settings(up, models={name: {"aliases": ["short name"], "targets": ["up1"]}}))
    plain = weir.get(f"/v1/models/{name}")
    coded = weir.get("/v1/models/hf.co%2Forg%2FName-30B-GGUF%3AQ4_K_M")
    assert plain.status == coded.status == 200 and plain.json == coded.json
    assert plain.json["id"] == name and plain.json["object"] == "model"
    assert weir.get("/v1/models/short%20name").status == 200
    assert weir.get("/v1/models/org/..%2Fsmall").status in (400, 404)
    assert weir.get("/v1/models/").status in (200, 404)
    unknown = weir.get("/v1/models/unknown")
    assert unknown.status == 404 and unknown.error["code"] == "model_not_found"
    assert weir.chat(model=name).status == 200
    assert {m["id"] for m in weir.get("/v1/models").json["data"]} == {
        "small", "large", name, "short name"}


def test_paths_that_no_route_knows_are_not_relayed(weir, up):
    for path in ("/v1/audio/speech", "/v1/fine_tuning/jobs", "/v2/chat", "/", "/v1"):
        assert weir.post(path, {}).status == 404
    assert not up.requests


def test_a_route_that_passes_through_does_so_at_its_fixed_cost(start, up):
    weir = start(settings(up, tiers={"FREE": {"limits": ["100 tokens/month"]}},
                          models={"*": {"targets": ["up1"]}},
                          routes={"/v1/": {"api": "openai", "passthrough": True,
                                           "passthrough_tokens": 60}}))
    assert weir.post("/v1/rerank", {"query": "x"}).status == 200
    assert weir.post("/v1/rerank", {"query": "x"}).status == 429
    assert [r.target for r in up.requests] == ["/v1/rerank"]


def test_another_backend_is_behind_the_same_identity_and_limits(start, up, engine):
    app = engine(r"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nSet-Cookie: a=1\r\n\r\nok")
    weir = start(settings(up, routes={"/app/": {"api": "http", "to": app.url,
                                                "limits": ["2 requests/h per user"]}}))
    answers = [weir.get("/app/things?x=1&model=large") for _ in range(3)]
    assert [a.status for a in answers] == [200, 200, 429]
    assert answers[0].body == b"ok" and answers[0].get("Set-Cookie") == "a=1"
    assert "things?x=1&model=large" in app.requests[0].target
    assert app.requests[0].get("X-Weir-User") == "alice" and not up.requests


# --- connections

def test_connections_to_the_engine_are_kept_and_a_stale_one_is_replaced_unseen(start, up):
    weir = start(settings(up), threads=1)
    up.script = "\n".join([WHOLE, "[1] <close>"])
    assert [weir.chat().status for _ in range(5)] == [200] * 5
    assert weir.metric("weir_upstream_connections_total", reused="true") >= 3


def test_pipelined_requests_are_answered_in_order(weir, up):
    one = raw.request_bytes("GET", "/v1/models/small", None, auth())
    two = raw.request_bytes("GET", "/v1/models/large", None, auth())
    with raw.Connection(weir.port) as line:
        line.send(one + two + one)
        assert [line.answer().json["id"] for _ in range(3)] == ["small", "large", "small"]


def test_bc_156_idle_and_stalled_callers_are_closed_and_the_admin_plane_answers(start, up):
    """With reduced numbers."""
    weir = start(settings(up, server={"header_timeout": "1s", "idle_timeout": "2s"}),
                 prefix=("bash", "-c", 'ulimit -n 256; exec "$@"', "-"))
    silent = []
    for i in range(400):
        try:
            silent.append(raw.Connection(weir.port))
            if i % 4 == 0:
                silent[-1].send(b"POST /v1/chat")
        except OSError:
            break
    assert weir.metric("weir_process_max_fds") == 256
    before = weir.metric("weir_process_cpu_seconds_total")
    time.sleep(1.5)
    assert weir.metric("weir_process_cpu_seconds_total") - before < 0.75, "no busy loop"
    eventually(lambda: weir.metric("weir_connections") < 20, 30)
    assert weir.chat().status == 200
    assert len(weir.text) < 100_000, "no flood in the log"
    for line in silent:
        line.close()


def test_one_address_cannot_take_all_connections(start, up):
    weir = start(settings(up, server={"max_connections_per_address": 3}), threads=1)
    lines = [raw.Connection(weir.port) for _ in range(3)]
    for line in lines:
        line.send(raw.request_bytes("GET", "/v1/models", None, auth())).answer()
    with raw.Connection(weir.port) as fourth:
        try:
            fourth.send(raw.request_bytes("GET", "/v1/models", None, auth()))
            refused = fourth.answer().status in (429, 503)
        except (AssertionError, OSError):
            refused = True
    assert refused
    for line in lines:
        line.close()
    eventually(lambda: weir.get("/v1/models").status == 200)
