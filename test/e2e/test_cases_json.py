"""Request bodies that are strange, broken or hostile, case by case."""
import pytest

import support
from support import chat_body, settings

SMALL = b'{"model":"small","messages":'


def post(weir, body):
    return weir.post("/v1/chat/completions", body)


BROKEN = {
    "deep array": SMALL + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "deep object": SMALL + b'[],"metadata":{"a":' + b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"}}",
    "empty": b"", "blank": b"   ", "null": b"null", "array": b"[]", "number": b"5", "text": b'"x"',
    "NaN": SMALL + b'[],"temperature":NaN}', "trailing comma": SMALL + b"[],}",
    "comment": SMALL + b"[] // hello\n}", "two values": SMALL + b"[]} {}", "cut": SMALL + b"[",
    "half a member": b'{"model":"small","messages"',
    "single quotes": b"{'model':'small'}", "no model": b'{"messages":[]}',
    "raw bad UTF-8": SMALL + b'[{"role":"user","content":"raw \xff\xfe bytes"}]}',
    "overlong": SMALL + b'[{"role":"user","content":"overlong \xc0\xaf"}]}',
    "a surrogate as UTF-8": SMALL + b'[{"role":"user","content":"\xed\xa0\xbd"}]}',
    "bad model": b'{"model":"sm\xffall","messages":[]}',
    "a million members": SMALL + b"[]," + b",".join(b'"k%d":1' % i for i in range(1_000_000)) + b"}",
    "a control character": SMALL + b'[{"role":"user","content":"a\x01b"}]}',
}


@pytest.mark.parametrize("case", BROKEN)
def test_bc_117_118_a_broken_body_is_a_400_in_openais_shape(weir, up, case):
    answer = post(weir, BROKEN[case])
    assert answer.status == 400, answer
    assert set(answer.error) >= {"message", "type", "param", "code"}
    assert answer.error["type"] == "invalid_request_error" and answer.error["message"]
    assert not up.requests
    assert weir.chat().status == 200, "and nobody else is harmed"


LEGAL = {
    "a hundred digits": SMALL + b'[],"seed":' + b"7" * 100 + b"}",
    "a large exponent": SMALL + b'[],"x":1e999}',
    "minus zero": SMALL + b'[],"temperature":-0}',
    "a third": SMALL + b'[],"temperature":0.1,"seed":9007199254740993}',
    "a lone surrogate": SMALL + b'[{"role":"user","content":"emoji \\ud83d"}]}',
    "blanks": b"\r\n\t " + SMALL + b"[]}" + b" " * 5_000_000,
    "a long text": SMALL + b'[{"role":"user","content":"' + b"a" * 15_000_000 + b'"}]}',
    "escapes": SMALL + b'[{"role":"user","content":"\\u00e9\\n\\"\\\\"}]}',
    "unknown members": SMALL + b'[],"tools":[{"a":[1,2,{"b":null}]}],"zz":true}',
}


@pytest.mark.parametrize("case", LEGAL)
def test_bc_117_118_a_legal_body_passes_byte_for_byte(weir, up, case):
    answer = post(weir, LEGAL[case])
    assert answer.status == 200, answer
    sent = up.requests[0].body
    bound = b'"max_tokens":4096,'
    assert sent.replace(bound, b"", 1) == LEGAL[case], "but for the bound that weir writes into it"


def test_bc_117_a_byte_order_mark_is_refused_or_passed_over_by_one_rule(weir, up):
    body = b"\xef\xbb\xbf" + SMALL + b"[]}"
    statuses = {post(weir, body).status for _ in range(3)}
    assert len(statuses) == 1 and statuses <= {200, 400}


def test_the_depth_that_is_allowed_is_an_option(start, up):
    weir = start(settings(up, server={"max_depth": 10}))
    for depth, status in ((5, 200), (20, 400)):
        body = SMALL + b'[],"a":' + b"[" * depth + b"]" * depth + b"}"
        assert post(weir, body).status == status


@pytest.mark.parametrize("fields", [
    {"max_tokens": "5"}, {"max_tokens": -5}, {"max_tokens": 1.5}, {"stream": "yes"},
    {"messages": "hello"}, {"stream_options": 5}])
def test_members_of_the_wrong_kind_never_get_more_than_the_right_ones(weir, up, fields):
    """Refused, or bounded and judged by the engine."""
    answer = weir.post("/v1/chat/completions", chat_body(**fields))
    assert answer.status in (200, 400)
    if answer.status == 200 and "max_tokens" in fields:
        assert 0 < up.requests[0].json["max_tokens"] <= 4096


@pytest.mark.parametrize("body", [
    {"model": "small"}, {"message": "hello"}, {"model": "small", "message": 5}, [], "x"])
def test_plain_chat_bodies_that_say_too_little_get_a_flat_400(weir, up, body):
    answer = weir.post("/api/v1/ai/chat", body)
    assert answer.status == 400
    assert answer.json["status"] == "error" and answer.json["message"] and answer.json["error"]
    assert not up.requests


def test_plain_chat_takes_the_model_from_the_query_only_where_the_body_has_none(weir, up):
    assert weir.post("/api/v1/ai/chat?model=large", {"message": "x"}).status == 200
    assert weir.post("/api/v1/ai/chat?model=large", {"model": "small", "message": "x"}).status == 200
    assert weir.post("/api/v1/ai/chat", chat_body()).json["status"] == "ok", "a full OpenAI body"
    assert [r.json["model"] for r in up.requests] == ["large", "small", "small"]
    assert up.requests[0].json["messages"] == [{"role": "user", "content": "x"}]
    assert "user_id" not in up.requests[0].json
    assert support.eventually(weir.nothing_held)
