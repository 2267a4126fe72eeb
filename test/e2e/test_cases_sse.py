"""Streams, case by case (the BC numbers are those of the cases page): what engines really send, and
what reaches the caller, the log and the limits of it.
"""
import time

import pytest

import support
from support import eventually, settings

CONTENT = ('{"id":"c1","object":"chat.completion.chunk","created":1,"model":"small","choices":'
           '[{"index":0,"delta":{"content":"%s"},"finish_reason":null}]}')


def stream(weir, up, script, **fields):
    """Plays a script to one streamed call; the answer and its log record."""
    up.script = script
    answer = weir.chat(stream=True, **fields)
    return answer, weir.last_call()


def test_bc_001_heartbeats_are_comments_between_events_and_no_progress(start, up):
    weir = start(settings(up, server={"heartbeat": "300ms"}))
    answer, call = stream(weir, up, "@sse\n<sleep 700>\n@role\n<sleep 1000>\n@txt Hi\n@stop\n@done\n@end")
    text = answer.body.decode()
    lines = text.split("\n")
    assert answer.status == 200 and call["outcome"] == "success"
    assert len(answer.events) == 4
    assert text.startswith("data:"), "no heartbeat before the first upstream byte"
    assert sum(line.startswith(":") for line in lines) >= 2
    assert all(line == "" or line.startswith((":", "data:")) for line in lines)
    assert call["ttft_us"] >= 1_500_000


def test_bc_003_empty_data_does_not_reach_the_caller(weir, up):
    answer, call = stream(weir, up, r"""
@sse
@role
data:\n\n
data: ""\n\n
@txt Hi
@stop
@done
@end""")
    assert answer.status == 200 and call["outcome"] == "success"
    assert call["tokens_source"] == "estimate"
    assert all(event not in ("", '""') for event in answer.events)
    assert len(answer.events) == 4


def test_bc_004_every_line_end_is_understood_and_kept(weir, up):
    usage = ('{"id":"c1","object":"chat.completion.chunk","created":1,"model":"small","choices":[],'
             '"usage":{"prompt_tokens":7,"completion_tokens":1,"total_tokens":8}}')
    first = CONTENT % "A"
    answer, call = stream(weir, up, f"""
@sse
data: {first}\\r
<sleep 30>
\\n\\r
<sleep 30>
\\ndata: {usage}\\r\\r
data:[DONE]\\r\\n\\r\\n
@end""", stream_options={"include_usage": True})
    assert call["outcome"] == "success"
    assert (call["prompt_tokens"], call["completion_tokens"]) == (7, 1)
    assert call["tokens_source"] == "usage"
    assert answer.body == (f"data: {first}\r\n\r\ndata: {usage}\r\rdata:[DONE]\r\n\r\n").encode()


def test_bc_006_an_event_of_a_megabyte_and_a_half_passes_whole(weir, up):
    answer, call = stream(weir, up, r"""
@sse
data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"small","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"save","arguments":"<repeat x 1500000>"}}]},"finish_reason":null}]}\n\n
@usage 20 375000
@done
@end""")
    assert answer.status == 200 and answer.complete and call["outcome"] == "success"
    assert len(answer.body) > 1_500_000
    assert answer.body.count(b"x" * 1_500_000) == 1
    assert call["prompt_tokens"] + call["completion_tokens"] == 375_020


def test_bc_007_a_stream_without_line_ends_is_ended_in_bounded_memory(weir, up):
    weir.chat()
    before = weir.resident()
    up.script = "@sse\n@role\ndata: {\"id\":\"c1\"\n<repeat-write 512x65536 of 'a'>\n<close>"
    answer = weir.chat(stream=True)
    call = weir.last_call(2)
    assert call["outcome"] == "upstream_protocol_error"
    assert not answer.complete, "a broken stream must not look finished"
    assert b'"error"' in answer.body[-2000:]
    assert weir.resident() - before < 32
    eventually(lambda: up.open_connections <= 1)
    assert weir.nothing_held()


def test_bc_009_a_finish_reason_and_a_proper_end_are_success_without_done(weir, up):
    last = ('data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"small",'
            '"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],'
            '"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}')
    answer, call = stream(weir, up, f"@sse\n@role\n@txt Hi\n{last}\n@end")
    assert answer.complete and call["outcome"] == "success"
    assert (call["prompt_tokens"], call["completion_tokens"]) == (9, 1)
    assert answer.body.decode().endswith(last), "bytes pass unchanged"


def test_bc_010_done_with_blanks_ends_and_nothing_after_it_is_parsed(weir, up):
    answer, call = stream(weir, up, r"""
@sse
@txt Hi
@stop
data:   [DONE]  \n\n
: trailing comment\n\n
@end""")
    assert answer.status == 200 and answer.complete
    assert call["outcome"] == "success"


def test_bc_012_a_usage_chunk_without_choices_counts(weir, up):
    answer, call = stream(weir, up, r"""
@sse
@txt Hi
@stop
data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"small","usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}\n\n
@done
@end""")
    assert call["outcome"] == "success"
    assert call["prompt_tokens"] + call["completion_tokens"] == 10
    assert b'"usage"' not in answer.body, "the caller did not ask for it"


def test_a_usage_chunk_that_the_caller_asked_for_reaches_it(weir, up):
    answer, call = stream(weir, up, "@sse\n@txt Hi\n@stop\n@usage 9 1\n@done\n@end",
                          stream_options={"include_usage": True})
    assert b'"total_tokens": 10' in answer.body
    assert up.requests[0].json["stream_options"] == {"include_usage": True}
    assert call["tokens_source"] == "usage"


def test_bc_015_an_error_as_the_first_event_becomes_a_real_error(weir, up):
    """Without another target; the fallback is a later matter."""
    answer, call = stream(weir, up, r"""
@sse
data: {"error":{"message":"The server is overloaded","type":"service_unavailable_error","param":null,"code":"server_is_overloaded"}}\n\n
@end""")
    assert answer.status == 503 and answer.error["code"] == "server_is_overloaded"
    assert call["outcome"] == "upstream_error"


def test_bc_016_an_error_after_content_passes_and_nothing_is_faked(weir, up):
    answer, call = stream(weir, up, r"""
@sse
@role
@txt Hel
<sleep 100>
data: {"error":{"message":"overloaded","type":"server_error","param":null,"code":"server_is_overloaded"}}\n\n
@end""")
    assert answer.status == 200
    assert [e for e in answer.events if '"error"' in e] == [answer.events[-1]]
    assert b"[DONE]" not in answer.body
    assert call["outcome"] == "upstream_error" and len(up.requests) == 1
    assert call["completion_tokens"] >= 1, "what was delivered is charged"


def test_bc_018_a_stream_that_breaks_ends_with_an_error_and_not_properly(weir, up):
    answer, call = stream(weir, up, "@sse\n@role\n@txt The answer is\n<sleep 50>\n<rst>")
    assert answer.status == 200 and not answer.complete
    assert '"error"' in answer.events[-1] and b"[DONE]" not in answer.body
    assert sum('"role"' in e for e in answer.events) == 1
    assert call["outcome"] == "upstream_truncated" and len(up.requests) == 1


def test_a_body_cut_without_its_last_chunk_is_not_success(weir, up):
    answer, call = stream(weir, up, "@sse\n@role\n@txt Hi\n<close>")
    assert not answer.complete and call["outcome"] == "upstream_truncated"
    assert '"error"' in answer.events[-1]


def test_a_close_framed_stream_that_never_finished_is_not_success(weir, up):
    answer, call = stream(weir, up, (r"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
                                     "\n@role\n@txt Hi\n<close>"))
    assert not answer.complete and call["outcome"] == "upstream_truncated"


def test_a_close_framed_stream_that_finished_is_success(weir, up):
    answer, call = stream(weir, up, (r"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
                                     "\n@role\n@txt Hi\n@stop\n@usage 9 1\n@done\n<close>"))
    assert answer.complete and call["outcome"] == "success" and call["prompt_tokens"] == 9


def test_bc_024_a_caller_that_does_not_read_costs_no_memory_and_is_dropped(start, up):
    weir = start(settings(up, server={"write_timeout": "2s"}))
    weir.chat()
    before = weir.resident()
    up.script = "@sse\n@role\n<repeat-write 800x65536 of '@txt '>\n@done\n@end"
    with weir.begin_chat(stream=True, receive_buffer=4096) as line:
        line.read_until(b"\r\n\r\n")
        call = weir.last_call(2)
        assert weir.resident() - before < 16
    assert call["outcome"] == "client_slow"
    assert call["completion_tokens"] > 0
    eventually(lambda: up.hangups)


@pytest.mark.parametrize("kind, outcome", [
    ("response.completed", "success"), ("response.incomplete", "success"),
    ("response.failed", "upstream_error")])
def test_bc_027_the_terminal_event_of_a_response_tells_its_outcome(weir, up, kind, outcome):
    """Only the part without a fallback."""
    up.script = (
        r'@sse' '\n'
        r'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"r1","object":"response","status":"in_progress","model":"small","output":[],"usage":null}}\n\n' '\n'
        r'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","sequence_number":1,"delta":"Hi"}\n\n' '\n'
        '<sleep 100>\n'
        r'event: %s\ndata: {"type":"%s","sequence_number":2,"response":{"id":"r1","object":"response","status":"x","model":"small","error":{"code":"rate_limit_exceeded","message":"slow down"},"output":[],"usage":{"input_tokens":8,"output_tokens":2,"total_tokens":10}}}\n\n' '\n'
        r'@end') % (kind, kind)
    answer = weir.post("/v1/responses", {"model": "small", "input": "hello", "stream": True})
    call = weir.last_call()
    assert answer.status == 200 and len(answer.events) == 3
    assert call["outcome"] == outcome
    assert (call["prompt_tokens"], call["completion_tokens"]) == (8, 2)


def test_bc_027_a_response_that_fails_before_any_output_is_a_real_error(weir, up):
    up.script = (
        r'@sse' '\n'
        r'event: response.created\ndata: {"type":"response.created","sequence_number":0,"response":{"id":"r1","object":"response","status":"in_progress","model":"small","output":[],"usage":null}}\n\n' '\n'
        r'event: response.failed\ndata: {"type":"response.failed","sequence_number":1,"response":{"id":"r1","object":"response","status":"failed","model":"small","error":{"code":"rate_limit_exceeded","message":"slow down"},"output":[],"usage":null}}\n\n' '\n'
        r'@end')
    answer = weir.post("/v1/responses", {"model": "small", "input": "hello", "stream": True})
    assert answer.status >= 400 and answer.error["code"] == "rate_limit_exceeded"
    assert weir.last_call()["outcome"] == "upstream_error"


def test_streams_say_that_nothing_in_front_may_buffer_them(weir, up):
    answer, _ = stream(weir, up, "@sse\n@txt Hi\n@stop\n@done\n@end")
    assert answer.get("X-Accel-Buffering") == "no"
    assert answer.get("Content-Type").startswith("text/event-stream")


def test_events_arrive_while_the_engine_still_works(weir, up):
    up.script = "@sse\n@txt one\n<sleep 60000>"
    with weir.begin_chat(stream=True) as line:
        line.read_until(b"one")
        assert not weir.calls
    assert weir.last_call()["outcome"] == "client_gone"


def test_comments_and_unknown_fields_pass_byte_for_byte(weir, up):
    answer, _ = stream(weir, up, r"""
@sse
: hello\nid: 7\nretry: 100\nunknown: x\n
@txt Hi
@stop
@done
@end""")
    assert answer.body.startswith(b": hello\nid: 7\nretry: 100\nunknown: x\ndata: ")


def test_a_first_token_that_does_not_come_is_a_timeout(start, up):
    weir = start(settings(up, timeouts={"first_token": "500ms"}))
    up.script = "@sse\n@role\n<sleep 30000>"
    begun = time.monotonic()
    answer = weir.chat(stream=True)
    assert answer.status == 200 and not answer.complete or answer.status == 504
    assert time.monotonic() - begun < 15
    assert weir.last_call()["outcome"] == "upstream_timeout"
    eventually(lambda: up.hangups)


def test_a_gap_that_is_too_long_ends_the_stream_with_an_error(start, up):
    weir = start(settings(up, timeouts={"token_gap": "500ms"}))
    answer, call = stream(weir, up, "@sse\n@role\n@txt Hi\n<sleep 30000>")
    assert not answer.complete and "upstream_timeout" in answer.events[-1]
    assert call["outcome"] == "upstream_timeout"


def test_plain_chat_streams_as_v1_does_and_ends_with_a_flat_error(weir, up):
    body = {"model": "small", "message": "hello", "stream": True}
    up.script = "@sse\n@role\n@txt Hi\n@stop\n@done\n@end"
    assert weir.post("/api/v1/ai/chat", body).events[-1] == "[DONE]"
    up.script = "@sse\n@role\n@txt Hi\n<rst>"
    broken = weir.post("/api/v1/ai/chat", body)
    assert '"status":"error"' in broken.events[-1].replace(" ", "")
    assert support.json.loads(broken.events[-1])["error"] == "upstream_truncated"
