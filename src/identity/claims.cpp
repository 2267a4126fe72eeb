// See claims.hpp.
#include "identity/claims.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "identity/strict_json.hpp"
#include "identity/text.hpp"

namespace weir::identity {

namespace {

using json = nlohmann::json;

constexpr double last_second{253402300799.0};  // of the year 9999

// RFC 7519's NumericDate.
std::optional<wall_time> numeric_date(const json& value) {
  if (!value.is_number()) return std::nullopt;
  const double seconds = value.get<double>();
  if (!(std::abs(seconds) <= last_second)) return std::nullopt;
  if (value.is_number_integer()) return wall_time{std::chrono::seconds{value.get<std::int64_t>()}};
  return wall_time{microseconds{static_cast<std::int64_t>(std::floor(seconds * 1e6))}};
}

std::variant<validity, reason> read_validity(const json& payload, microseconds leeway) {
  if (!payload.contains("exp")) return reason::missing_expiry;
  const auto expires = numeric_date(payload["exp"]);
  if (!expires) return reason::malformed_claim;
  validity valid{.expires = *expires + leeway};
  if (payload.contains("nbf")) {
    const auto not_before = numeric_date(payload["nbf"]);
    if (!not_before) return reason::malformed_claim;
    valid.not_before = *not_before - leeway;
  }
  return valid;
}

bool is_text_list(const json& value) {
  return value.is_array() &&
         std::ranges::all_of(value, [](const json& v) { return v.is_string(); });
}

std::optional<reason> check_issuer(const json& payload, const std::string& wanted) {
  if (wanted.empty()) return std::nullopt;
  if (!payload.contains("iss")) return reason::wrong_issuer;
  if (!payload["iss"].is_string()) return reason::malformed_claim;
  return payload["iss"] == wanted ? std::nullopt : std::optional{reason::wrong_issuer};
}

std::optional<reason> check_audience(const json& payload, const std::string& wanted) {
  if (wanted.empty()) return std::nullopt;
  if (!payload.contains("aud")) return reason::wrong_audience;
  const auto& audience = payload["aud"];
  if (!audience.is_string() && !is_text_list(audience)) return reason::malformed_claim;
  const auto is_wanted = [&](const json& v) { return v == wanted; };
  const bool meant =
      audience.is_string() ? is_wanted(audience) : std::ranges::any_of(audience, is_wanted);
  return meant ? std::nullopt : std::optional{reason::wrong_audience};
}

}  // namespace

std::optional<reason> validity::check(wall_time now) const {
  if (now >= expires) return reason::expired;
  if (now < not_before) return reason::not_yet_valid;
  return std::nullopt;
}

std::variant<claims, reason> read_claims(const json& payload,
                                         const config::jwt_settings& settings) {
  const auto valid = read_validity(payload, settings.leeway);
  if (const auto* why = std::get_if<reason>(&valid)) return *why;
  if (const auto why = check_issuer(payload, settings.issuer)) return *why;
  if (const auto why = check_audience(payload, settings.audience)) return *why;
  const auto* user = string_member(payload, settings.user_claim);
  if (!user || !acceptable_user(*user)) return reason::bad_user;
  const auto* tier = string_member(payload, settings.tier_claim);
  return claims{*user, tier ? *tier : std::string{}, std::get<validity>(valid)};
}

}  // namespace weir::identity
