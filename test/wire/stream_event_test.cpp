// What an event is, with counts: bytes that pass untouched can hide a reader that reads nothing.
#include "wire/stream_event.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace weir::wire {
namespace {

using kind = event_kind;

sse_event event_of(std::string_view data, std::string_view type = "") { return {data, type, true}; }

event_facts facts_of(std::string_view data, endpoint at = endpoint::chat,
                     std::string_view type = "") {
  usage known;
  return read_event(event_of(data, type), at, known);
}

std::string chunk(std::string_view choice, std::string_view more = "") {
  return R"({"id":"c1","object":"chat.completion.chunk","created":1,"model":"small","choices":[)" +
         std::string{choice} + "]" + std::string{more} + "}";
}

std::string delta(std::string_view members) {
  return chunk(R"({"index":0,"delta":{)" + std::string{members} + R"(},"finish_reason":null})");
}

TEST(stream_event, the_end_mark_may_have_blanks_around_it) {  // BC-010
  for (const std::string_view data : {"[DONE]", " [DONE]", "  [DONE]  ", "\t[DONE]"})
    EXPECT_EQ(facts_of(data).kind, kind::done) << data;
}

TEST(stream_event, empty_data_is_known_because_clients_die_of_it) {  // BC-003
  for (const std::string_view data : {"", " ", "\"\"", " \"\" "})
    EXPECT_EQ(facts_of(data).kind, kind::empty) << data;
}

TEST(stream_event, comments_are_nothing) {  // BC-001
  usage known;
  EXPECT_EQ(read_event({}, endpoint::chat, known).kind, kind::nothing);
  EXPECT_EQ(event_reader{}.read({}, endpoint::chat, known).kind, kind::nothing);
}

// BC-025
TEST(stream_event, the_first_token_is_the_first_of_anything_for_the_caller) {
  struct {
    std::string members;
    kind expected;
    std::int64_t bytes;
  } const rows[] = {
      {R"("role":"assistant")", kind::start, 0},
      {R"("role":"assistant","content":"")", kind::start, 0},
      {R"("role":"assistant","content":null)", kind::start, 0},
      {"", kind::start, 0},
      {R"("content":"Hi")", kind::content, 2},
      {R"("content":"a\n\u00e9")", kind::content, 4},
      {R"("reasoning_content":"Think")", kind::content, 5},
      {R"("reasoning":"Think")", kind::content, 5},
      {R"("refusal":"no")", kind::content, 2},
      {R"("tool_calls":[{"index":0,"id":"t1","type":"function","function":{"name":"save",)"
       R"("arguments":""}}])",
       kind::content, 4},
      {R"("tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}])", kind::content, 4},
      {R"("tool_calls":[{"index":0}])", kind::content, 0},
      {R"("tool_calls":[])", kind::start, 0},
      {R"("function_call":{"name":"f"})", kind::content, 1},
      {R"("audio":{"transcript":"hey"})", kind::content, 3},
      {R"("content":[{"type":"text","text":"abc"}])", kind::content, 3}};
  for (const auto& row : rows) {
    const auto facts = facts_of(delta(row.members));
    EXPECT_EQ(facts.kind, row.expected) << row.members;
    EXPECT_EQ(facts.content_bytes, row.bytes) << row.members;
    EXPECT_FALSE(facts.finish);
  }
}

TEST(stream_event, log_probabilities_are_no_content) {
  const auto facts = facts_of(
      chunk(R"({"index":0,"delta":{},"logprobs":{"content":[{"token":"a","text":"b","name":"c"}]},)"
            R"("finish_reason":null})"));
  EXPECT_EQ(facts.kind, kind::start);
  EXPECT_EQ(facts.content_bytes, 0);
}

TEST(stream_event, all_choices_count) {
  const auto facts =
      facts_of(chunk(R"({"index":0,"delta":{"content":"ab"}},{"index":1,"delta":{"content":"cde"},)"
                     R"("finish_reason":"stop"})"));
  EXPECT_EQ(facts.kind, kind::content);
  EXPECT_EQ(facts.content_bytes, 5);
  EXPECT_TRUE(facts.finish);
}

TEST(stream_event, completions_have_their_text_in_the_choice) {
  const auto facts =
      facts_of(chunk(R"({"index":0,"text":"Hi","finish_reason":null})"), endpoint::completions);
  EXPECT_EQ(facts.kind, kind::content);
  EXPECT_EQ(facts.content_bytes, 2);
  EXPECT_EQ(
      facts_of(chunk(R"({"index":0,"text":"","finish_reason":"length"})"), endpoint::completions)
          .kind,
      kind::finish);
}

// BC-009
TEST(stream_event, a_finish_reason_is_seen_with_and_without_usage) {
  usage known;
  const std::string data =
      chunk(R"({"index":0,"delta":{},"finish_reason":"stop"})",
            R"(,"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10})");
  const auto facts = read_event(event_of(data), endpoint::chat, known);
  EXPECT_EQ(facts.kind, kind::finish);
  EXPECT_TRUE(facts.finish);
  EXPECT_EQ(known.all(), 10);
}

// BC-012
TEST(stream_event, usage_without_choices_is_a_usage_event) {
  for (const std::string& data :
       {chunk("", R"(,"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10})"),
        std::string{
            R"({"id":"c1","usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}})"},
        std::string{R"({"usage":{"prompt_tokens":9,"completion_tokens":1},"choices":[]})"}}) {
    usage known;
    EXPECT_EQ(read_event(event_of(data), endpoint::chat, known).kind, kind::usage_only) << data;
    EXPECT_EQ(known.all(), 10) << data;
  }
  EXPECT_EQ(facts_of(chunk("", R"(,"usage":null)")).kind, kind::start);
  EXPECT_EQ(facts_of(chunk("", R"(,"prompt_filter_results":[])")).kind, kind::start);
}

// BC-013
TEST(stream_event, running_totals_are_never_added_up) {
  usage known;
  event_reader reader;
  for (int i = 1; i <= 3; ++i) {
    const std::string data =
        chunk(R"({"index":0,"delta":{"content":"a"},"finish_reason":null})",
              R"(,"usage":{"prompt_tokens":12,"completion_tokens":)" + std::to_string(i) + "}");
    EXPECT_EQ(reader.read(event_of(data), endpoint::chat, known).kind, kind::content);
    EXPECT_EQ(known.prompt, 12);
    EXPECT_EQ(known.completion, i);
  }
  const std::string last = chunk("", R"(,"usage":null)");
  reader.read(event_of(last), endpoint::chat, known);
  EXPECT_EQ(known.all(), 15) << "null is no news";
}

// BC-015, BC-016
TEST(stream_event, errors_are_known_in_every_shape) {
  for (const std::string_view data :
       {R"({"error":{"message":"overloaded","code":"server_is_overloaded"}})",
        R"({"error":"text"})", R"({"object":"error","message":"bad","code":400})",
        R"({"choices":[],"error":true})"}) {
    EXPECT_EQ(facts_of(data).kind, kind::error) << data;
  }
  EXPECT_EQ(facts_of("going down", endpoint::chat, "error").kind, kind::error);
  for (const std::string_view value : {"null", "false", "\"\"", "0"}) {
    EXPECT_EQ(
        facts_of(chunk(R"({"delta":{"content":"x"}})", ",\"error\":" + std::string{value})).kind,
        kind::content)
        << value;
  }
  EXPECT_EQ(facts_of(delta(R"("content":"{\"error\":{}}")")).kind, kind::content);
}

TEST(stream_event, data_that_is_no_json_is_broken) {
  for (const std::string_view data :
       {"{\"choices\":[", "x", "{\"choices\":[{\"delta\":{\"content\":\"\xFF\"}}]}"}) {
    const auto facts = facts_of(data);
    EXPECT_EQ(facts.kind, kind::broken) << data;
    EXPECT_EQ(facts.content_bytes, 0) << data;
  }
}

// BC-027
TEST(stream_event, a_response_tells_its_outcome_in_its_last_event) {
  struct {
    std::string data;
    kind expected;
    bool finish;
  } const rows[] = {
      {R"({"type":"response.created","response":{"status":"in_progress","usage":null,)"
       R"("error":null}})",
       kind::start, false},
      {R"({"type":"response.in_progress","response":{}})", kind::start, false},
      {R"({"type":"response.output_item.added","item":{"content":[]}})", kind::start, false},
      {R"({"type":"response.output_text.delta","delta":"Hi"})", kind::content, false},
      {R"({"type":"response.reasoning_text.delta","delta":"Hm"})", kind::content, false},
      {R"({"type":"response.function_call_arguments.delta","delta":"{}"})", kind::content, false},
      {R"({"type":"response.output_text.done","text":"Hi"})", kind::start, false},
      {R"({"type":"response.completed","response":{"status":"completed"}})", kind::terminal, true},
      {R"({"type":"response.incomplete","response":{}})", kind::terminal, true},
      {R"({"type":"response.failed","response":{"error":{"code":"rate_limit_exceeded"}}})",
       kind::error, false},
      {R"({"type":"error","code":"server_error","message":"x"})", kind::error, false}};
  for (const auto& row : rows) {
    const auto facts = facts_of(row.data, endpoint::responses);
    EXPECT_EQ(facts.kind, row.expected) << row.data;
    EXPECT_EQ(facts.finish, row.finish) << row.data;
    EXPECT_EQ(facts.content_bytes, row.expected == kind::content ? 2 : 0) << row.data;
  }
}

TEST(stream_event, a_responses_usage_is_read_from_its_last_event) {
  usage known;
  const std::string data =
      R"({"type":"response.completed","sequence_number":9,"response":{"id":"r1",)"
      R"("output":[{"usage":{"input_tokens":7}}],)"
      R"("usage":{"input_tokens":100,"input_tokens_details":{"cached_tokens":40},)"
      R"("output_tokens":50,)"
      R"("output_tokens_details":{"reasoning_tokens":30},"total_tokens":150}}})";
  EXPECT_EQ(read_event(event_of(data), endpoint::responses, known).kind, kind::terminal);
  EXPECT_EQ(known.prompt, 100);
  EXPECT_EQ(known.completion, 50);
  EXPECT_EQ(known.total, 150);
  EXPECT_EQ(known.cached, 40);
  EXPECT_EQ(known.reasoning, 30);
}

TEST(stream_event, unbelievable_usage_is_told_and_changes_nothing) {
  usage known;
  known.completion = 7;
  const std::string data = chunk("", R"(,"usage":{"prompt_tokens":-5,"completion_tokens":1})");
  const auto facts = read_event(event_of(data), endpoint::chat, known);
  EXPECT_EQ(facts.kind, kind::usage_only);
  EXPECT_TRUE(facts.usage_invalid);
  EXPECT_EQ(known.completion, 7);
  EXPECT_EQ(known.prompt, std::nullopt);
}

// The quick way must find what the slow way finds, event by event.
TEST(event_reader, agrees_with_a_reader_without_memory) {
  std::vector<std::string> stream{delta(R"("role":"assistant","content":"")")};
  for (const std::string_view text :
       {"Hel", "lo", " w\\u00f6rld", "\xC3\xA9", "\\\"", "", "\\n", "a\\ud83d\\ude00", "x"}) {
    stream.push_back(delta(R"("content":")" + std::string{text} + "\""));
  }
  stream.push_back(delta(R"("content":"a"b")"));    // broken: a quote in the text
  stream.push_back(delta(R"("content":"a\")"));     // broken: the closing quote is escaped
  stream.push_back(delta(R"("content":"a\x")"));    // broken: an unknown escape
  stream.push_back(delta("\"content\":\"\xFF\""));  // broken: no UTF-8
  stream.push_back(delta("\"content\":\"\n\""));    // broken: a control character
  stream.push_back(delta(R"("content":"a","refusal":"b")"));
  stream.push_back(delta(R"("content":"a","content":"b")"));
  stream.push_back(delta(R"("content":"y"},"finish_reason":"stop","x":{"a":"b")"));
  stream.push_back(delta(R"("reasoning":"thinks")"));
  stream.push_back(delta(R"("reasoning":"more")"));
  stream.push_back(chunk(R"({"index":0,"delta":{"content":"z"},"finish_reason":"stop"})"));
  stream.push_back(chunk("", R"(,"usage":{"prompt_tokens":9,"completion_tokens":1})"));
  stream.push_back("[DONE]");
  usage slow_usage;
  usage quick_usage;
  event_reader reader;
  std::int64_t bytes = 0;
  for (const auto& data : stream) {
    const auto slow = read_event(event_of(data), endpoint::chat, slow_usage);
    const auto quick = reader.read(event_of(data), endpoint::chat, quick_usage);
    EXPECT_EQ(quick.kind, slow.kind) << data;
    EXPECT_EQ(quick.finish, slow.finish) << data;
    EXPECT_EQ(quick.content_bytes, slow.content_bytes) << data;
    bytes += quick.content_bytes;
  }
  EXPECT_EQ(quick_usage.all(), 10);
  EXPECT_EQ(slow_usage.all(), 10);
  EXPECT_EQ(bytes, 3 + 2 + 7 + 2 + 1 + 0 + 1 + 5 + 1 + 2 + 2 + 1 + 6 + 4 + 1);
}

TEST(event_reader, a_named_error_event_is_one_even_if_it_looks_like_content) {
  usage known;
  event_reader reader;
  const std::string data = delta(R"("content":"abc")");
  EXPECT_EQ(reader.read(event_of(data), endpoint::chat, known).kind, kind::content);
  EXPECT_EQ(reader.read(event_of(data, "error"), endpoint::chat, known).kind, kind::error);
  EXPECT_EQ(reader.read(event_of(data), endpoint::chat, known).kind, kind::content);
}

}  // namespace
}  // namespace weir::wire
