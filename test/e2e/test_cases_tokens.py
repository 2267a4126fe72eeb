"""How many tokens a call reserves and is charged, case by case. The prompt "hello" is estimated at
ten tokens.
"""
import pytest

from support import chat_body, settings
from upstream import ANSWER

PROMPT = 10


def usage(text):
    return "@json 200 " + ANSWER.replace(ANSWER[ANSWER.index('"usage":'):-1], f'"usage":{text}')


def tokens(call):
    return call.get("prompt_tokens", 0) + call.get("completion_tokens", 0)


RUNNING = "\n".join(
    'data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"small","choices":[{"index":0,'
    '"delta":{"content":"%s"},"finish_reason":%s}],"usage":{"prompt_tokens":12,"completion_tokens":%d,'
    '"total_tokens":%d}}\\n\\n' % (text, finish, n, 12 + n)
    for n, (text, finish) in enumerate([("a", "null"), ("b", "null"), ("c", '"stop"')], 1))


def test_bc_013_running_totals_are_not_added_up(weir, up):
    up.script = f"@sse\n{RUNNING}\n@usage 12 3\n@done\n@end"
    answer = weir.chat(stream=True)
    call = weir.last_call()
    assert tokens(call) == 15 and call["outcome"] == "success"
    assert b'"total_tokens":13' in answer.body, "usage beside content passes"


def test_bc_013_a_cut_charges_the_last_total_that_came(weir, up):
    up.script = "@sse\n" + "\n".join(RUNNING.split("\n")[:2]) + "\n<sleep 50>\n<rst>"
    weir.chat(stream=True)
    assert tokens(weir.last_call()) == 14


@pytest.mark.parametrize("fields, reserved", [
    ({"n": 5, "max_tokens": 100}, PROMPT + 500), ({"max_tokens": 100}, PROMPT + 100),
    ({"max_completion_tokens": 70}, PROMPT + 70),
    ({"max_tokens": 50, "max_completion_tokens": 80}, PROMPT + 80)])
def test_bc_076_n_multiplies_the_answer_and_not_the_prompt(weir, up, fields, reserved):
    assert weir.chat(**fields).status == 200
    assert weir.last_call()["reserved_tokens"] == reserved


@pytest.mark.parametrize("n", [0, "5", -1, 1.5])
def test_bc_076_an_n_that_is_no_number_of_answers_counts_once_or_is_refused(weir, up, n):
    answer = weir.chat(n=n, max_tokens=100)
    assert answer.status in (200, 400)
    if answer.status == 200:
        assert weir.last_call()["reserved_tokens"] in (PROMPT + 100, PROMPT + 200)


def test_bc_076_a_product_that_overflows_is_refused(start, up):
    weir = start(settings(up, tiers={"FREE": {"limits": ["1000000 tokens/min"]}}))
    for n, most in ((1_000_000, 100_000), (2**31, 2**40), (2**62, 2**62), (128, 2**63 - 1)):
        answer = weir.chat(n=n, max_tokens=most)
        assert answer.status in (400, 429), answer
    assert not up.requests
    assert weir.chat(max_tokens=100).status == 200


def test_bc_076_best_of_counts_on_completions(weir, up):
    weir.post("/v1/completions", {"model": "small", "prompt": "hello", "best_of": 20,
                                  "max_tokens": 100})
    assert 2000 < weir.last_call()["reserved_tokens"] < 2020


def test_bc_078_without_max_tokens_the_models_ceiling_holds_and_is_written(start, up):
    """Where the case leaves the body as it is, spec.md section 3 decides: weir writes the bound into
    the forwarded request."""
    weir = start(settings(up, models={"small": {"max_tokens": 300}}))
    assert weir.chat().status == 200
    assert weir.last_call()["reserved_tokens"] == PROMPT + 300
    assert up.requests[0].json["max_tokens"] == 300
    assert weir.chat(max_tokens=200).status == 200
    assert up.requests[1].json["max_tokens"] == 200
    assert weir.chat(max_tokens=None).status == 200
    assert up.requests[2].json["max_tokens"] == 300


def test_a_context_bounds_what_an_answer_may_be(start, up):
    weir = start(settings(up, models={"small": {"context": 100, "max_tokens": 95}}))
    weir.chat()
    assert up.requests[0].json["max_tokens"] == 100 - PROMPT


@pytest.mark.parametrize("part", [
    {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 2_500_000}},
    {"type": "input_audio", "input_audio": {"data": "A" * 2_500_000, "format": "wav"}},
    {"type": "file", "file": {"file_data": "A" * 2_500_000}}])
def test_bc_079_base64_is_not_text(weir, up, part):
    body = chat_body(model="large", max_tokens=10, messages=[{"role": "user", "content": [
        {"type": "text", "text": "What is this?"}, part]}])
    answer = weir.post("/v1/chat/completions", body)
    assert answer.status == 200
    assert 1100 < weir.last_call()["reserved_tokens"] < 4000
    assert up.requests[0].json == body, "the body passes unchanged"


@pytest.mark.parametrize("said, total", [
    ('{"prompt_tokens":2008,"completion_tokens":266,"total_tokens":2274,"completion_tokens_details":{"reasoning_tokens":261}}', 2274),
    ('{"prompt_tokens":36,"completion_tokens":10,"total_tokens":736,"completion_tokens_details":{"reasoning_tokens":690}}', 736),
    ('{"prompt_tokens":5,"completion_tokens":7,"total_tokens":12,"prompt_tokens_details":null,"completion_tokens_details":{"reasoning_tokens":null}}', 12)])
def test_bc_090_reasoning_tokens_are_counted_once(weir, up, said, total):
    up.script = usage(said)
    weir.chat()
    assert tokens(weir.last_call()) == total


def test_cached_tokens_are_part_of_the_prompt(weir, up):
    up.script = usage('{"prompt_tokens":50,"completion_tokens":5,"total_tokens":55,'
                      '"prompt_tokens_details":{"cached_tokens":40}}')
    weir.chat()
    call = weir.last_call()
    assert tokens(call) == 55 and call["cached_tokens"] == 40


@pytest.mark.parametrize("said", ["null", "{}", '"x"', '{"prompt_tokens":"9"}',
                                  '{"prompt_tokens":-5,"completion_tokens":-5}'])
def test_a_usage_that_says_nothing_is_replaced_by_an_estimate(start, up, said):
    weir = start(settings(up, tiers={"FREE": {"limits": ["100000 tokens/month"]}}))
    up.script = usage(said)
    weir.chat()
    call = weir.last_call()
    assert call["tokens_source"] == "estimate" and call["prompt_tokens"] == PROMPT
    assert call["completion_tokens"] >= 1


def test_embeddings_and_responses_are_counted_by_their_own_words(weir, up):
    up.script = '@json 200 {"object":"list","data":[],"usage":{"prompt_tokens":8,"total_tokens":8}}'
    assert weir.post("/v1/embeddings", {"model": "small", "input": ["a", "b"]}).status == 200
    up.script = ('@json 200 {"id":"resp_1","object":"response","status":"completed","output":[],'
                 '"usage":{"input_tokens":11,"output_tokens":4,"total_tokens":15}}')
    assert weir.post("/v1/responses", {"model": "small", "input": "x"}).status == 200
    first, second = weir.wait_calls(2)
    assert tokens(first) == 8 and tokens(second) == 15
    assert "max_tokens" not in up.requests[0].json
    assert up.requests[1].json["max_output_tokens"] == 4096


def test_the_estimate_learns_from_the_usage_that_comes_back(weir, up):
    text = "word " * 2000
    up.script = usage('{"prompt_tokens":5000,"completion_tokens":1,"total_tokens":5001}')
    messages = [{"role": "user", "content": text}]
    reserved = []
    for _ in range(12):
        assert weir.chat(messages=messages, max_tokens=1).status == 200
    reserved = [c["reserved_tokens"] for c in weir.wait_calls(12)]
    assert reserved[0] < 3000 and reserved[-1] > 3500
