// Callers that leave, the judge's log, the end of the program, fast mode.
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>

#include "running_sim.hpp"

namespace weir::sim {
namespace {

using nlohmann::json;

class hang_up : public testing::Test {
 protected:
  hang_up() {
    std::remove(path_.c_str());
    options_.log = path_;
  }
  ~hang_up() override { std::remove(path_.c_str()); }

  [[nodiscard]] std::vector<json> lines() const {
    std::vector<json> out;
    std::ifstream file{path_};
    for (std::string line; std::getline(file, line);) out.push_back(json::parse(line));
    return out;
  }

  std::string path_{testing::TempDir() + "weir_sim_log_" +
                    testing::UnitTest::GetInstance()->current_test_info()->name() + ".jsonl"};
  sim_options options_{quick_options()};
};

TEST_F(hang_up, every_answer_has_a_line_with_what_was_really_produced) {
  const running_sim sim{options_};
  sim.chat(5, "", "X-Request-Id: one\r\n");
  sim.stream(3, "X-Request-Id: two\r\nX-Sim-Fault: overrun=2;no-usage\r\n");
  sim.stream(9, "X-Request-Id: three\r\nX-Sim-Fault: cut=4\r\n");
  sim.post("/v1/chat/completions", "{", "X-Request-Id: four\r\n");
  const auto all = lines();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[0]["id"], "one");
  EXPECT_EQ(all[0]["model"], "small");
  EXPECT_EQ(all[0]["prompt_tokens"], 8);
  EXPECT_EQ(all[0]["completion_tokens"], 5);
  EXPECT_EQ(all[0]["finish"], "length");
  EXPECT_LE(all[0]["start"].get<double>(), all[0]["end"].get<double>());
  EXPECT_EQ(all[1]["completion_tokens"], 5);
  EXPECT_EQ(all[2]["completion_tokens"], 4);
  EXPECT_EQ(all[2]["finish"], "cut");
  EXPECT_EQ(all[3]["completion_tokens"], 0);
  EXPECT_EQ(all[3]["finish"], "refused");
}

TEST_F(hang_up, a_caller_that_leaves_ends_its_sequence_and_is_booked_with_what_came_until_then) {
  options_.engine.step_base = 5ms;
  const running_sim sim{options_};
  for (const bool with_reset : {false, true}) {
    caller c{sim.port()};
    c.post("/v1/chat/completions", running_sim::chat_body(10'000, R"("stream":true)"));
    ASSERT_TRUE(c.read_until("\"content\":\" "));
    c.close(with_reset);
  }
  ASSERT_TRUE(sim.wait_for("aborted", 2));
  EXPECT_EQ(sim.stats()["running"], 0);
  EXPECT_EQ(sim.stats()["kv_usage"], 0.0);
  for (const auto& line : lines()) {
    EXPECT_EQ(line["finish"], "abort");
    EXPECT_GE(line["completion_tokens"], 2);
    EXPECT_LT(line["completion_tokens"], 10'000);
  }
}

TEST_F(hang_up, a_caller_of_a_whole_answer_may_leave_too) {
  options_.engine.step_base = 20s;
  const running_sim sim{options_};
  caller c{sim.port()};
  c.post("/v1/chat/completions", running_sim::chat_body(10));
  ASSERT_TRUE(sim.wait_for("running", 1));
  c.close();
  EXPECT_TRUE(sim.wait_for("aborted", 1));
  EXPECT_EQ(sim.stats()["running"], 0);
}

TEST_F(hang_up, a_deaf_engine_goes_on_to_the_end_and_books_it_all) {
  const running_sim sim{options_};
  for (const auto* more : {R"("stream":true)", ""}) {
    caller c{sim.port()};
    c.post("/v1/chat/completions", running_sim::chat_body(60, more), "X-Sim-Fault: deaf\r\n");
    ASSERT_TRUE(sim.wait_for("running", 1));
    c.close(true);
    ASSERT_TRUE(sim.wait_for("open", 0));
  }
  EXPECT_EQ(sim.stats()["deaf"], 2);
  const auto all = lines();
  ASSERT_EQ(all.size(), 2U);
  for (const auto& line : all) {
    EXPECT_EQ(line["completion_tokens"], 60);
    EXPECT_EQ(line["finish"], "length");
  }
}

TEST_F(hang_up, the_end_of_the_program_books_what_was_running) {
  options_.engine.step_base = 5ms;
  caller* c = nullptr;
  std::unique_ptr<caller> held;
  {
    const running_sim sim{options_};
    held = std::make_unique<caller>(sim.port());
    c = held.get();
    c->post("/v1/chat/completions", running_sim::chat_body(10'000, R"("stream":true)"));
    ASSERT_TRUE(c->read_until("\"content\":\" "));
  }
  EXPECT_FALSE(c->read().complete);
  ASSERT_EQ(lines().size(), 1U);
  EXPECT_EQ(lines()[0]["finish"], "cut");
  EXPECT_GE(lines()[0]["completion_tokens"], 2);
}

TEST_F(hang_up, a_reset_brings_back_the_answers_of_the_beginning) {
  const running_sim sim{options_};
  const auto ask = [&] { return sim.chat(6).json()["choices"]; };
  const auto first = ask();
  EXPECT_NE(ask(), first);
  sim.post("/sim/reset", "");
  EXPECT_EQ(sim.stats()["requests"], 0);
  EXPECT_EQ(ask(), first);
}

TEST_F(hang_up, fast_mode_gives_everybody_the_same_tokens_and_counts_them) {
  options_.fast = true;
  options_.fast_tokens = 12;
  options_.fast_burst = 5;
  const running_sim sim{options_};
  const auto whole = sim.chat(3, "", "X-Request-Id: w\r\n").json();
  EXPECT_EQ(whole["usage"]["completion_tokens"], 12);
  const auto stream = sim.stream(3);
  EXPECT_TRUE(stream.complete);
  EXPECT_EQ(content_events(stream), 12);
  EXPECT_EQ(events_of(stream).back(), "[DONE]");
  EXPECT_NE(stream.body.find("\"completion_tokens\":12"), std::string::npos);
  EXPECT_EQ(sim.chat(3, R"("stream": true)").body.find("usage"), std::string::npos);
  EXPECT_EQ(sim.chat(3, "", "X-Sim-Fault: status=500\r\n").status, 500);
  EXPECT_EQ(sim.stats()["completion_tokens"], 36);
  ASSERT_EQ(lines().size(), 4U);
  EXPECT_EQ(lines()[0]["id"], "w");
  EXPECT_EQ(lines()[0]["completion_tokens"], 12);
}

TEST_F(hang_up, fast_mode_answers_http_1_0_without_chunks) {
  options_.fast = true;
  const running_sim sim{options_};
  caller c{sim.port()};
  const auto body = running_sim::chat_body(1, R"("stream":true)");
  c.send("POST /v1/chat/completions HTTP/1.0\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body);
  EXPECT_TRUE(c.read_until("data: [DONE]\n\n"));
  EXPECT_EQ(c.pending().find("Transfer-Encoding"), std::string::npos);
  EXPECT_NE(c.pending().find("\r\n\r\ndata: {"), std::string::npos);
}

TEST_F(hang_up, options_that_make_no_sense_stop_it_before_it_listens) {
  const auto refusal = [](auto change) {
    sim_options o = quick_options();
    change(o);
    const auto started = sim_service::start(o);
    return started ? std::string{"started"} : started.error().message;
  };
  EXPECT_NE(refusal([](auto& o) { o.listen = "nonsense"; }).find("--listen"), std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.models.clear(); }).find("--model"), std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.engine.kv_blocks = 1; }).find("--kv-blocks"),
            std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.log = "/nowhere/x"; }).find("--log"), std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.faults = "mud"; }).find("--faults"), std::string::npos);
  EXPECT_NE(refusal([](auto& o) { o.fast_tokens = 0; }).find("--fast-tokens"), std::string::npos);
}

}  // namespace
}  // namespace weir::sim
