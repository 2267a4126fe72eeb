// Who shares a limit.
#include <array>
#include <fmt/format.h>
#include <utility>

#include "config/diagnostic.hpp"
#include "config/limit_words.hpp"
#include "config/nearest.hpp"

namespace weir::config {

namespace {

using member = std::pair<std::string_view, bool limit_scope::*>;

constexpr std::array<member, 8> members{{{"user", &limit_scope::user},
                                         {"tier", &limit_scope::tier},
                                         {"api_key", &limit_scope::api_key},
                                         {"address", &limit_scope::address},
                                         {"session", &limit_scope::session},
                                         {"endpoint", &limit_scope::endpoint},
                                         {"model", &limit_scope::model},
                                         {"provider", &limit_scope::provider}}};

result<void> add_member(limit_scope& scope, std::string_view word) {
  std::vector<std::string_view> names;
  for (const auto& [name, field] : members) {
    if (name == word && scope.*field) return fail(fmt::format("'{}' stands twice in 'per'", word));
    if (name == word) {
      scope.*field = true;
      return {};
    }
    names.push_back(name);
  }
  return fail(fmt::format("expected one or more of {}, joined by 'and', found {}{}",
                          fmt::join(names, ", "), quoted(word), did_you_mean(word, names)));
}

}  // namespace

result<limit_scope> parse_scope(const std::vector<std::string>& words) {
  limit_scope scope;
  bool expects_member = true;
  for (const auto& word : words) {
    const bool joins = word == "and" || word == ",";
    if (joins == expects_member) {
      return fail(
          fmt::format("{} was not expected here; write 'per user and model'", quoted(word)));
    }
    if (!joins) {
      if (auto added = add_member(scope, word); !added) return added.error();
    }
    expects_member = joins;
  }
  if (expects_member)
    return fail("the scope after 'per' is incomplete; write 'per user and model'");
  return scope;
}

limit_scope default_scope(limit_home home) {
  switch (home) {
    case limit_home::tier:
    case limit_home::route:
      return {.user = true};
    case limit_home::session:
      return {.session = true};
    case limit_home::model:
      return {.model = true};
    case limit_home::team:
      return {};
  }
  return {};
}

}  // namespace weir::config
