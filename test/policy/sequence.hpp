// Property tests over random sequences of operations: thousands of seeds; a failing sequence is
// made as short as it gets and reported with its seed.
#pragma once

#include <cstdint>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace weir::policy::test {

enum class act : std::uint8_t {
  take,
  settle,
  peek
};

// take: n at t. settle: the (n modulo open ones)-th open admission, with `real` used, at t.
struct operation {
  act what;
  std::int64_t t;
  std::int64_t n;
  std::int64_t real;
};

inline std::string to_text(const std::vector<operation>& all) {
  std::ostringstream out;
  for (const operation& o : all) {
    const char* name = o.what == act::take ? "take" : o.what == act::settle ? "settle" : "peek";
    out << "  " << name << " n=" << o.n << " real=" << o.real << " t=" << o.t << '\n';
  }
  return out.str();
}

// Returns what is wrong, or nothing.
using property = std::function<std::string(const std::vector<operation>&)>;

// Leaves out operations as long as the property still fails.
inline std::vector<operation> shrunk(std::vector<operation> all, const property& holds) {
  for (bool shorter = true; shorter;) {
    shorter = false;
    for (std::size_t i = all.size(); i-- > 0;) {
      std::vector<operation> fewer = all;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      if (holds(fewer).empty()) continue;
      all = std::move(fewer);
      shorter = true;
    }
  }
  return all;
}

struct mix {
  std::int64_t amount;     // the limit: amounts go a little beyond it
  std::int64_t window;     // steps in time are fractions of it
  std::size_t length{60};  // operations
  bool settles{true};      // or takes and peeks only
};

// Time mostly advances, often not at all, and sometimes goes back.
inline std::vector<operation> random_sequence(std::uint32_t seed, const mix& m) {
  std::mt19937 random{seed};
  const auto below = [&](std::int64_t n) {
    return n <= 1 ? 0 : static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  std::vector<operation> all;
  std::int64_t t = 100 * m.window + below(m.window * 3);
  for (std::size_t i = 0; i < m.length; ++i) {
    const std::int64_t kind = below(10);
    if (kind < 5) t += below(m.window / 4 + 2);
    if (kind == 5) t -= below(m.window / 2 + 2);
    if (kind == 6) t += below(m.window * 3);
    const std::int64_t n = below(3) == 0 ? below(m.amount + m.amount / 8 + 2) : 1 + below(3);
    const std::int64_t real = below(3) == 0 ? below(m.amount + 2) : below(3);
    const std::int64_t dice = below(10);
    const act what = dice < 6 ? act::take : dice < 9 && m.settles ? act::settle : act::peek;
    all.push_back({what, t, n, real});
  }
  return all;
}

inline void expect_always(const mix& m, int sequences, const property& holds) {
  for (int seed = 1; seed <= sequences; ++seed) {
    const std::vector<operation> all = random_sequence(static_cast<std::uint32_t>(seed), m);
    if (holds(all).empty()) continue;
    const std::vector<operation> few = shrunk(all, holds);
    FAIL() << "amount " << m.amount << ", window " << m.window << ", seed " << seed << ": "
           << holds(few) << "\n"
           << to_text(few);
  }
}

}  // namespace weir::policy::test
