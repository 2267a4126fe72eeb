// Each fault as it looks on the wire.
#include <gtest/gtest.h>
#include <zlib.h>

#include "running_sim.hpp"

namespace weir::sim {
namespace {

using nlohmann::json;

// The stream of a call with faults.
http_reply faulty(const running_sim& sim, std::string_view faults, std::int64_t tokens = 4) {
  return sim.stream(tokens, "X-Sim-Fault: " + std::string{faults} + "\r\n");
}

http_reply faulty_whole(const running_sim& sim, std::string_view faults) {
  return sim.chat(4, "", "X-Sim-Fault: " + std::string{faults} + "\r\n");
}

TEST(faulty_answers, a_status_has_the_shape_of_body_and_the_retry_after_that_were_asked_for) {
  const running_sim sim;
  const auto plain = faulty(sim, "status");
  EXPECT_EQ(plain.status, 503);
  EXPECT_EQ(plain.json()["error"]["code"], 503);
  const auto quota = faulty(sim, "status=429;body=quota;retry-after=Tue, 01 Dec 2026 12:00:05 GMT");
  EXPECT_EQ(quota.status, 429);
  EXPECT_EQ(quota.json()["error"]["code"], "insufficient_quota");
  EXPECT_EQ(quota.headers.at("retry-after"), "Tue, 01 Dec 2026 12:00:05 GMT");
  EXPECT_TRUE(faulty(sim, "status=404;body=ollama").json()["error"].is_string());
  EXPECT_EQ(faulty(sim, "status=502;body=html").headers.at("content-type"), "text/html");
  EXPECT_EQ(faulty(sim, "status=500;body=empty").body, "");
  EXPECT_EQ(sim.stats()["refused"], 5);
}

TEST(faulty_answers, an_unknown_fault_is_a_400_that_names_the_known_ones) {
  const running_sim sim;
  const auto reply = faulty(sim, "explode");
  EXPECT_EQ(reply.status, 400);
  EXPECT_NE(reply.error_message().find("slow-headers"), std::string::npos);
}

TEST(faulty_answers, an_overrun_produces_more_than_max_tokens_and_says_so) {
  const running_sim sim;
  const auto reply = faulty(sim, "overrun=5");
  EXPECT_EQ(content_events(reply), 9);
  EXPECT_NE(reply.body.find("\"completion_tokens\":9"), std::string::npos);
}

TEST(faulty_answers, a_delay_comes_before_the_head) {
  const running_sim sim;
  const net::system_clock time;
  const auto begin = time.mono();
  EXPECT_EQ(faulty(sim, "delay=120").status, 200);
  EXPECT_GE(time.mono() - begin, 120ms);
}

TEST(faulty_answers, a_hang_sends_nothing_and_ends_with_the_caller) {
  const running_sim sim;
  caller c{sim.port()};
  c.post("/v1/chat/completions", running_sim::chat_body(2), "X-Sim-Fault: hang\r\n");
  ASSERT_TRUE(sim.wait_for("open", 1));
  EXPECT_EQ(sim.chat(2).status, 200);
  EXPECT_FALSE(c.readable_now());
  c.close();
  EXPECT_TRUE(sim.wait_for("aborted", 1));
}

TEST(faulty_answers, a_stall_is_silent_after_so_many_tokens_until_a_reset) {
  const running_sim sim;
  caller c{sim.port()};
  c.post("/v1/chat/completions", running_sim::chat_body(9, R"("stream":true)"),
         "X-Sim-Fault: stall=2\r\n");
  ASSERT_TRUE(c.read_until("\"content\":\" "));  // the second token: the first has no blank
  EXPECT_EQ(sim.chat(20).status, 200);           // time for more than the rest of the stream
  EXPECT_FALSE(c.readable_now());
  EXPECT_EQ(sim.post("/sim/reset", "").status, 200);
  const auto reply = c.read();
  EXPECT_FALSE(reply.complete);
  EXPECT_EQ(content_events(reply), 2);
}

TEST(faulty_answers, a_cut_ends_without_the_final_chunk) {
  const running_sim sim;
  const auto reply = faulty(sim, "cut=3");
  EXPECT_EQ(reply.status, 200);
  EXPECT_FALSE(reply.complete);
  EXPECT_FALSE(reply.reset);
  EXPECT_EQ(content_events(reply), 3);
  EXPECT_EQ(reply.body.find("finish_reason\":\""), std::string::npos);
  EXPECT_EQ(sim.stats()["completion_tokens"], 3);
  EXPECT_EQ(sim.stats()["cut"], 1);
  const auto bare = faulty(sim, "cut=0");
  EXPECT_EQ(bare.status, 200);
  EXPECT_EQ(bare.body, "");
  const auto whole = faulty_whole(sim, "cut");
  EXPECT_FALSE(whole.complete);
  EXPECT_GT(whole.body.size(), 0U);
}

TEST(faulty_answers, a_reset_ends_with_rst) {
  const running_sim sim;
  const auto reply = faulty(sim, "reset=1");
  EXPECT_TRUE(reply.reset);
  EXPECT_FALSE(reply.complete);
}

TEST(faulty_answers, a_malformed_event_is_broken_json_in_an_otherwise_whole_stream) {
  const running_sim sim;
  const auto reply = faulty(sim, "malformed=2");
  const auto events = events_of(reply);
  EXPECT_EQ(std::ranges::count_if(events,
                                  [](const auto& e) { return e != "[DONE]" && !json::accept(e); }),
            1);
  EXPECT_FALSE(json::accept(events[3]));  // role and two tokens before it
  EXPECT_EQ(content_events(reply), 4);
  EXPECT_TRUE(reply.complete);
  EXPECT_TRUE(faulty_whole(sim, "malformed").json().is_discarded());
}

TEST(faulty_answers, usage_can_be_left_out_or_come_without_choices) {
  const running_sim sim;
  EXPECT_EQ(faulty(sim, "no-usage").body.find("usage"), std::string::npos);
  EXPECT_FALSE(faulty_whole(sim, "no-usage").json().contains("usage"));
  const auto events = events_of(faulty(sim, "bare-usage"));
  const auto usage = json::parse(events[events.size() - 2]);
  EXPECT_FALSE(usage.contains("choices"));
  EXPECT_EQ(usage["usage"]["completion_tokens"], 4);
}

TEST(faulty_answers, an_error_comes_in_band_first_or_after_tokens) {
  const running_sim sim;
  const auto first = faulty(sim, "error");
  EXPECT_EQ(first.status, 200);
  EXPECT_TRUE(first.complete);
  ASSERT_EQ(events_of(first).size(), 1U);
  EXPECT_TRUE(json::parse(events_of(first)[0]).contains("error"));
  const auto later = faulty(sim, "error=2");
  EXPECT_EQ(content_events(later), 2);
  EXPECT_TRUE(json::parse(events_of(later).back()).contains("error"));
  EXPECT_EQ(faulty_whole(sim, "error").status, 500);
  const auto response = sim.post("/v1/responses", R"({"model":"small","input":"hi","stream":true})",
                                 "X-Sim-Fault: error\r\n");
  EXPECT_EQ(response.body.find("event: error\n"), 0U);
}

TEST(faulty_answers, slow_headers_trickle_and_the_answer_is_whole_all_the_same) {
  const running_sim sim;
  caller c{sim.port()};
  c.post("/v1/chat/completions", running_sim::chat_body(2), "X-Sim-Fault: slow-headers=60000\r\n");
  ASSERT_TRUE(c.read_until("H"));
  EXPECT_EQ(sim.chat(20).status, 200);
  EXPECT_EQ(c.pending(), "H");
  EXPECT_FALSE(c.readable_now());
  const auto stream = faulty(sim, "slow-headers=0");
  EXPECT_TRUE(stream.complete);
  EXPECT_EQ(content_events(stream), 4);
  const auto whole = faulty_whole(sim, "slow-headers=0");
  EXPECT_TRUE(whole.complete);
  EXPECT_EQ(whole.json()["usage"]["completion_tokens"], 4);
}

TEST(faulty_answers, lines_can_end_with_crlf) {
  const running_sim sim;
  const auto reply = faulty(sim, "crlf");
  EXPECT_EQ(content_events(reply), 4);
  EXPECT_NE(reply.body.find("[DONE]\r\n\r\n"), std::string::npos);
  for (std::size_t at = 0; (at = reply.body.find('\n', at)) != std::string::npos; ++at)
    EXPECT_EQ(reply.body[at - 1], '\r');
}

TEST(faulty_answers, empty_data_and_comments_come_between_events) {
  const running_sim sim;
  const auto empty = faulty(sim, "empty-data");
  EXPECT_NE(empty.body.find("data: \n\n"), std::string::npos);
  EXPECT_NE(empty.body.find("data: \"\"\n\n"), std::string::npos);
  const auto commented = faulty(sim, "comments");
  EXPECT_EQ(commented.body.find(": "), 0U);
  EXPECT_EQ(content_events(commented), 4);
}

TEST(faulty_answers, a_redirect_leads_where_it_was_told) {
  const running_sim sim;
  const auto reply = faulty(sim, "redirect=http://127.0.0.1:9/x");
  EXPECT_EQ(reply.status, 307);
  EXPECT_EQ(reply.headers.at("location"), "http://127.0.0.1:9/x");
}

std::string inflated(const std::string& coded) {
  z_stream z{};
  EXPECT_EQ(inflateInit2(&z, 15 + 16), Z_OK);
  std::string out(1 << 20, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(coded.data()));
  z.avail_in = static_cast<uInt>(coded.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&z, Z_FINISH), Z_STREAM_END);
  out.resize(z.total_out);
  inflateEnd(&z);
  return out;
}

TEST(faulty_answers, gzip_codes_whole_answers_and_streams) {
  const running_sim sim;
  auto whole = faulty_whole(sim, "gzip");
  EXPECT_EQ(whole.headers.at("content-encoding"), "gzip");
  whole.body = inflated(whole.body);
  EXPECT_EQ(whole.json()["usage"]["completion_tokens"], 4);
  auto stream = faulty(sim, "gzip");
  stream.body = inflated(stream.body);
  EXPECT_EQ(content_events(stream), 4);
  EXPECT_TRUE(stream.complete);
}

TEST(faulty_answers, a_huge_event_has_as_many_bytes_as_asked_for) {
  const running_sim sim;
  const auto reply = faulty(sim, "huge-event=1500000");
  EXPECT_NE(reply.body.find(std::string(1'500'000, 'x')), std::string::npos);
  EXPECT_EQ(content_events(reply), 4);
  EXPECT_TRUE(reply.complete);
}

TEST(faulty_answers, the_end_mark_and_the_last_blank_line_can_be_missing) {
  const running_sim sim;
  const auto no_done = faulty(sim, "no-done");
  EXPECT_EQ(no_done.body.find("[DONE]"), std::string::npos);
  EXPECT_TRUE(no_done.complete);
  const auto open = faulty(sim, "unterminated");
  EXPECT_TRUE(open.complete);
  EXPECT_EQ(open.body.substr(open.body.size() - 2), "}\n");
}

TEST(faulty_answers, secrets_can_stand_in_the_head) {
  const running_sim sim;
  const auto reply = faulty(sim, "secret-headers");
  EXPECT_EQ(reply.headers.at("authorization"), "Bearer sk-up-SECRET");
  EXPECT_TRUE(reply.headers.contains("set-cookie"));
}

TEST(faulty_answers, a_kept_connection_can_be_closed_at_the_moment_of_reuse) {
  const running_sim sim;
  caller c{sim.port()};
  c.post("/v1/chat/completions", running_sim::chat_body(2), "X-Sim-Fault: close-keepalive\r\n");
  const auto first = c.read();
  EXPECT_EQ(first.status, 200);
  EXPECT_FALSE(first.headers.contains("connection"));
  EXPECT_FALSE(c.readable_now());
  c.post("/v1/chat/completions", running_sim::chat_body(2));
  EXPECT_EQ(c.read().status, 0);
  EXPECT_EQ(sim.stats()["requests"], 1);
}

TEST(faulty_answers, an_admin_call_sets_faults_for_the_next_requests) {
  const running_sim sim;
  EXPECT_EQ(sim.post("/sim/faults", R"({"faults":"status=500","count":2})").status, 200);
  EXPECT_EQ(sim.chat(2).status, 500);
  EXPECT_EQ(sim.chat(2, "", "X-Sim-Fault: status=418\r\n").status, 418);  // a header goes first
  EXPECT_EQ(sim.get("/sim/faults").json()["left"], 1);
  EXPECT_EQ(sim.chat(2).status, 500);
  EXPECT_EQ(sim.chat(2).status, 200);
  EXPECT_EQ(sim.post("/sim/faults", R"({"faults":"status=500"})").status, 200);
  EXPECT_EQ(sim.chat(2).status, 500);
  EXPECT_EQ(sim.post("/sim/reset", "").status, 200);
  EXPECT_EQ(sim.chat(2).status, 200);
  EXPECT_EQ(sim.post("/sim/faults", R"({"faults":"mud"})").status, 400);
  EXPECT_EQ(sim.post("/sim/faults", R"({"faults":"deaf","count":0})").status, 400);
}

}  // namespace
}  // namespace weir::sim
