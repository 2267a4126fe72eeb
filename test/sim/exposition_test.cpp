// The engine's metrics as text: names, labels, bounds, and what promtool says of them.
#include "sim/exposition.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace weir::sim {
namespace {

constexpr std::string_view model = "org/a\"b\\c";

engine used_engine() {
  engine_options o;
  o.max_num_queued_reqs = 1;
  o.max_num_seqs = 1;
  engine e{o};
  engine_work w;
  w.prompt_tokens = 10;
  w.max_tokens = 3;
  w.ignore_eos = true;
  for (int i = 0; i < 3; ++i) e.submit(w, mono_time{1s});
  std::vector<engine_event> events;
  while (e.next()) e.advance(*e.next(), events);
  return e;
}

std::string text() { return vllm_exposition(used_engine(), model, wall_time{1700000000500ms}); }

std::string value_of(const std::string& in, const std::string& series) {
  const auto at = in.find("\n" + series + " ");
  if (at == std::string::npos) return "absent";
  const auto from = at + series.size() + 2;
  return in.substr(from, in.find('\n', from) - from);
}

TEST(exposition, every_family_of_vllm_is_there_under_its_current_name) {
  std::set<std::string> families;
  std::istringstream lines{text()};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    std::string hash, keyword, name, kind;
    words >> hash >> keyword >> name >> kind;
    if (keyword == "TYPE") EXPECT_TRUE(families.insert(name + " " + kind).second) << name;
  }
  for (const auto* gauge :
       {"num_requests_running", "num_requests_waiting", "kv_cache_usage_perc", "cache_config_info"})
    EXPECT_TRUE(families.contains(std::string{"vllm:"} + gauge + " gauge")) << gauge;
  for (const auto* counter : {"prompt_tokens", "generation_tokens", "num_preemptions",
                              "request_success", "prefix_cache_queries", "prefix_cache_hits",
                              "corrupted_requests", "admission_rejections"}) {
    EXPECT_TRUE(families.contains(std::string{"vllm:"} + counter + "_total counter")) << counter;
    EXPECT_TRUE(families.contains(std::string{"vllm:"} + counter + "_created gauge")) << counter;
  }
  for (const auto* histogram :
       {"time_to_first_token_seconds", "inter_token_latency_seconds",
        "request_time_per_output_token_seconds", "e2e_request_latency_seconds",
        "request_queue_time_seconds", "request_inference_time_seconds",
        "request_prefill_time_seconds", "request_decode_time_seconds", "request_prompt_tokens",
        "request_generation_tokens", "request_params_max_tokens", "request_params_n",
        "iteration_tokens_total"})
    EXPECT_TRUE(families.contains(std::string{"vllm:"} + histogram + " histogram")) << histogram;
}

TEST(exposition, values_and_labels_are_those_of_the_engine) {
  const auto all = text();
  const std::string labels = R"(engine="0",model_name="org/a\"b\\c")";
  EXPECT_EQ(value_of(all, "vllm:prompt_tokens_total{" + labels + "}"), "20.0");
  EXPECT_EQ(value_of(all, "vllm:generation_tokens_total{" + labels + "}"), "6.0");
  EXPECT_EQ(value_of(all, "vllm:prompt_tokens_created{" + labels + "}"), "1700000000.5");
  EXPECT_EQ(value_of(all, "vllm:request_success_total{" + labels + R"(,finished_reason="length"})"),
            "2.0");
  EXPECT_EQ(value_of(all, R"(vllm:admission_rejections_total{model_name="org/a\"b\\c",)"
                          R"(reason="max_num_queued_reqs"})"),
            "1.0");
  EXPECT_EQ(value_of(all, "vllm:iteration_tokens_total_sum{" + labels + "}"), "24.0");
  EXPECT_EQ(value_of(all, "vllm:time_to_first_token_seconds_bucket{" + labels + R"(,le="0.01"})"),
            "1.0");
  EXPECT_EQ(value_of(all, "vllm:time_to_first_token_seconds_bucket{" + labels + R"(,le="2560.0"})"),
            "2.0");
  EXPECT_EQ(value_of(all, "vllm:e2e_request_latency_seconds_bucket{" + labels + R"(,le="7680.0"})"),
            "2.0");
  EXPECT_EQ(value_of(all, "vllm:request_params_n_bucket{" + labels + R"(,le="+Inf"})"), "2.0");
}

// promtool's complaints about a text, one a line; its parse errors among them.
std::string promtool(const std::string& exposition) {
  const std::string path = testing::TempDir() + "weir_sim_exposition.txt";
  std::ofstream{path} << exposition;
  FILE* pipe = ::popen(("promtool check metrics < " + path + " 2>&1").c_str(), "r");
  std::string out;
  char buffer[4096];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    out.append(buffer, got);
  ::pclose(pipe);
  std::remove(path.c_str());
  return out;
}

// vLLM's own names break two of promtool's rules, so these complaints and no others may come.
TEST(exposition, promtool_parses_it_and_minds_nothing_but_names_that_vllm_chose) {
  if (std::system("command -v promtool > /dev/null") != 0)
    GTEST_SKIP() << "needs promtool: apt-get install prometheus";
  for (const auto& exposition : {text(), dcgm_exposition(used_engine(), mono_time{1s})}) {
    std::istringstream lines{promtool(exposition)};
    for (std::string line; std::getline(lines, line);) {
      const bool chosen = line.find("should not contain ':'") != std::string::npos ||
                          line.find("vllm:iteration_tokens_total non-counter") == 0 ||
                          line.find("DCGM_FI_DEV_") == 0;
      EXPECT_TRUE(chosen) << line;
    }
  }
}

TEST(exposition, a_gpu_shows_how_busy_the_engine_is) {
  engine_options o;
  o.step_base = 500ms;
  o.prefill_tokens_per_second = 0;
  engine e{o};
  engine_work w;
  w.prompt_tokens = 16384;
  w.max_tokens = 1;
  e.submit(w, mono_time{1s});
  const auto busy = dcgm_exposition(e, mono_time{1500ms});
  const std::string labels =
      R"({gpu="0",UUID="GPU-51a0c0de-0000-0000-0000-000000000000",device="nvidia0",)"
      R"(modelName="Simulated GPU",hostname="sim"})";
  EXPECT_EQ(value_of(busy, "DCGM_FI_DEV_GPU_UTIL" + labels), "50");
  const auto used = std::stoi(value_of(busy, "DCGM_FI_DEV_FB_USED" + labels));
  EXPECT_EQ(used, 16384 + 7680 / 32);  // half the prompt in chunks of 8192: 512 of 16384 blocks
  EXPECT_EQ(used + std::stoi(value_of(busy, "DCGM_FI_DEV_FB_FREE" + labels)), 24576 - 512);
}

}  // namespace
}  // namespace weir::sim
