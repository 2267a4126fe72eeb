"""What a hostile caller or engine could try, case by case."""
import json

import pytest

import raw
from support import chat_body, eventually, settings, token

BODY = json.dumps(chat_body()).encode()
AUTH = "Authorization: Bearer "


def bad(start_line="POST /v1/chat/completions HTTP/1.1", *fields, body=BODY, host="Host: gw"):
    lines = [start_line, host, AUTH + token(), *fields]
    return "\r\n".join(line for line in lines if line).encode() + b"\r\n\r\n" + body


SIZE = f"Content-Length: {len(BODY)}"
CHUNKED = "Transfer-Encoding: chunked"
POST = "POST /v1/chat/completions HTTP/1.1"


def chunk(size_line, end=b"\r\n"):
    return size_line + end + BODY[:5] + b"\r\n0\r\n\r\n"


SMUGGLED = {
    "a": bad(POST, "Content-Length: 6", CHUNKED, body=b"0\r\n\r\nG"),
    "b": bad(POST, SIZE, "Content-Length: 5"),
    "c": bad(POST, "Content-Length: +5", body=b"12345"),
    "d": bad(POST, "Content-Length: 5, 5", body=b"12345"),
    "e": bad(POST, "Content-Length: 0x5", body=b"12345"),
    "f": bad(POST, "Transfer-Encoding: xchunked", body=chunk(b"5")),
    "g": bad(POST, "Transfer-Encoding: chunked, identity", body=chunk(b"5")),
    "h": bad(POST, "Transfer-Encoding : chunked", body=chunk(b"5")),
    "i 0x5": bad(POST, CHUNKED, body=chunk(b"0x5")),
    "i -1": bad(POST, CHUNKED, body=chunk(b"-1")),
    "i +5": bad(POST, CHUNKED, body=chunk(b"+5")),
    "i large": bad(POST, CHUNKED, body=chunk(b"ffffffffffffffffff")),
    "i blank": bad(POST, CHUNKED, body=chunk(b"5 ")),
    "i bare LF": bad(POST, CHUNKED, body=chunk(b"5", b"\n")),
    "j": bad(POST, SIZE, "X-Fold: a\r\n b"),
    "k": bad(POST, SIZE, "X-Nul: a\0b"),
    "l": bad(POST, "Content-Length: 5\nX: y", body=b"12345"),
    "m": bad("POST /v1/chat/completions HTTP/1.0", CHUNKED, body=chunk(b"5")),
    "o": bad("POST http://other/v1/chat/completions HTTP/1.1", SIZE),
    "p": bad(POST, SIZE, host=None),
    "q": bad(POST, SIZE, "Host: other"),
}


@pytest.mark.parametrize("case", SMUGGLED)
def test_bc_109_a_request_that_two_parsers_could_read_differently_is_refused(weir, up, case):
    with raw.Connection(weir.port) as line:
        line.send(SMUGGLED[case])
        answer = line.answer()
        assert answer.status == 400, answer
        assert line.closed_within(10)
    assert not up.requests


def test_bc_109_i_a_chunk_extension_is_legal(weir, up):
    body = b"%x;ext=1\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)
    assert raw.exchange(weir.port, bad(POST, CHUNKED, body=body)).status == 200


def test_bc_109_n_a_get_with_a_body_leaves_nothing_behind(weir, up):
    with raw.Connection(weir.port) as line:
        line.send(bad("GET /v1/models HTTP/1.1", SIZE) + bad("GET /v1/models/small HTTP/1.1", body=b""))
        first = line.answer()
        assert first.status in (200, 400)
        if first.status == 200:
            try:
                assert line.answer().json["id"] == "small"
            except AssertionError:
                assert not line.data, "either answered in order or closed"


def test_bc_109_r_each_pipelined_request_has_its_own_credentials(weir, up):
    admin = b"GET /internal/status HTTP/1.1\r\nHost: gw\r\nAuthorization: Bearer x\r\n\r\n"
    with raw.Connection(weir.port) as line:
        line.send(bad(POST, SIZE) + admin)
        assert line.answer().status == 200
        assert line.answer().status in (401, 404)
    assert len(up.requests) == len([c for c in weir.wait_calls(2) if c["status"] == 200]) == 1


def test_bc_046_a_redirect_is_not_followed_and_not_passed_on(start, engine):
    other = engine()
    up = engine(rf"HTTP/1.1 307 Temporary Redirect\r\nLocation: {other.url}/v1/chat/completions"
                r"\r\nContent-Length: 0\r\n\r\n")
    weir = start(settings(up, providers={"up1": {"key": "sk-up-SECRET"}}))
    answer = weir.chat()
    assert answer.status == 502 and answer.error["code"] == "upstream_redirect"
    assert answer.get("Location") is None and not other.requests


@pytest.mark.parametrize("status", [401, 403])
def test_an_engine_that_refuses_weirs_own_key_is_not_the_callers_fault(weir, up, status):
    up.script = f'@json {status} {{"error":{{"message":"Incorrect API key provided: sk-up-SE**CRET"}}}}'
    answer = weir.chat()
    assert answer.status == 502 and b"SE**CRET" not in answer.body
    assert answer.error["code"] == "upstream_auth_failed"


def test_bc_123_no_secret_leaves_the_house(start, up):
    weir = start(settings(up, providers={"up1": {"key": "${UP_KEY}"}}, log={"level": "debug"}),
                 env={"UP_KEY": "sk-up-SECRET"})
    up.script = (
        r"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nAuthorization: Bearer sk-up-SECRET\r\n"
        r"Set-Cookie: s=1\r\nX-Api-Key: sk-up-SECRET\r\nopenai-organization: org-1\r\n"
        r"x-ratelimit-limit-requests: 7\r\nContent-Length: 2\r\n\r\n{}")
    asked = {"X-Weird": "yes", "Cookie": "session=1", "X-Forwarded-For": "9.9.9.9"}
    answer = weir.chat(headers=asked)
    names = {k.lower() for k, _ in answer.headers}
    assert not names & {"authorization", "set-cookie", "x-api-key"}
    assert answer.get("X-Provider-x-ratelimit-limit-requests") == "7"
    assert answer.get("x-ratelimit-limit-requests") is None
    sent = up.requests[0]
    assert sent.get("Authorization") == "Bearer sk-up-SECRET"
    assert sent.get("Cookie") is None and token().encode() not in sent.head
    shown = [answer.head.decode(), weir.metrics(), weir.admin("GET", "/internal/config").body.decode(),
             weir.admin("GET", "/internal/status").body.decode(),
             weir.admin("GET", "/internal/providers").body.decode()]
    weir.wait_calls(1)
    for text in [*shown, weir.text]:
        assert "SECRET" not in text and token().split(".")[2] not in text and "hello" not in text


@pytest.mark.parametrize("how", range(9))
def test_bc_115_the_model_that_is_limited_is_the_one_that_is_served(start, up, how):
    weir = start(settings(up, models={"large": {"limits": ["1 requests/month"]}}))
    path, fields, statuses = [
        ("/v1/chat/completions?model=large", {}, {200}),
        ("/v1/openai/deployments/large/chat/completions?api-version=1", {}, {404}),
        ("/v1/chat/completions", {"extra_body": {"model": "large"}}, {200, 400}),
        ("/v1/chat/completions", {"route": "fallback", "models": ["large"]}, {200, 400}),
        ("/v1/chat/completions", {"model": "SMALL"}, {400, 404}),
        ("/v1/chat/completions", {"model": " small"}, {400, 404}),
        ("/v1/chat/completions", {"model": "small\0large"}, {400, 404}),
        ("/v1/chat/completions", {"model": ["large"]}, {400}),
        ("/v1/chat/completions", {"model": None}, {400})][how]
    answer = weir.post(path, chat_body(**fields))
    assert answer.status in statuses, answer
    for sent in up.requests:
        assert sent.json["model"] == "small" and "model=" not in sent.target
        assert "models" not in sent.json and "route" not in sent.json


@pytest.mark.parametrize("body", [
    b'{"model":"small","model":"large","messages":[]}',
    b'{"model":"small","mod\\u0065l":"large","messages":[]}',
    b'{"model":"small","messages":[],"max_tokens":1,"max_tokens":100000}'])
def test_a_member_that_is_there_twice_is_refused(weir, up, body):
    assert weir.post("/v1/chat/completions", body).status == 400
    assert not up.requests


def test_bc_124_an_untrusted_forwarding_header_changes_nobodys_limit(start, up):
    weir = start(settings(up, tiers={"FREE": {"limits": ["10 requests/month"]}}))
    statuses = [weir.get("/v1/models", user=None, headers={"X-Forwarded-For": f"10.0.0.{i}"}).status
                for i in range(20)]
    assert statuses == [200] * 10 + [429] * 10


def test_bc_124_a_trusted_proxy_names_the_caller_and_no_hop_before_it_can(start, up):
    weir = start(settings(up, server={"trusted_proxies": ["127.0.0.1/32"]},
                          tiers={"FREE": {"limits": ["1 requests/month"]}}))

    def status(value, name="X-Forwarded-For"):
        return weir.get("/v1/models", user=None, headers={name: value}).status
    assert status("6.6.6.6, 10.0.0.1") == 200
    assert status("7.7.7.7, 10.0.0.1") == 429, "the right-most hop counts"
    assert status("6.6.6.6, 10.0.0.2") == 200
    assert status("10.0.0.1, 127.0.0.1") == 429, "a trusted hop is passed over"
    assert status('for="[2001:db8::1]:55"', "Forwarded") == 200
    assert status('for="[2001:db8::2]:55"', "Forwarded") == 429, "an IPv6 caller is its /64"
    assert status("garbage") == 200, "garbage is the peer itself"
    assert status(", ".join(f"1.1.1.{i}" for i in range(200))) in (200, 400)
    assert status("more garbage") == 429


def test_user_ids_are_data(start, up):
    weir = start(settings(up, tiers={"FREE": {"limits": ["1 requests/month"]}}))
    ids = ['a"b\\c', "a:b", "a b", "{weir}", "../../x", "é" * 40, "x" * 200, "a:b:", "10.0.0.1"]
    for user in ids:
        assert [weir.chat(user=user).status for _ in range(2)] == [200, 429], user
    calls = weir.wait_calls(2 * len(ids))
    assert [c["user"] for c in calls[::2]] == [u.encode()[:128].decode(errors="ignore") for u in ids]


def test_the_admin_plane_wants_its_token(weir):
    for key in (None, "", "wrong"):
        for path in ("/internal/status", "/internal/config", "/internal/reload", "/internal/x"):
            assert weir.admin("GET", path, key).status == 401
    assert weir.admin("POST", "/internal/providers/up1/drain", None).status == 401
    assert weir.admin("GET", "/healthz", None).status == 200
    assert weir.get("/internal/status").status == 404, "not on the data plane"
    assert weir.get("/metrics").status == 404
    eventually(weir.nothing_held)
