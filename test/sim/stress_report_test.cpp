// The report as text, as JSON, and the live line.
#include "sim/stress_report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/stress_progress.hpp"
#include "sim/stress_run.hpp"

namespace weir::sim {
namespace {

call_outcome call_of(int status, microseconds latency) {
  call_outcome call;
  call.status = status;
  call.latency = latency;
  call.others_in_flight = 20;
  return call;
}

// 40 calls: 10 x 200, 24 x 429, 4 x 503, 2 lost.
stress_result sample() {
  stress_result ran{stress_tally{1, 16}, 3s, 3s, false};
  for (int n = 1; n <= 10; ++n) {
    call_outcome call = call_of(200, n * 10us);
    call.streamed = true;
    call.first_token = n * 1us;
    call.tokens = 3;
    ran.tally.add(call);
  }
  for (int n = 0; n < 24; ++n) {
    call_outcome call = call_of(429, 5us);
    call.retry_after = retry_after_state::good;
    call.retry_after_s = n + 1;
    ran.tally.add(call);
  }
  for (int n = 0; n < 4; ++n) ran.tally.add(call_of(503, 5us));
  call_outcome lost;
  lost.end = call_end::refused;
  ran.tally.add(lost);
  ran.tally.add(lost);
  return ran;
}

TEST(stress_report, json_holds_the_whole_report) {
  stress_options asked;
  asked.secret = "do-not-tell-this";
  const stress_result ran = sample();
  const std::string text = to_json(make_report(asked, ran));
  const auto told = nlohmann::json::parse(text);
  EXPECT_EQ(told["verdict"], "fail");
  EXPECT_EQ(told["sent"], 40);
  EXPECT_EQ(told["statuses"], (nlohmann::json{{"200", 10}, {"429", 24}, {"503", 4}}));
  EXPECT_DOUBLE_EQ(told["shares"]["429"], 0.6);
  EXPECT_DOUBLE_EQ(told["shares"]["transport_errors"], 0.05);
  EXPECT_DOUBLE_EQ(told["shares"]["other"], 0);
  EXPECT_EQ(told["transport_errors"]["refused"], 2);
  EXPECT_EQ(told["tokens_received"], 30);
  EXPECT_DOUBLE_EQ(told["latency_ms"]["p50"], 0.05);
  EXPECT_DOUBLE_EQ(told["latency_ms"]["p99"], 0.1);
  EXPECT_DOUBLE_EQ(told["ttft_ms"]["max"], 0.01);
  EXPECT_EQ(told["retry_after"]["429"]["min_s"], 1);
  EXPECT_EQ(told["retry_after"]["429"]["max_s"], 24);
  EXPECT_EQ(told["retry_after"]["503"]["missing"], 4);
  EXPECT_EQ(told["retry_after"]["503"]["min_s"], nullptr);
  EXPECT_EQ(told["steady"]["admitted_per_second"], nlohmann::json{10});
  ASSERT_EQ(told["checks"].size(), 9U);
  EXPECT_EQ(told["checks"][1]["name"], "transport");
  EXPECT_EQ(told["checks"][1]["state"], "fail");
  EXPECT_EQ(text.find(asked.secret), std::string::npos);
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(stress_report, text_shows_shares_percentiles_and_a_verdict_with_reasons) {
  const stress_options asked;
  const stress_result ran = sample();
  const std::string text = to_text(make_report(asked, ran), false);
  for (const char* part :
       {"429 refused", "60.00 %", "no answer: refused", "5.00 %", "p50 0.05 ms",
        "1 to 24 s, 0 without",
        "FAIL  transport    calls without an answer: 2 x connection refused", "VERDICT: FAIL\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(to_text(make_report(asked, ran), true).find("\x1b["), std::string::npos);
}

TEST(stress_report, the_live_line_shows_how_far_it_is) {
  const stress_result ran = sample();
  EXPECT_EQ(
      progress_line(ran.tally, {3s, 12s, 7, false}),
      "[#####...............] 3 of 12 s  40 sent  200 25.0 %  429 60.0 %  503 10.0 %  7 open");
  EXPECT_EQ(progress_line(stress_tally{1}, {99s, 12s, 0, false}).substr(0, 34),
            "[####################] 12 of 12 s ");
  EXPECT_NE(progress_line(ran.tally, {3s, 12s, 7, true}).find("\x1b[32m200"), std::string::npos);
}

}  // namespace
}  // namespace weir::sim
