// Every option of weir, declared once: its name, type, default, range, whether it needs a restart,
// whether it is built, a sentence, and where its value goes. The loader, the check, the schema and
// docs/options.md come from these rows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "config/limit_text.hpp"
#include "config/settings.hpp"

namespace weir::config {

enum class kind : std::uint8_t {
  section,   // options under it, nothing of its own
  flag,      // true or false
  integer,   // a whole number
  text,      // any text
  name,      // letters, digits and . _ - : /, at most 64
  header,    // the name of an HTTP header
  secret,    // text that is never shown
  choice,    // one of some words
  duration,  // 500ms, 30s, 2m, 24h
  size,      // 20MiB
  address,   // HOST:PORT to listen at
  url,       // a backend's base URL
  provider,  // a model provider's base URL
  network,   // an address or a CIDR network
  origin,    // https://app.example
  limit,     // the notation of limits, short or long
};

// What the options of a section are written into.
using owner = std::variant<settings*, tier_settings*, team_settings*, route_settings*,
                           provider_settings*, model_settings*, target_settings*, limit_draft*>;

// A value that passed its own checks. A choice is the index of its word.
using value =
    std::variant<bool, std::int64_t, microseconds, std::string, address, url, limit_settings>;

// One row. In a path, `*` is any name of a map and `[]` any item of a list; a row whose path ends
// so is about the member. A row that has rows under it may be written as a section, and as a value
// too where it has a type.
struct option {
  std::string_view path;  // "server.max_body", "models.*.targets[]"
  kind type{kind::section};
  void (*assign)(const owner&, value){nullptr};              // stores a checked value
  owner (*open)(const owner&, const std::string&){nullptr};  // makes a member of a map or a list
  std::string_view fallback{};  // the default as it would be written; empty: none
  std::int64_t least{
      0};                // of an integer, a size in bytes, a duration in us; 1 of a text: not empty
  std::int64_t most{0};  // 0: unbounded
  std::string_view choices{};         // words with spaces between; (in brackets): not built yet
  std::string_view shorthand{};       // a member written as a bare value means this option of it
  limit_home home{limit_home::tier};  // of a limit
  kind member_name{kind::text};       // of the members of a map: kind::name or any text
  bool upper_case{false};             // a name, or a member's name, is taken in upper case
  bool required{false};               // its section cannot be without it
  bool restart{false};                // a reload does not change it
  bool built{true};                   // false: known, and refused by name
  std::string_view sentence{};
};

// All rows, in the order of the documentation; each section's own row stands before those under it.
[[nodiscard]] std::vector<option> all_options();

// The rows of a limit's long form, with paths from the limit: "per[]", "mode".
[[nodiscard]] std::vector<option> limit_options();

// docs/options.md and docs/schema.json (JSON Schema 2020-12), complete files.
[[nodiscard]] std::string options_markdown();
[[nodiscard]] std::string options_schema();

}  // namespace weir::config
