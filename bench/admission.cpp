// What one admission costs: six limits of a chat call decided together on the embedded store, keys
// and one clock read included. Prints `name: value` lines and writes them to
// build/bench/admission.json.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <malloc.h>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "net/system_clock.hpp"
#include "policy/limit.hpp"
#include "store/embedded.hpp"
#include "store/keys.hpp"

namespace {

using namespace weir;
using namespace std::chrono_literals;

constexpr std::size_t user_count = 10'000;
constexpr std::size_t model_count = 4;
constexpr std::int64_t plenty = 1'000'000'000;  // of what all users share
constexpr int rounds = 7;                       // the median of them is reported
constexpr std::size_t calls_per_round = 200'000;
constexpr std::size_t batch = 200;  // calls admitted, then settled, so that both are timed apart

policy::limit_rule rule(std::int64_t amount, policy::unit unit, policy::algorithm how) {
  policy::limit_spec spec{.amount = amount, .unit = unit, .algorithm = how, .window = 60s};
  return policy::limit_rule::make(spec).value();
}

// Amounts that admit every call here, and yet leave a user's entries in use from call to call.
struct limits {
  policy::limit_rule user = rule(10'000, policy::unit::requests, policy::algorithm::token_bucket);
  policy::limit_rule both = rule(9'000, policy::unit::requests, policy::algorithm::token_bucket);
  policy::limit_rule model = rule(plenty, policy::unit::requests, policy::algorithm::token_bucket);
  policy::limit_rule tokens =
      rule(20'000'000, policy::unit::tokens, policy::algorithm::token_bucket);
  policy::limit_rule sliding =
      rule(10'000, policy::unit::requests, policy::algorithm::sliding_window);
  policy::limit_rule at_once =
      rule(10'000, policy::unit::concurrent, policy::algorithm::concurrency);
};

struct scene {
  net::system_clock clock;
  store::key_hasher keys;
  store::embedded store;
  limits rules;
  std::vector<std::string> users;
  std::vector<std::string> models;
  key128 names[6];

  scene() {
    for (std::size_t i = 0; i < user_count; ++i)
      users.push_back("user-" + std::to_string(i * 7919));
    for (std::size_t i = 0; i < model_count; ++i) models.push_back("llama3.1:" + std::to_string(i));
    for (std::size_t i = 0; i < 6; ++i) names[i] = keys.value("limits[" + std::to_string(i) + "]");
  }
};

// One call as the gateway makes it: hash the values once, combine six keys, read the clock, decide.
void admit(scene& s, const std::string& user, const std::string& model, store::admission& out) {
  const key128 u = s.keys.value(user);
  const key128 m = s.keys.value(model);
  const key128 um[] = {u, m};
  const std::span<const key128> of_user{&um[0], 1};
  const std::span<const key128> of_model{&um[1], 1};
  const store::claim claims[] = {
      {&s.rules.user, s.keys.key(s.names[0], of_user), 1},
      {&s.rules.both, s.keys.key(s.names[1], um), 1},
      {&s.rules.model, s.keys.key(s.names[2], of_model), 1},
      {&s.rules.tokens, s.keys.key(s.names[3], of_user), 1200},
      {&s.rules.sliding, s.keys.key(s.names[4], of_user), 1},
      {&s.rules.at_once, s.keys.key(s.names[5], of_user), 1},
  };
  s.store.admit_now(claims, {}, s.clock.now(), out);
}

struct cost {
  double admit;   // ns per call
  double settle;  // ns per call
};

// Processor time of this thread in ns: waiting for a lock counts, other programs' turns don't.
double thread_ns() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

// Admits and settles `calls` calls of random users; counts any refusal in `refused`.
cost run(scene& s, std::uint32_t seed, std::size_t calls, std::size_t& refused) {
  std::minstd_rand random{seed};
  std::vector<store::admission> open(batch);
  std::vector<std::uint32_t> who(batch);
  cost sum{0, 0};
  for (std::size_t done = 0; done < calls; done += batch) {
    for (auto& w : who) w = static_cast<std::uint32_t>(random() % user_count);
    const double start = thread_ns();
    for (std::size_t i = 0; i < batch; ++i) {
      admit(s, s.users[who[i]], s.models[who[i] % model_count], open[i]);
    }
    const double admitted = thread_ns();
    const instant now = s.clock.now();
    for (auto& a : open) {
      refused += a.allowed ? 0 : 1;
      s.store.settle_now(a.held, {1, 800}, now);
    }
    const double settled = thread_ns();
    sum.admit += admitted - start;
    sum.settle += settled - admitted;
  }
  return {sum.admit / static_cast<double>(calls), sum.settle / static_cast<double>(calls)};
}

// Every key exists before anything is measured. Each user keeps to one model.
void warm_up(scene& s) {
  store::admission out;
  for (std::size_t i = 0; i < user_count; ++i) {
    admit(s, s.users[i], s.models[i % model_count], out);
    s.store.settle_now(out.held, {1, 800}, s.clock.now());
  }
}

// Several threads at once; ns per call of each, on average.
cost run_threads(scene& s, unsigned threads, std::size_t& refused) {
  std::vector<cost> costs(threads);
  std::vector<std::size_t> refusals(threads);
  std::vector<std::thread> all;
  for (unsigned t = 0; t < threads; ++t) {
    all.emplace_back([&, t] { costs[t] = run(s, t + 1, calls_per_round, refusals[t]); });
  }
  for (auto& t : all) t.join();
  cost mean{0, 0};
  for (unsigned t = 0; t < threads; ++t) {
    mean.admit += costs[t].admit / threads;
    mean.settle += costs[t].settle / threads;
    refused += refusals[t];
  }
  return mean;
}

// Heap memory of 100 000 token buckets, index and slack included, per bucket.
double bytes_per_key() {
  constexpr std::uint64_t keys = 100'000;
  const limits rules;
  const store::key_hasher hasher;
  const key128 name = hasher.value("limit");
  const std::size_t before = mallinfo2().uordblks;
  store::embedded filled;
  store::admission out;
  for (std::uint64_t i = 0; i < keys; ++i) {
    const key128 user = hasher.value(std::to_string(i));
    const store::claim one[] = {{&rules.user, hasher.key(name, {&user, 1}), 1}};
    filled.admit_now(one, {}, instant{}, out);
    filled.settle_now(out.held, {1, 0}, instant{});
  }
  return static_cast<double>(mallinfo2().uordblks - before) / static_cast<double>(keys);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

struct line {
  const char* name;
  double value;
};

void report(const std::vector<line>& lines) {
  std::filesystem::create_directories("build/bench");
  std::ofstream json{"build/bench/admission.json"};
  const char* before = "{";
  for (const line& l : lines) {
    std::printf("%s: %.1f\n", l.name, l.value);
    json << before << "\"" << l.name << "\":" << l.value;
    before = ",";
  }
  json << "}\n";
}

}  // namespace

int main() {
  scene s;
  std::size_t refused = 0;
  warm_up(s);
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<double> admit_one;
  std::vector<double> settle_one;
  std::vector<double> admit_all;
  for (int i = 0; i < rounds; ++i) {
    const cost one = run_threads(s, 1, refused);
    const cost all = run_threads(s, cores, refused);
    admit_one.push_back(one.admit);
    settle_one.push_back(one.settle);
    admit_all.push_back(all.admit);
  }
  const store::embedded_totals left = s.store.totals();
  const double admitted = median(admit_one);
  const double settled = median(settle_one);
  report({{"ns_per_decision", admitted},
          {"ns_settle", settled},
          {"ns_admit_and_settle", admitted + settled},
          {"ns_per_decision_all_threads", median(admit_all)},
          {"threads", static_cast<double>(cores)},
          {"entries", static_cast<double>(left.entries)},
          {"bytes_per_key", bytes_per_key()}});
  if (refused != 0 || left.open != 0) {
    std::fprintf(stderr, "admission: %zu calls refused and %lld claims left open; expected none\n",
                 refused, static_cast<long long>(left.open));
    return 1;
  }
  return 0;
}
