// The rows of `tiers`, `teams` and `sessions`: who gets how much. And those of a limit's long form.
#include "config/option_rows.hpp"

namespace weir::config {

namespace {

owner open_tier(const owner& to, const std::string& name) {
  auto& tier = std::get<settings*>(to)->tiers[name];
  tier.name = name;
  return &tier;
}

owner open_team(const owner& to, const std::string& name) {
  auto& teams = std::get<settings*>(to)->teams;
  teams.push_back({.name = name, .users = {}, .limits = {}});
  return &teams.back();
}

}  // namespace

void add_share_options(std::vector<option>& rows) {
  rows.push_back({.path = "tiers",
                  .member_name = kind::name,
                  .upper_case = true,
                  .sentence = "What callers of each tier may use; names count in any case."});
  rows.push_back({.path = "tiers.*", .open = &open_tier, .sentence = "One tier."});
  rows.push_back({.path = "tiers.*.limits[]",
                  .type = kind::limit,
                  .assign = &field<&tier_settings::limits>,
                  .home = limit_home::tier,
                  .sentence = "Limits of the tier's callers, each user for itself."});
  rows.push_back({.path = "teams",
                  .member_name = kind::name,
                  .sentence = "Named groups of users that share limits."});
  rows.push_back({.path = "teams.*", .open = &open_team, .sentence = "One team."});
  rows.push_back({.path = "teams.*.users[]",
                  .type = kind::text,
                  .assign = &field<&team_settings::users>,
                  .least = 1,
                  .sentence = "The users in the team; a user is in one team at most."});
  rows.push_back({.path = "teams.*.limits[]",
                  .type = kind::limit,
                  .assign = &field<&team_settings::limits>,
                  .home = limit_home::team,
                  .sentence = "Limits that the team's users share."});
  rows.push_back({.path = "sessions", .sentence = "Agent runs, named by the caller in a header."});
  rows.push_back({.path = "sessions.header",
                  .type = kind::header,
                  .assign = &field<&settings::sessions, &session_settings::header>,
                  .fallback = "X-Session-Id",
                  .sentence = "The header that names the session."});
  rows.push_back({.path = "sessions.limits[]",
                  .type = kind::limit,
                  .assign = &field<&settings::sessions, &session_settings::limits>,
                  .home = limit_home::session,
                  .sentence = "Limits of each session; without a window, for its whole life."});
}

std::vector<option> limit_options() {
  std::vector<option> rows;
  rows.push_back({.path = "limit",
                  .type = kind::text,
                  .assign = &field<&limit_draft::text>,
                  .required = true,
                  .sentence = "`AMOUNT UNIT[/WINDOW]`, as in the short form."});
  rows.push_back({.path = "per[]",
                  .type = kind::text,
                  .assign = &field<&limit_draft::per>,
                  .sentence = "Which calls share it: one or more of user, tier, api_key, address, "
                              "session, endpoint, model, provider."});
  rows.push_back({.path = "algorithm",
                  .type = kind::text,
                  .assign = &field<&limit_draft::algorithm>,
                  .choices = "token_bucket sliding_window calendar",
                  .sentence = "How it counts; by default what its window says."});
  rows.push_back(
      {.path = "mode",
       .type = kind::choice,
       .assign = &field<&limit_draft::observe>,
       .fallback = "enforce",
       .choices = "enforce observe",
       .sentence = "observe counts and reports what it would refuse, and refuses nothing."});
  rows.push_back(
      {.path = "zone",
       .type = kind::text,
       .assign = &field<&limit_draft::zone>,
       .sentence = "Time zone of a calendar window, such as Europe/Rome; by default UTC."});
  rows.push_back({.path = "lease", .built = false, .sentence = "Take shares in advance."});
  rows.push_back({.path = "when_unreachable",
                  .built = false,
                  .sentence = "What holds while the store cannot be reached."});
  return rows;
}

}  // namespace weir::config
