"""The real OpenAI clients, from PyPI and npm, unchanged but for their base URL. The npm ones run in
clients.mjs, which prints what each call came to as one JSON object.
"""
import json
import os
import pathlib
import subprocess

import openai
import pytest

import support
from support import settings, token
from upstream import ANSWER, STREAM, WHOLE

HERE = pathlib.Path(__file__).parent
EMBEDDING = ('@json 200 {"object":"list","data":[{"object":"embedding","index":0,'
             '"embedding":"AACAPwAAAEA="}],"model":"small","usage":{"prompt_tokens":3,"total_tokens":3}}')
COMPLETION = ('@json 200 {"id":"t1","object":"text_completion","created":1,"model":"small","choices":'
              '[{"index":0,"text":"Hi","finish_reason":"stop","logprobs":null}],'
              '"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}')
OUTPUT = ('"output":[{"type":"message","id":"m1","role":"assistant","status":"completed","content":'
          '[{"type":"output_text","text":"Hi","annotations":[]}]}]')
RESPONSE = ('{"id":"resp_1","object":"response","created_at":1,"status":"completed","model":"small",'
            f'{OUTPUT},"parallel_tool_calls":true,"tool_choice":"auto","tools":[],'
            '"usage":{"input_tokens":8,"input_tokens_details":{"cached_tokens":0},"output_tokens":2,'
            '"output_tokens_details":{"reasoning_tokens":0},"total_tokens":10}}')
RESPONSE_STREAM = "\n".join([
    "@sse",
    r'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":' +
    RESPONSE.replace('"completed"', '"in_progress"', 1) + r"}\n\n",
    r'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":1,"item_id":"m1","output_index":0,"content_index":0,"delta":"Hi","logprobs":[]}\n\n',
    r'event: response.completed\ndata: {"type":"response.completed","sequence_number":2,"response":' +
    RESPONSE + r"}\n\n", "@end"])


def play(request):
    """What a real engine answers, by path."""
    streamed = request.json.get("stream")
    return {"/v1/chat/completions": STREAM if streamed else WHOLE,
            "/v1/completions": COMPLETION, "/v1/embeddings": EMBEDDING,
            "/v1/responses": RESPONSE_STREAM if streamed else "@json 200 " + RESPONSE,
            }[request.target]


ENGINE_ERRORS = {
    "bad": (400, '{"error":{"message":"no","type":"invalid_request_error","param":"x","code":"context_length_exceeded"}}'),
    "missing": (404, '{"error":{"message":"no","type":"not_found","param":null,"code":null}}'),
    "busy": (503, '{"object":"error","message":"busy","type":"x","param":null,"code":503}'),
    "broken": (500, '{"error":{"message":"no","type":"server_error","param":null,"code":null}}'),
}


def play_errors(request):
    found = ENGINE_ERRORS.get(request.json["messages"][0]["content"])
    return f"@json {found[0]} {found[1]}" if found else WHOLE


def node(program, version, weir, key):
    env = os.environ | {"BASE_URL": f"http://127.0.0.1:{weir.port}/v1", "API_KEY": key,
                        "OPENAI_FROM": f"{support.NODE_MODULES}/{version}/index.mjs"}
    done = subprocess.run(["node", str(HERE / "clients.mjs"), program], env=env, timeout=120,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def client(weir, key=None, **more):
    return openai.OpenAI(base_url=f"http://127.0.0.1:{weir.port}/v1", api_key=key or token(),
                         **{"max_retries": 0} | more)


HELLO = [{"role": "user", "content": "hello"}]
EVERYTHING = {"chat": "Hi", "stream": "Hi", "usage": 10, "completion": "Hi", "embedding": [1.0, 2.0],
              "response": "Hi", "response_stream": "Hi", "models": ["large", "small"], "model": "small"}


def test_the_python_client_does_everything(weir, up):
    up.script = play
    api = client(weir)
    got = {
        "chat": api.chat.completions.create(model="small", messages=HELLO).choices[0].message.content,
        "completion": api.completions.create(model="small", prompt="hello").choices[0].text,
        "embedding": api.embeddings.create(model="small", input="hello").data[0].embedding,
        "response": api.responses.create(model="small", input="hello").output_text,
        "models": sorted(m.id for m in api.models.list()),
        "model": api.models.retrieve("small").id}
    chunks = list(api.chat.completions.create(model="small", messages=HELLO, stream=True))
    got["stream"] = "".join(c.choices[0].delta.content or "" for c in chunks)
    asked = list(api.chat.completions.create(model="small", messages=HELLO, stream=True,
                                             stream_options={"include_usage": True}))
    got["usage"] = asked[-1].usage.total_tokens
    events = api.responses.create(model="small", input="hello", stream=True)
    got["response_stream"] = "".join(e.delta for e in events
                                     if e.type == "response.output_text.delta")
    assert got == EVERYTHING
    assert all(c["outcome"] == "success" for c in weir.wait_calls(9))


@pytest.mark.parametrize("version", ["openai", "openai-7"])
def test_the_npm_clients_do_everything(weir, up, version):
    up.script = play
    assert node("everything", version, weir, token()) == EVERYTHING
    assert all(c["outcome"] == "success" for c in weir.wait_calls(9))


TYPED = {"bad": "BadRequestError", "missing": "NotFoundError", "busy": "InternalServerError",
         "broken": "InternalServerError", "key": "AuthenticationError", "model": "NotFoundError",
         "limit": "RateLimitError"}


@pytest.fixture
def limited(start, up):
    up.script = play_errors
    return start(settings(up, tiers={"FREE": {"limits": [
        {"limit": "6 requests/h", "algorithm": "sliding_window"}]}}))


def test_the_python_client_raises_its_own_errors(limited):
    api = client(limited)
    seen = {}

    def note(name, call):
        with pytest.raises(openai.APIStatusError) as caught:
            call()
        seen[name] = type(caught.value).__name__
        return caught.value
    for name in ENGINE_ERRORS:
        note(name, lambda: api.chat.completions.create(
            model="small", messages=[{"role": "user", "content": name}]))
    note("model", lambda: api.chat.completions.create(model="none", messages=HELLO))
    note("key", lambda: client(limited, "bad").chat.completions.create(model="small", messages=HELLO))
    for _ in range(2):
        api.chat.completions.create(model="small", messages=HELLO)
    error = note("limit", lambda: api.chat.completions.create(model="small", messages=HELLO))
    assert error.code == "rate_limit_exceeded" and error.type == "rate_limit_error"
    assert error.response.headers["x-should-retry"] == "false"
    assert seen == TYPED


@pytest.mark.parametrize("version", ["openai", "openai-7"])
def test_the_npm_clients_raise_their_own_errors(limited, version):
    got = node("errors", version, limited, token())
    assert got.pop("limit code") == "rate_limit_exceeded"
    assert got == TYPED


def short_limit(start, up):
    return start(settings(up, tiers={"FREE": {"limits": ["2 requests/2s sliding_window"]}}))


def test_the_python_client_waits_as_told_and_gets_through(start, up):
    api = client(short_limit(start, up), max_retries=2)
    for _ in range(3):
        answer = api.chat.completions.create(model="small", messages=HELLO)
        assert answer.choices[0].message.content == "Hi"
    assert len(up.requests) == 3


@pytest.mark.parametrize("version", ["openai", "openai-7"])
def test_the_npm_clients_wait_as_told_and_get_through(start, up, version):
    assert node("patience", version, short_limit(start, up), token()) == {"answers": 3}
    assert len(up.requests) == 3


@pytest.mark.parametrize("version", ["openai", "openai-7"])
def test_no_client_retries_where_waiting_is_too_long(limited, version):
    got = node("hopeless", version, limited, token())
    assert got == {"failed": "RateLimitError"}
    limited.wait_calls(7)
    assert [c["status"] for c in limited.calls] == [200] * 6 + [429]


def test_the_python_client_sees_an_error_in_a_stream_and_a_stream_that_broke(weir, up):
    api = client(weir)
    up.script = "@sse\n@role\n@txt Hi\n<sleep 50>\n<rst>"
    with pytest.raises(openai.APIError):
        list(api.chat.completions.create(model="small", messages=HELLO, stream=True))
    assert ANSWER and weir.last_call()["outcome"] == "upstream_truncated"


@pytest.mark.parametrize("version", ["openai", "openai-7"])
def test_the_npm_clients_see_a_stream_that_broke(weir, up, version):
    up.script = "@sse\n@role\n@txt Hi\n<sleep 50>\n<rst>"
    assert node("broken", version, weir, token()) == {"failed": True}
