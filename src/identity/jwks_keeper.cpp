// See jwks_keeper.hpp.
#include "identity/jwks_keeper.hpp"

namespace weir::identity {

jwks_keeper::jwks_keeper(const config::jwt_settings& settings)
    : source_{settings.jwks},
      is_url_{source_.starts_with("http://") || source_.starts_with("https://")},
      max_age_{settings.jwks_max_age} {}

jwks_keeper::known jwks_keeper::current() const {
  const std::lock_guard lock{mutex_};
  if (!is_url_ || !facts_.fetched) return {facts_.keys, mono_time::max()};
  return {facts_.keys, *facts_.fetched + max_age_};
}

bool jwks_keeper::running(mono_time now) const {
  return facts_.in_flight && now - *facts_.started < fetch_interval;
}

bool jwks_keeper::ask_for_more(mono_time now) {
  if (source_.empty()) return false;
  const std::lock_guard lock{mutex_};
  facts_.wanted = true;
  return running(now) || !facts_.started || now - *facts_.started >= fetch_interval;
}

bool jwks_keeper::begin_fetch(mono_time now) {
  if (source_.empty()) return false;
  const std::lock_guard lock{mutex_};
  if (facts_.started && now - *facts_.started < fetch_interval) return false;
  const bool stale = !facts_.fetched || now - *facts_.fetched >= refresh_interval;
  if (!stale && !facts_.wanted && !facts_.failed && !facts_.in_flight) return false;
  facts_.started = now;
  facts_.in_flight = true;
  facts_.wanted = false;
  return true;
}

bool jwks_keeper::fetch_in_flight(mono_time now) const {
  const std::lock_guard lock{mutex_};
  return running(now);
}

void jwks_keeper::fetch_failed() {
  const std::lock_guard lock{mutex_};
  facts_.in_flight = false;
  facts_.failed = true;
}

result<jwks_keeper::installed> jwks_keeper::install(std::string_view text, mono_time now) {
  auto keys = text.size() > max_jwks_bytes
                  ? result<std::vector<signing_key>>{fail("the JWKS is larger than 1 MiB")}
                  : keys_from_jwks(text, !is_url_);
  if (!keys) {
    fetch_failed();
    return keys.error();
  }
  auto set = std::make_shared<const key_set>(*std::move(keys));
  const std::lock_guard lock{mutex_};
  const bool changed = facts_.text != text;
  if (changed) {
    facts_.keys = set;
    facts_.text = text;
  }
  facts_.fetched = now;
  facts_.in_flight = false;
  facts_.failed = false;
  return installed{set->size(), changed};
}

void jwks_keeper::adopt(const jwks_keeper& previous) {
  if (source_.empty() || source_ != previous.source_) return;
  const std::scoped_lock lock{mutex_, previous.mutex_};
  facts_ = previous.facts_;
  facts_.in_flight = false;
}

}  // namespace weir::identity
