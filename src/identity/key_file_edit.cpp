// What `weir key` does to keys.yaml: add and remove, each as one locked read, change and replace.
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <openssl/rand.h>
#include <utility>

#include "identity/file.hpp"
#include "identity/key_entry.hpp"
#include "identity/key_file.hpp"
#include "identity/text.hpp"

namespace weir::identity {

namespace {

result<std::string> random_hex(std::size_t bytes) {
  digest random{};
  if (RAND_bytes(random.data(), static_cast<int>(random.size())) != 1)
    return fail("the system has no random numbers to make a key of");
  return to_hex(random).substr(0, 2 * bytes);
}

result<void> check(const new_key& wanted) {
  if (!wanted.id.empty() && !acceptable_key_id(wanted.id))
    return fail("expected the id to be 1 to 64 letters, digits, '.', '_' or '-'");
  const auto plain = [](const std::string& text) { return acceptable_user(text); };
  if (!plain(wanted.user))
    return fail("expected a user of 1 to 256 bytes of UTF-8 without control characters");
  if (!(wanted.tier.empty() || plain(wanted.tier)) || !(wanted.team.empty() || plain(wanted.team)))
    return fail("expected tier and team of at most 256 bytes without control characters");
  if (!std::ranges::all_of(wanted.models, plain))
    return fail("expected model names of 1 to 256 bytes without control characters");
  if (wanted.expires_in && *wanted.expires_in < 1s)
    return fail("expected the key to be valid for at least one second");
  return {};
}

result<std::vector<api_key>> current_keys(const std::string& path) {
  auto table = load_keys(path);
  if (!table) return table.error();
  return table->keys();
}

result<api_key> describe(const new_key& wanted, std::string id, std::string_view secret,
                         wall_time now) {
  auto limits = key_limits(wanted.limits, id);
  if (!limits) return limits.error();
  api_key key;
  key.id = std::move(id);
  key.hash = sha256(secret);
  key.user = wanted.user;
  key.tier = upper(wanted.tier);
  key.team = wanted.team;
  key.models = wanted.models;
  key.created = now;
  if (wanted.expires_in) key.expires = now + *wanted.expires_in;
  if (!limits->empty())
    key.limits = std::make_shared<const std::vector<config::limit_settings>>(*std::move(limits));
  return key;
}

}  // namespace

result<created_key> create_key(const std::string& path, const new_key& wanted, wall_time now) {
  if (const auto fine = check(wanted); !fine) return fine.error();
  const auto random = random_hex(32);
  const auto name = random_hex(6);
  if (!random || !name) return (random ? name : random).error();
  const auto lock = file_lock::take(path);
  if (!lock) return lock.error();
  auto keys = current_keys(path);
  if (!keys) return keys.error();

  created_key made{wanted.id.empty() ? "key-" + *name : wanted.id,
                   std::string{api_key_prefix} + *random};
  if (std::ranges::find(*keys, made.id, &api_key::id) != keys->end())
    return fail(
        fmt::format("{} has a key '{}' already; choose another id or revoke it", path, made.id));
  auto key = describe(wanted, made.id, made.secret, now);
  if (!key) return key.error();
  keys->push_back(*std::move(key));
  if (auto written = replace_file(path, write_keys(*keys)); !written) return written.error();
  return made;
}

result<void> revoke_key(const std::string& path, std::string_view id) {
  const auto lock = file_lock::take(path);
  if (!lock) return lock.error();
  auto keys = current_keys(path);
  if (!keys) return keys.error();
  if (std::erase_if(*keys, [&](const api_key& key) { return key.id == id; }) == 0)
    return fail(fmt::format("{} has no key '{}'; list them with: weir key list", path, id));
  return replace_file(path, write_keys(*keys));
}

}  // namespace weir::identity
