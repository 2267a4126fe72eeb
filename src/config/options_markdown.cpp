// docs/options.md, from the option table.
#include <fmt/format.h>

#include "config/loader.hpp"
#include "config/option_tree.hpp"
#include "config/read_value.hpp"

namespace weir::config {

namespace {

constexpr std::string_view head = R"(# Options

<!-- Made from src/config/options*.cpp by `weir check --options`; edit there. -->

A configuration is one YAML file, checked whole before anything listens: every mistake is
reported with its file, line, column and what was expected. `*` stands for a name of your own,
`[]` for the items of a list; where a list is expected one value alone will do. An option that
is unknown, or not in this version, is refused and never ignored.

- A value may hold `${NAME}`, an environment variable that must be set, or `${NAME:-default}`,
  with a default where it is unset or empty. `$${` is a plain `${`.
- Durations: `500ms`, `30s`, `2m`, `24h`. Sizes: `64KiB`, `20MiB`, or bytes.
- Anchors, aliases, tags, tabs as indentation and second documents are refused. A file has at
  most 1 MiB.
- `routes`, `providers`, `tiers` and `models` have the values below where a file leaves them
  out; one that is in the file replaces them whole. Without any file weir runs exactly these:

```yaml
)";

constexpr std::string_view limits = R"(
## Limits

`AMOUNT UNIT[/WINDOW] [ALGORITHM] [per SCOPE]`, such as `10 requests/min`, `60000 tokens/min
sliding_window per user and model`, `1000000 tokens/day`, `4 concurrent per user`.

- UNIT: `requests` (also where none is written), `tokens`, or `concurrent` (calls at once: no
  window, no algorithm).
- WINDOW: `/s`, `/min`, `/h`, `/day`, `/week`, `/month`, or a length such as `/30s`, `/90m`,
  `/24h`.
- ALGORITHM: `token_bucket` (AMOUNT at once, refilled evenly over the window), `sliding_window`
  (never more than AMOUNT in any span of one window) or `calendar` (starts again with each
  minute, hour, day, week or month of its time zone). By default `/day`, `/week` and `/month`
  are calendar, everything else is a token bucket; `/24h` is a day that rolls.
- SCOPE: which calls share it, one or more of `user`, `tier`, `api_key`, `address`, `session`,
  `endpoint`, `model`, `provider`, joined by `and`. Without it: in a tier and in a route each
  user for itself; in a model each model for itself, shared by its callers; in a team shared by
  the team; in `sessions` each session for itself.
- In `sessions.limits` a limit without a window (`200 requests`) is for the whole life of the
  session: it is never refilled. A session that is not used for 30 days is forgotten.

The long form is a section:

| option | type | default | meaning |
|---|---|---|---|
)";

std::string_view type_of(kind type) {
  switch (type) {
    case kind::section:
      return "section";
    case kind::flag:
      return "true or false";
    case kind::integer:
      return "number";
    case kind::text:
      return "text";
    case kind::name:
      return "name";
    case kind::header:
      return "header name";
    case kind::secret:
      return "secret";
    case kind::choice:
      return "choice";
    case kind::duration:
      return "duration";
    case kind::size:
      return "size";
    case kind::address:
      return "address";
    case kind::url:
    case kind::provider:
      return "URL";
    case kind::network:
      return "network";
    case kind::origin:
      return "origin";
    case kind::limit:
      return "limit";
  }
  return "";
}

// "choice: a, b" or "duration, 10ms to 1h".
std::string type_and_range(const option& row) {
  if (!row.choices.empty()) return fmt::format("`{}`", fmt::join(choice_words(row), "`, `"));
  const auto range = range_of(row);
  return fmt::format("{}{}{}", type_of(row.type), range.empty() ? "" : ", ", range);
}

std::string default_of(const option& row) {
  if (row.required) return "required";
  return row.fallback.empty() ? std::string{} : fmt::format("`{}`", row.fallback);
}

std::string with_restart(const option& row) {
  return fmt::format("{}{}", row.sentence, row.restart ? " Needs a restart." : "");
}

bool is_top_level(const option& row) {
  return row.path.find_first_of(".[") == std::string_view::npos;
}

std::string top_level(const option& row) {
  auto out = fmt::format("\n## {}\n\n{}\n", row.path, with_restart(row));
  if (row.type != kind::section) {
    out += fmt::format("{}; default {}.\n", type_and_range(row), default_of(row));
  }
  return out;
}

std::string built_options(const std::vector<option>& rows) {
  std::string out;
  bool in_table = false;
  for (const auto& row : rows) {
    if (!row.built) continue;
    if (is_top_level(row)) {
      out += top_level(row);
      in_table = false;
      continue;
    }
    if (row.type == kind::section && row.path.ends_with('*')) continue;
    if (!in_table) out += "\n| option | type | default | meaning |\n|---|---|---|---|\n";
    in_table = true;
    out += fmt::format("| `{}` | {} | {} | {} |\n", row.path, type_and_range(row), default_of(row),
                       with_restart(row));
  }
  return out;
}

std::string later_options(const std::vector<option>& rows) {
  std::string out =
      "\n## Not in this version\n\nKnown, and refused by name until they are built.\n\n"
      "| option | what it will be |\n|---|---|\n";
  for (const auto& row : rows) {
    if (!row.built) out += fmt::format("| `{}` | {} |\n", row.path, row.sentence);
    for (const auto word : choice_words(row, false)) {
      out += fmt::format("| `{}: {}` | |\n", row.path, word);
    }
  }
  return out + "| limits in money, such as `10 USD/day` | |\n";
}

}  // namespace

std::string options_markdown() {
  const auto rows = all_options();
  const auto limit_rows = limit_options();
  auto out = fmt::format("{}{}```\n{}{}", head, defaults_text(), built_options(rows), limits);
  for (const auto& row : limit_rows) {
    if (!row.built) continue;
    out += fmt::format("| `{}` | {} | {} | {} |\n", row.path, type_and_range(row), default_of(row),
                       row.sentence);
  }
  out += later_options(rows);
  for (const auto& row : limit_rows) {
    if (!row.built) out += fmt::format("| `{}` of a limit | {} |\n", row.path, row.sentence);
  }
  return out;
}

}  // namespace weir::config
