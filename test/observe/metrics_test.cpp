// What the metrics count and how several threads' become one.
#include "observe/metrics.hpp"

#include "observe/exposition_reader.hpp"
#include "observe/process.hpp"

namespace weir::observe {
namespace {

auto samples(const metrics& m) { return samples_of(m.copy().exposition()); }

TEST(counters, add_up_per_series) {
  metrics m;
  m.add(family::refusals, {"rate_limit_exceeded", "tiers.FREE.limits[0]", "user"});
  m.add(family::refusals, {"rate_limit_exceeded", "tiers.FREE.limits[0]", "user"}, 2);
  m.add(family::refusals, {"rate_limit_exceeded", "tiers.FREE.limits[1]", "user"});
  const auto seen = samples(m);
  EXPECT_EQ(seen.at(R"(weir_refusals_total{reason="rate_limit_exceeded",)"
                    R"(rule="tiers.FREE.limits[0]",scope="user"})"),
            "3");
  EXPECT_EQ(seen.at(R"(weir_refusals_total{reason="rate_limit_exceeded",)"
                    R"(rule="tiers.FREE.limits[1]",scope="user"})"),
            "1");
}

TEST(counters, whose_values_only_look_alike_when_joined_stay_apart) {
  metrics m;
  m.add(family::refusals, {"ab", "c", ""});
  m.add(family::refusals, {"a", "bc", ""}, 2);
  m.add(family::refusals, {"", "ab", "c"}, 3);
  const auto seen = samples(m);
  EXPECT_EQ(seen.at(R"(weir_refusals_total{reason="ab",rule="c"})"), "1");
  EXPECT_EQ(seen.at(R"(weir_refusals_total{reason="a",rule="bc"})"), "2");
  EXPECT_EQ(seen.at(R"(weir_refusals_total{rule="ab",scope="c"})"), "3");
}

TEST(gauges, go_up_and_down_and_can_be_set) {
  metrics m;
  m.add(family::inflight, {}, 1);
  m.add(family::inflight, {}, 1);
  m.add(family::inflight, {}, -1);
  m.set(family::limit_keys, {}, 7);
  m.set(family::limit_keys, {}, 5);
  EXPECT_EQ(samples(m).at("weir_inflight_requests"), "1");
  EXPECT_EQ(samples(m).at("weir_limit_keys"), "5");
}

TEST(series_handles, update_the_same_series_as_their_labels) {
  metrics m;
  const auto up = m.resolve(family::inflight_upstream, {"gpu"});
  const auto tokens = m.resolve(family::tokens, {"m", "prompt"});
  const auto gap = m.resolve(family::time_per_output_token, {"chat", "m", "gpu"});
  for (int i = 0; i < 100; ++i) m.add(family::tokens, {"m" + std::to_string(i), "prompt"}, 0);
  m.add(up, 3);
  m.add(tokens, 4);
  m.add(family::tokens, {"m", "prompt"}, 5);
  m.observe(gap, 2ms);
  const auto seen = samples(m);
  EXPECT_EQ(seen.at(R"(weir_inflight_upstream{provider="gpu"})"), "3");
  EXPECT_EQ(seen.at(R"(weir_tokens_total{model="m",kind="prompt"})"), "9");
  EXPECT_EQ(seen.at(R"(gen_ai_server_time_per_output_token_seconds_sum{gen_ai_operation_name=)"
                    R"("chat",gen_ai_request_model="m",gen_ai_provider_name="gpu"})"),
            "0.002");
}

TEST(declared_series, are_there_as_zero_before_anything_happens) {
  metrics m;
  m.declare(family::upstream_errors, {"gpu", "timeout"});
  m.declare(family::ttft, {"chat", "m", "gpu"});
  const auto seen = samples(m);
  EXPECT_EQ(seen.at(R"(weir_upstream_errors_total{provider="gpu",kind="timeout"})"), "0");
  EXPECT_EQ(seen.at(R"(gen_ai_server_time_to_first_token_seconds_count{gen_ai_operation_name=)"
                    R"("chat",gen_ai_request_model="m",gen_ai_provider_name="gpu"})"),
            "0");
  m.add(family::upstream_errors, {"gpu", "timeout"});
  m.declare(family::upstream_errors, {"gpu", "timeout"});
  EXPECT_EQ(samples(m).at(R"(weir_upstream_errors_total{provider="gpu",kind="timeout"})"), "1");
}

TEST(counters, without_labels_are_there_as_zero_from_the_start) {
  const auto seen = samples(metrics{});
  EXPECT_EQ(seen.at("weir_log_lines_lost_total"), "0");
  EXPECT_EQ(seen.at("weir_overhead_seconds_count"), "0");
  EXPECT_FALSE(seen.contains("weir_config_reload_success"));
}

TEST(histograms, count_a_value_on_a_bound_in_that_bucket) {
  metrics m;
  m.observe(family::overhead, {}, 10us);
  m.observe(family::overhead, {}, 11us);
  m.observe(family::overhead, {}, -5us);
  m.observe(family::overhead, {}, 1h);
  const auto seen = samples(m);
  EXPECT_EQ(seen.at(R"(weir_overhead_seconds_bucket{le="0.00001"})"), "2");
  EXPECT_EQ(seen.at(R"(weir_overhead_seconds_bucket{le="0.000025"})"), "3");
  EXPECT_EQ(seen.at(R"(weir_overhead_seconds_bucket{le="0.1"})"), "3");
  EXPECT_EQ(seen.at(R"(weir_overhead_seconds_bucket{le="+Inf"})"), "4");
  EXPECT_EQ(seen.at("weir_overhead_seconds_count"), "4");
  EXPECT_EQ(seen.at("weir_overhead_seconds_sum"), "3600.000021");
}

TEST(histograms, of_ratios_and_counts_show_their_own_units) {
  metrics m;
  m.observe(family::estimate_error, {"m"}, 1025);
  m.observe(family::token_usage, {"chat", "m", "p", "input"}, 17);
  const auto seen = samples(m);
  EXPECT_EQ(seen.at(R"(weir_estimate_error_ratio_bucket{model="m",le="1"})"), "0");
  EXPECT_EQ(seen.at(R"(weir_estimate_error_ratio_bucket{model="m",le="1.05"})"), "1");
  EXPECT_EQ(seen.at(R"(weir_estimate_error_ratio_sum{model="m"})"), "1.025");
  const std::string series =
      R"(gen_ai_operation_name="chat",gen_ai_request_model="m",gen_ai_provider_name="p",)"
      R"(gen_ai_token_type="input")";
  EXPECT_EQ(seen.at("gen_ai_client_token_usage_bucket{" + series + R"(,le="16"})"), "0");
  EXPECT_EQ(seen.at("gen_ai_client_token_usage_bucket{" + series + R"(,le="64"})"), "1");
}

// Case BC-135: buckets that end at 10 s show every long answer as 10 s.
TEST(histograms, tell_the_p95_of_answers_that_take_45_seconds) {
  metrics m;
  for (int i = 0; i < 100; ++i) m.observe(family::request_duration, {"chat", "m", "p", ""}, 45s);
  const auto p95 =
      histogram_quantile(0.95, m.copy().exposition(), "gen_ai_server_request_duration_seconds");
  EXPECT_GE(p95, 30);
  EXPECT_LE(p95, 60);
}

TEST(histograms, reach_as_far_as_models_are_slow) {
  EXPECT_EQ(buckets::duration.front(), 5'000);
  EXPECT_GE(buckets::duration.back(), 600'000'000);
  EXPECT_EQ(buckets::first_token.front(), 5'000);
  EXPECT_GE(buckets::first_token.back(), 120'000'000);
  EXPECT_EQ(buckets::token_gap.front(), 1'000);
  EXPECT_GE(buckets::token_gap.back(), 10'000'000);
  for (const auto& row : family_table) {
    EXPECT_TRUE(std::ranges::is_sorted(row.buckets, std::ranges::less_equal{})) << row.name;
    EXPECT_EQ(row.type == kind::histogram, !row.buckets.empty()) << row.name;
  }
}

TEST(status_labels, are_bounded) {
  EXPECT_EQ(status_label(100), "100");
  EXPECT_EQ(status_label(429), "429");
  EXPECT_EQ(status_label(599), "599");
  for (const int odd : {-1, 0, 99, 600, 200'000}) EXPECT_EQ(status_label(odd), "other");
}

TEST(process_figures, are_those_of_this_process) {
  metrics m;
  set_process_figures(m, wall_time{1'796'083'200'500'000us});
  const auto before = samples(m);
  EXPECT_GT(std::stoll(before.at("weir_process_resident_memory_bytes")), 1'000'000);
  EXPECT_GT(std::stod(before.at("weir_process_cpu_seconds_total")), 0);
  EXPECT_GT(std::stoll(before.at("weir_process_max_fds")), 3);
  EXPECT_EQ(before.at("weir_process_start_time_seconds"), "1796083200.5");
  const pipe_pair two_more;
  set_process_figures(m, wall_time{});
  EXPECT_EQ(std::stoll(samples(m).at("weir_process_open_fds")),
            std::stoll(before.at("weir_process_open_fds")) + 2);
}

}  // namespace
}  // namespace weir::observe
