// Takes a limit's text apart word by word; windows are in limit_window.cpp, scopes in
// limit_scope.cpp.
#include "config/limit_text.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sstream>

#include "config/diagnostic.hpp"
#include "config/limit_words.hpp"
#include "config/nearest.hpp"
#include "config/values.hpp"

namespace weir::config {

namespace {

// The words of a limit, still as text.
struct limit_words {
  std::string amount;
  std::string unit;
  std::string window;  // empty: none
  std::string algorithm;
  std::vector<std::string> per;
};

std::vector<std::string> split_words(std::string_view text) {
  std::string spaced;
  for (const char c : text) {
    if (c == ',' || c == '/') {
      spaced.append({' ', c, ' '});
    } else {
      spaced.push_back(c);
    }
  }
  std::istringstream stream{spaced};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

// `AMOUNT [UNIT] [/ WINDOW] [ALGORITHM] [per ...]`; a missing UNIT means requests.
result<limit_words> sort_words(std::string_view text) {
  const auto words = split_words(text);
  limit_words out;
  std::size_t i = 0;
  if (i < words.size()) out.amount = words[i++];
  out.unit = i < words.size() && words[i] != "/" ? words[i++] : "requests";
  if (i < words.size() && words[i] == "/") {
    if (i + 1 == words.size()) return fail("the window after the '/' is missing");
    out.window = words[i + 1];
    i += 2;
  }
  if (i < words.size() && words[i] != "per") out.algorithm = words[i++];
  if (i == words.size()) return out;
  if (words[i] != "per") return fail(fmt::format("{} was not expected here", quoted(words[i])));
  out.per.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
  if (out.per.empty()) return fail("the scope after 'per' is missing");
  return out;
}

bool is_currency(std::string_view word) {
  return word.size() == 3 && std::ranges::all_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
}

result<policy::unit> parse_unit(std::string_view word) {
  if (word == "requests" || word == "request") return policy::unit::requests;
  if (word == "tokens" || word == "token") return policy::unit::tokens;
  if (word == "concurrent") return policy::unit::concurrent;
  if (is_currency(word)) return fail(not_built(fmt::format("a limit in {}", word)));
  constexpr std::array<std::string_view, 3> units{"requests", "tokens", "concurrent"};
  return fail(fmt::format("expected requests, tokens or concurrent, found {}{}", quoted(word),
                          did_you_mean(word, units)));
}

result<std::int64_t> parse_amount(std::string_view word) {
  const auto amount = parse_integer(word);
  if (!amount) {
    return fail(
        "expected a limit such as '10 requests/min', '60000 tokens/min sliding_window' or "
        "'4 concurrent per user'");
  }
  if (*amount == 0) return fail("a limit of 0 lets nothing through; the least is 1");
  return *amount;
}

// One of two places may say it; both is a mistake.
result<std::string> said_once(const std::string& text, const std::string& key,
                              std::string_view what) {
  if (!text.empty() && !key.empty()) {
    return fail(fmt::format("the {0} stands in the limit and in '{0}:'; keep one", what));
  }
  return text.empty() ? key : text;
}

result<limit_scope> scope_of(const limit_words& words, const limit_draft& draft, limit_home home) {
  if (!words.per.empty() && !draft.per.empty()) {
    return fail("the scope stands in the limit and in 'per:'; keep one");
  }
  if (!words.per.empty()) return parse_scope(words.per);
  if (draft.per.empty()) return default_scope(home);
  std::vector<std::string> members;
  for (const auto& one : draft.per) {
    auto more = split_words(one);
    if (!members.empty() && !more.empty()) members.emplace_back("and");
    members.insert(members.end(), more.begin(), more.end());
  }
  return parse_scope(members);
}

}  // namespace

result<limit_settings> make_limit(const limit_draft& draft, limit_home home, std::string where) {
  const auto words = sort_words(draft.text);
  if (!words) return words.error();
  const auto amount = parse_amount(words->amount);
  if (!amount) return amount.error();
  const auto unit = parse_unit(words->unit);
  if (!unit) return unit.error();
  const auto algorithm = said_once(words->algorithm, draft.algorithm, "algorithm");
  if (!algorithm) return algorithm.error();

  policy::limit_spec spec{.amount = *amount, .unit = *unit};
  const bool for_life = home == limit_home::session && words->window.empty();
  if (auto set = set_window(spec, words->window, *algorithm, for_life); !set) return set.error();
  if (!draft.zone.empty() && spec.algorithm != policy::algorithm::calendar) {
    return fail("a zone goes with a calendar window such as /day; remove 'zone'");
  }
  if (!draft.zone.empty()) spec.zone = draft.zone;
  const auto scope = scope_of(*words, draft, home);
  if (!scope) return scope.error();
  auto rule = policy::limit_rule::make(spec);
  if (!rule) return rule.error();
  return limit_settings{.text = draft.text,
                        .where = std::move(where),
                        .rule = std::move(*rule),
                        .per = *scope,
                        .observe = draft.observe};
}

std::string not_built(std::string_view subject) {
  return fmt::format(
      "{} is part of weir's configuration but this version does not have it yet; remove it",
      subject);
}

}  // namespace weir::config
