"""SIGTERM: what runs may finish, nothing new begins, and the program ends by itself."""
import signal

import raw
from support import chat_body, eventually, settings, token

SLOW = "@sse\n<repeat 40 x50ms: @txt t>\n@stop\n@usage 9 40\n@done\n@end"


def test_bc_034_a_running_stream_ends_normally_and_new_calls_are_turned_away(start, up):
    weir = start(settings(up, server={"drain_timeout": "20s"}), threads=1)
    up.script = SLOW
    idle = raw.Connection(weir.port)
    with weir.begin_chat(stream=True) as line:
        line.read_until(b'"t"')
        weir.signal(signal.SIGTERM)
        eventually(lambda: weir.admin("GET", "/readyz").status == 503)
        try:
            idle.send(raw.request_bytes("POST", "/v1/chat/completions", chat_body(),
                                        {"Authorization": f"Bearer {token()}"}))
            refused = idle.answer()
            assert refused.status == 503 and refused.get("Connection") == "close"
        except (OSError, AssertionError) as error:
            assert "503" not in str(error), error  # or closed before the request came
        answer = line.answer()
    assert answer.complete and answer.events[-1] == "[DONE]"
    assert weir.process.wait(20) == 0
    weir.reader.join(5)
    call = next(c for c in weir.calls if c["status"] == 200)
    assert call["outcome"] == "success" and call["prompt_tokens"] + call["completion_tokens"] == 49


def test_bc_034_at_the_end_of_the_time_a_stream_ends_with_an_error(start, up):
    weir = start(settings(up, server={"drain_timeout": "500ms"}))
    up.script = "@sse\n<repeat 400 x50ms: @txt t>"
    with weir.begin_chat(stream=True) as line:
        line.read_until(b'"t"')
        weir.signal(signal.SIGTERM)
        answer = line.answer()
    assert not answer.complete and "shutting_down" in answer.events[-1]
    assert weir.process.wait(20) == 0
    weir.reader.join(5)
    assert weir.calls[-1]["outcome"] == "shutdown"


def test_an_idle_weir_stops_at_once_and_a_caller_that_is_idle_does_not_keep_it(weir):
    with raw.Connection(weir.port) as line:
        line.send(raw.request_bytes("GET", "/v1/models", None,
                                    {"Authorization": f"Bearer {token()}"})).answer("GET")
        assert weir.stop(15) == 0
    assert "weir has stopped" in weir.text
