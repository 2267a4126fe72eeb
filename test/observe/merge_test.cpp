// How the metrics of several threads become one answer to a scrape.
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <queue>
#include <thread>

#include "observe/exposition_reader.hpp"
#include "observe/metrics.hpp"

namespace weir::observe {
namespace {

TEST(merged_metrics, add_counters_histograms_and_parts_of_gauges) {
  metrics a;
  metrics b;
  a.add(family::tokens, {"m", "prompt"}, 1);
  b.add(family::tokens, {"m", "prompt"}, 2);
  b.add(family::tokens, {"m", "cached"}, 5);
  a.add(family::inflight, {}, 3);
  b.add(family::inflight, {}, 4);
  a.observe(family::overhead, {}, 10us);
  b.observe(family::overhead, {}, 1ms);
  auto all = a.copy();
  all.merge(b.copy());
  const auto seen = samples_of(all.exposition());
  EXPECT_EQ(seen.at(R"(weir_tokens_total{model="m",kind="prompt"})"), "3");
  EXPECT_EQ(seen.at(R"(weir_tokens_total{model="m",kind="cached"})"), "5");
  EXPECT_EQ(seen.at("weir_inflight_requests"), "7");
  EXPECT_EQ(seen.at("weir_overhead_seconds_count"), "2");
  EXPECT_EQ(seen.at("weir_overhead_seconds_sum"), "0.00101");
}

TEST(merged_metrics, show_what_all_threads_see_once_and_pessimistically) {
  metrics a;
  metrics b;
  a.set(family::provider_up, {"gpu"}, 1);
  b.set(family::provider_up, {"gpu"}, 0);
  b.set(family::provider_up, {"only-b"}, 1);
  a.set(family::provider_draining, {"gpu"}, 1);
  b.set(family::provider_draining, {"gpu"}, 0);
  a.set(family::build_info, {"0.1.0"}, 1);
  b.set(family::build_info, {"0.1.0"}, 1);
  auto all = a.copy();
  all.merge(b.copy());
  const auto seen = samples_of(all.exposition());
  EXPECT_EQ(seen.at(R"(weir_provider_up{provider="gpu"})"), "0");
  EXPECT_EQ(seen.at(R"(weir_provider_up{provider="only-b"})"), "1");
  EXPECT_EQ(seen.at(R"(weir_provider_draining{provider="gpu"})"), "1");
  EXPECT_EQ(seen.at(R"(weir_build_info{version="0.1.0"})"), "1");
}

TEST(merged_metrics, hold_no_more_series_than_one_thread_may) {
  metrics a{10};
  metrics b{10};
  for (int i = 0; i < 50; ++i) {
    a.add(family::would_refuse, {"a" + std::to_string(i)});
    b.add(family::would_refuse, {"b" + std::to_string(i)});
  }
  auto all = a.copy();
  all.merge(b.copy());
  std::int64_t series = 0;
  std::int64_t sum = 0;
  for (const auto& [name, value] : samples_of(all.exposition())) {
    if (!name.starts_with("weir_would_refuse_total")) continue;
    ++series;
    sum += std::stoll(value);
  }
  EXPECT_EQ(series, 10);
  EXPECT_EQ(sum, 100);
}

// A thread with metrics of its own that counts all the time and runs what is posted to
// it, as a worker's loop does.
class worker {
 public:
  ~worker() {
    post(std::nullopt);
    thread_.join();
  }
  void post(std::optional<std::function<void(metrics&)>> job) {
    const std::lock_guard lock{mutex_};
    jobs_.push(std::move(job));
  }

 private:
  void run() {
    metrics mine;
    const auto requests = mine.resolve(family::requests, {"/v1/", "m", "200", "success"});
    for (;;) {
      mine.add(requests);
      mine.observe(family::overhead, {}, 50us);
      std::unique_lock lock{mutex_};
      if (jobs_.empty()) continue;
      const auto job = std::move(jobs_.front());
      jobs_.pop();
      lock.unlock();
      if (!job) return;
      (*job)(mine);
    }
  }

  std::mutex mutex_;
  std::queue<std::optional<std::function<void(metrics&)>>> jobs_;
  std::thread thread_{[this] { run(); }};
};

TEST(merged_metrics, of_running_threads_are_consistent_in_each_scrape_and_never_fall) {
  std::vector<worker> workers(3);
  std::int64_t last = 0;
  for (int scrape = 0; scrape < 50; ++scrape) {
    std::vector<std::future<snapshot>> copies;
    for (auto& one : workers) {
      auto promise = std::make_shared<std::promise<snapshot>>();
      copies.push_back(promise->get_future());
      one.post([promise](metrics& mine) { promise->set_value(mine.copy()); });
    }
    auto all = copies[0].get();
    for (std::size_t i = 1; i < copies.size(); ++i) all.merge(copies[i].get());
    const auto seen = samples_of(all.exposition());
    const auto calls = std::stoll(
        seen.at(R"(weir_requests_total{route="/v1/",model="m",status="200",outcome="success"})"));
    EXPECT_GE(calls, last + 3);
    EXPECT_EQ(seen.at("weir_overhead_seconds_count"), std::to_string(calls));
    EXPECT_EQ(seen.at(R"(weir_overhead_seconds_bucket{le="+Inf"})"), std::to_string(calls));
    EXPECT_EQ(seen.at(R"(weir_overhead_seconds_bucket{le="0.00005"})"), std::to_string(calls));
    last = calls;
  }
}

}  // namespace
}  // namespace weir::observe
