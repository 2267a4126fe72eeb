// See embedded.hpp. A call locks the shards of its keys in order, evaluates all claims, and commits
// only if none refuses.
#include "store/embedded.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <stdexcept>

#include "policy/saturate.hpp"
#include "store/limit_table.hpp"
#include "store/spin_lock.hpp"

namespace weir::store {

namespace {

constexpr unsigned shard_bits = 6;
constexpr std::size_t shard_count = std::size_t{1} << shard_bits;  // a set of them is one word
constexpr std::size_t looks_per_call = 4;  // at idle entries in a shard that got a new one
// Of what an engine may report: tokens, and pico-units (a million of a currency).
constexpr std::int64_t max_real = std::int64_t{1} << 50;
constexpr std::int64_t max_cost = 1'000'000'000'000'000'000;

bool settles(policy::unit what) {
  return what == policy::unit::tokens || what == policy::unit::money;
}

std::size_t shard_of(key128 key) { return static_cast<std::size_t>(key.high >> (64 - shard_bits)); }

}  // namespace

struct alignas(64) embedded::shard {
  mutable spin_lock lock;
  limit_table table;
  std::int64_t open{0};
  std::int64_t held{0};
  std::uint64_t reserved{0};  // of units that do not add up: right modulo 2^64, and 0 at rest

  void count(policy::unit what, std::int64_t amount, std::int64_t admissions) {
    open += admissions;
    if (what == policy::unit::concurrent) held += amount;
    if (settles(what)) reserved += static_cast<std::uint64_t>(amount);
  }
};

// What is known of a claim between its evaluation and its commit.
struct embedded::candidate {
  shard* home;
  limit_table::slot* slot;
  std::int64_t amount;  // what the claim asks for, its part for the answer included
  std::int64_t before;  // what earlier claims of this call take from the same entry
  limit_table::place place;
  bool takes;
};

namespace {

// Locks a set of shards, lowest first, so that two calls never wait for each other.
template <class Shard>
class locked {
 public:
  locked(Shard* shards, std::uint64_t set) : shards_{shards}, set_{set} {
    for (std::uint64_t left = set_; left != 0; left &= left - 1) {
      shards_[std::countr_zero(left)].lock.lock();
    }
  }
  ~locked() {
    for (std::uint64_t left = set_; left != 0; left &= left - 1) {
      shards_[std::countr_zero(left)].lock.unlock();
    }
  }
  locked(const locked&) = delete;
  locked& operator=(const locked&) = delete;

 private:
  Shard* shards_;
  std::uint64_t set_;
};

// What earlier claims of this call on the same entry will have taken.
template <class Candidates>
std::int64_t taken_before(const Candidates& all, std::size_t i) {
  std::int64_t sum = 0;
  for (std::size_t j = 0; j < i; ++j) {
    if (all[j].slot == all[i].slot && all[j].takes)
      sum = policy::saturating_add(sum, all[j].amount);
  }
  return sum;
}

// What a claim asks for with an answer of so many tokens.
std::int64_t amount_with(const claim& c, std::int64_t output) {
  if (c.per_output == 0 || c.amount < 0) return c.amount;
  return policy::saturating_add(c.amount, policy::saturating_multiply(c.per_output, output));
}

// Of two refusals the one to tell: that which waiting does not help, else the longer wait.
bool worse(const verdict& a, const verdict& b) {
  if (a.never != b.never) return a.never;
  return a.wait > b.wait;
}

}  // namespace

embedded::embedded() : shards_{new shard[shard_count]} {}
embedded::~embedded() = default;

void embedded::admit_now(std::span<const claim> claims, output_range output, instant now,
                         admission& out) {
  if (claims.size() > max_claims) throw std::logic_error{"a call with more than 32 claims"};
  out.allowed = true;
  out.refused = admission::none;
  out.at = now;
  out.verdicts.resize(claims.size());

  std::uint64_t set = 0;
  for (const claim& c : claims) set |= std::uint64_t{1} << shard_of(c.key);
  const locked<shard> hold{shards_.get(), set};

  candidates all;  // NOLINT(cppcoreguidelines-pro-type-member-init): only what is set is read
  const std::uint64_t grown = find(claims, now, all);
  out.output = affordable(claims, output, now, all);
  const std::size_t taking = evaluate(claims, now, all, out);
  out.held = out.allowed ? grant{taking} : grant{};
  if (out.allowed) commit(claims, now, all, out);
  // Only now may entries go: the candidates pointed at some.
  for (std::uint64_t left = grown; left != 0; left &= left - 1) {
    shards_[std::countr_zero(left)].table.sweep(now, looks_per_call);
  }
}

// Finds the entries of all claims or makes them. Returns the set of shards with new ones.
std::uint64_t embedded::find(std::span<const claim> claims, instant now, candidates& all) {
  std::uint64_t grown = 0;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    all[i].home = &shards_[shard_of(claims[i].key)];
    all[i].home->table.prefetch(claims[i].key);
  }
  for (std::size_t i = 0; i < claims.size(); ++i) {
    all[i].place = all[i].home->table.guess(claims[i].key);
  }
  for (std::size_t i = 0; i < claims.size(); ++i) {
    candidate& found = all[i];
    limit_table& table = found.home->table;
    found.place = table.find(claims[i].key, found.place);
    // An earlier claim of this call may have made it since the guess.
    if (found.place == limit_table::nowhere) [[unlikely]] {
      if (grown != 0) found.place = table.find(claims[i].key);
      if (found.place == limit_table::nowhere) {
        found.place = table.insert(claims[i].key, *claims[i].rule, now);
        grown |= std::uint64_t{1} << shard_of(claims[i].key);
      }
    }
    found.slot = &table.at(found.place);
    found.slot->state.prefetch();
  }
  return grown;
}

// The longest answer that every claim that shrinks affords, within the range. Claims on one entry
// share what it has.
std::int64_t embedded::affordable(std::span<const claim> claims, output_range output, instant now,
                                  const candidates& all) {
  std::int64_t most = output.most;
  for (std::size_t i = 0; i < claims.size() && most > output.least; ++i) {
    const claim& asking = claims[i];
    if (!asking.shrinks || asking.manner != manner::enforce || asking.per_output <= 0) continue;
    std::int64_t fixed = 0;
    std::int64_t each = 0;
    for (std::size_t j = 0; j < claims.size(); ++j) {
      if (all[j].slot != all[i].slot) continue;
      fixed = policy::saturating_add(fixed, std::max<std::int64_t>(0, claims[j].amount));
      each = policy::saturating_add(each, claims[j].per_output);
    }
    policy::limit_state& state = all[i].slot->state;
    state.prepare(*asking.rule, now);
    const std::int64_t left = std::max<std::int64_t>(0, state.check(0, now).remaining - fixed);
    most = std::min(most, left / each);
  }
  return std::max(most, output.least);
}

// Asks all limits, takes nothing. Returns how many claims will take.
std::size_t embedded::evaluate(std::span<const claim> claims, instant now, candidates& all,
                               admission& out) {
  std::size_t taking = 0;
  std::uint64_t seen = 0;  // a bit per entry; entries that share one are looked at more closely
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const claim& c = claims[i];
    policy::limit_state& state = all[i].slot->state;
    state.prepare(*c.rule, now);
    const std::uint64_t bit = std::uint64_t{1} << (c.key.low & 63U);
    all[i].amount = amount_with(c, out.output);
    all[i].before = (seen & bit) != 0 ? taken_before(all, i) : 0;
    seen |= bit;
    const std::int64_t asked =
        c.amount < 0 ? c.amount : policy::saturating_add(all[i].before, all[i].amount);
    verdict& v = out.verdicts[i] = state.check(asked, now);
    all[i].takes = v.allowed || (c.manner == manner::soft && c.amount >= 0);
    taking += all[i].takes ? 1 : 0;
    if (v.allowed || c.manner != manner::enforce) continue;
    if (out.allowed || worse(v, out.verdicts[out.refused])) out.refused = i;
    out.allowed = false;
  }
  return taking;
}

void embedded::commit(std::span<const claim> claims, instant now, const candidates& all,
                      admission& out) {
  grant::item* item = out.held.items().data();
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (!all[i].takes) continue;
    const claim& c = claims[i];
    policy::limit_state& state = all[i].slot->state;
    const std::int64_t amount = all[i].amount;
    const policy::charged done = state.charge(amount, now);
    const std::int64_t taken = policy::saturating_add(all[i].before, amount);
    out.verdicts[i].remaining = std::max<std::int64_t>(0, out.verdicts[i].remaining - taken);
    out.verdicts[i].reset = done.reset;
    all[i].home->count(c.rule->unit(), amount, 1);
    const auto shard_number = static_cast<std::uint64_t>(all[i].home - shards_.get());
    *item++ = {shard_number << 32U | all[i].place,
               amount,
               done.stamp,
               state.how(),
               c.rule->unit(),
               c.currency};
  }
}

void embedded::settle_now(grant& held, usage real, instant now) {
  const grant done = std::move(held);
  const std::int64_t tokens = std::clamp<std::int64_t>(real.tokens, 0, max_real);
  for (const grant::item& item : done.items()) {
    shard& s = shards_[item.place >> 32U];
    const std::lock_guard hold{s.lock};
    policy::limit_state& state = s.table.at(static_cast<limit_table::place>(item.place)).state;
    std::int64_t used = item.taken;
    if (item.unit == policy::unit::tokens) used = tokens;
    if (item.unit == policy::unit::money)
      used = std::clamp<std::int64_t>(real.money[item.currency], 0, max_cost);
    if (item.unit == policy::unit::requests && real.requests <= 0) used = 0;
    state.settle(item.how, item.taken, used, item.stamp, now);
    s.count(item.unit, -item.taken, -1);
  }
}

verdict embedded::peek(const claim& asked, instant now) const {
  const shard& s = shards_[shard_of(asked.key)];
  const std::lock_guard hold{s.lock};
  const limit_table::place place = s.table.find(asked.key);
  if (place == limit_table::nowhere) {
    return policy::limit_state{*asked.rule, now}.check(asked.amount, now);
  }
  policy::limit_state& state = s.table.at(place).state;
  state.prepare(*asked.rule, now);
  return state.check(asked.amount, now);
}

std::size_t embedded::sweep(instant now, std::size_t budget) {
  // A share of the budget for each shard, at most so many cells under one lock.
  const std::size_t share = std::clamp<std::size_t>(budget / shard_count, 64, 1024);
  std::size_t dropped = 0;
  for (std::size_t i = 0; i < shard_count && budget > 0; ++i) {
    const std::size_t looks = std::min(budget, share);
    shard& s = shards_[next_swept_.fetch_add(1, std::memory_order_relaxed) % shard_count];
    const std::lock_guard hold{s.lock};
    dropped += s.table.sweep(now, looks);
    budget -= looks;
  }
  return dropped;
}

embedded_totals embedded::totals() const {
  embedded_totals sum;
  std::uint64_t reserved = 0;
  for (std::size_t i = 0; i < shard_count; ++i) {
    const shard& s = shards_[i];
    const std::lock_guard hold{s.lock};
    sum.entries += s.table.size();
    sum.open += s.open;
    sum.held += s.held;
    reserved += s.reserved;
  }
  sum.reserved = static_cast<std::int64_t>(reserved);
  return sum;
}

task<admission> embedded::admit(std::vector<claim> claims, output_range output, instant now) {
  admission out;
  admit_now(claims, output, now, out);
  co_return out;
}

task<void> embedded::settle(grant held, usage real, instant now) {
  settle_now(held, real, now);
  co_return;
}

}  // namespace weir::store
