// A store as plain as can be: one map of limit states, one call after the other. And the comparison
// of another store with it over random calls, settlements and times.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "policy/limit_state.hpp"
#include "store/support.hpp"

namespace weir::store::test {

class reference_store {
 public:
  struct held {
    std::uint64_t key;
    std::int64_t taken, stamp;
    policy::algorithm how;
    policy::unit unit;
    std::uint8_t currency;
  };
  struct answer {
    bool allowed{true};
    std::int64_t output{0};
    std::vector<verdict> verdicts;
    std::vector<held> holds;
  };

  // The longest answer is found by trying one after the other.
  answer admit(const std::vector<claim>& claims, const std::vector<std::uint64_t>& keys,
               output_range output, instant now) {
    std::int64_t granted = output.most;
    while (granted > output.least && !affords(claims, keys, granted, now)) --granted;
    answer a;
    a.output = granted;
    std::map<std::uint64_t, std::int64_t> taken;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      const claim& c = claims[i];
      auto& state = states_.try_emplace(keys[i], *c.rule, now).first->second;
      state.prepare(*c.rule, now);
      const std::int64_t amount = c.amount + c.per_output * granted;
      verdict v = state.check(taken[keys[i]] + amount, now);
      if (v.allowed || c.manner == manner::soft) taken[keys[i]] += amount;
      if (!v.allowed && c.manner == manner::enforce) a.allowed = false;
      a.verdicts.push_back(v);
    }
    for (std::size_t i = 0; a.allowed && i < claims.size(); ++i) {
      const claim& c = claims[i];
      if (!a.verdicts[i].allowed && c.manner != manner::soft) continue;
      const std::int64_t amount = c.amount + c.per_output * granted;
      auto& state = states_.at(keys[i]);
      const policy::charged done = state.charge(amount, now);
      a.verdicts[i].remaining = state.check(0, now).remaining;
      a.verdicts[i].reset = done.reset;
      a.holds.push_back(
          {keys[i], amount, done.stamp, c.rule->algorithm(), c.rule->unit(), c.currency});
    }
    return a;
  }

  void settle(const std::vector<held>& holds, usage real, instant now) {
    for (const held& h : holds) {
      std::int64_t used = h.taken;
      if (h.unit == policy::unit::tokens) used = real.tokens;
      if (h.unit == policy::unit::money) used = real.money[h.currency];
      if (h.unit == policy::unit::requests && real.requests == 0) used = 0;
      states_.at(h.key).settle(h.how, h.taken, used, h.stamp, now);
    }
  }

 private:
  bool affords(const std::vector<claim>& claims, const std::vector<std::uint64_t>& keys,
               std::int64_t output, instant now) {
    std::map<std::uint64_t, std::int64_t> sum;
    for (std::size_t i = 0; i < claims.size(); ++i) {
      sum[keys[i]] += claims[i].amount + claims[i].per_output * output;
    }
    for (std::size_t i = 0; i < claims.size(); ++i) {
      const claim& c = claims[i];
      if (!c.shrinks || c.manner != manner::enforce || c.per_output == 0) continue;
      auto& state = states_.try_emplace(keys[i], *c.rule, now).first->second;
      state.prepare(*c.rule, now);
      if (sum[keys[i]] > state.check(0, now).remaining) return false;
    }
    return true;
  }

  std::map<std::uint64_t, policy::limit_state> states_;
};

inline std::string difference(const admission& seen, const reference_store::answer& right) {
  if (seen.allowed != right.allowed) return "allowed differs";
  if (seen.output != right.output) return "output differs";
  for (std::size_t i = 0; i < right.verdicts.size(); ++i) {
    const verdict& a = seen.verdicts[i];
    const verdict& b = right.verdicts[i];
    const std::string which = "of claim " + std::to_string(i);
    if (a.allowed != b.allowed || a.never != b.never) return "verdict " + which;
    if (a.limit != b.limit || a.remaining != b.remaining || a.used != b.used)
      return "what remains " + which;
    if (a.wait != b.wait || a.reset != b.reset) return "a time " + which;
  }
  return "";
}

// One rule per key, as a configuration has them; amounts small, so that refusals are frequent.
inline std::vector<policy::limit_rule> random_rules(std::mt19937& random) {
  std::vector<policy::limit_rule> rules;
  for (int i = 0; i < 12; ++i) {
    const policy::algorithm how = all_algorithms[random() % all_algorithms.size()];
    policy::unit unit = random() % 2 == 0 ? policy::unit::requests : policy::unit::tokens;
    if (how != policy::algorithm::token_bucket && random() % 3 == 0) unit = policy::unit::money;
    const std::int64_t amount =
        1 + static_cast<std::int64_t>(random() % 20) * (random() % 4 == 0 ? 400 : 1);
    rules.push_back(rule(amount, how, unit, microseconds{10 + random() % 200}));
  }
  return rules;
}

inline claim random_claim(std::mt19937& random, const policy::limit_rule& rule, std::uint64_t k) {
  claim c{&rule, key(k), static_cast<std::int64_t>(random() % 4)};
  if (random() % 5 == 0) c.manner = random() % 2 == 0 ? manner::observe : manner::soft;
  if (rule.unit() == policy::unit::tokens || rule.unit() == policy::unit::money) {
    c.per_output = static_cast<std::int64_t>(random() % 3);
    c.shrinks = random() % 2 == 0;
  }
  c.currency = static_cast<std::uint8_t>(k % max_currencies);
  return c;
}

// Key bases differ from seed to seed, so that one store serves all.
template <class Driver>
std::string differs_from_reference(Driver& driver, std::uint32_t seed, int calls) {
  std::mt19937 random{seed};
  const std::vector<policy::limit_rule> rules = random_rules(random);
  reference_store reference;
  std::vector<std::pair<grant, std::vector<reference_store::held>>> open;
  std::int64_t now = seed * 10 * minute;
  const auto settle = [&](std::size_t which) {
    usage real{random() % 4 == 0 ? 0 : 1, static_cast<std::int64_t>(random() % 30)};
    for (auto& cost : real.money) cost = static_cast<std::int64_t>(random() % 30);
    reference.settle(open[which].second, real, at(now));
    driver.settle(std::move(open[which].first), real, at(now));
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(which));
  };
  for (int call = 0; call < calls; ++call) {
    now += static_cast<std::int64_t>(random() % 3 == 0 ? random() % 40 : 0);
    std::vector<claim> claims;
    std::vector<std::uint64_t> keys;
    for (std::size_t i = 0, n = random() % 7; i < n; ++i) {
      const std::size_t which = random() % rules.size();
      keys.push_back(seed * 1000 + which);
      claims.push_back(random_claim(random, rules[which], keys.back()));
    }
    output_range output;
    if (random() % 2 == 0) output.most = static_cast<std::int64_t>(random() % 12);
    if (random() % 4 == 0) output.least = output.most / 2;
    admission seen = driver.admit(claims, output, at(now));
    reference_store::answer right = reference.admit(claims, keys, output, at(now));
    const std::string wrong = difference(seen, right);
    if (!wrong.empty()) return "call " + std::to_string(call) + ": " + wrong;
    if (seen.allowed) open.emplace_back(std::move(seen.held), std::move(right.holds));
    while (open.size() > 20 || (!open.empty() && random() % 3 == 0)) settle(random() % open.size());
  }
  while (!open.empty()) settle(0);
  return "";
}

}  // namespace weir::store::test
