// API keys: the table that requests are looked up in, and the keys.yaml that it is loaded from
// (docs/keys.md) and that `weir key` edits. Only hashes of keys are ever stored.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "config/settings.hpp"
#include "identity/digest.hpp"

namespace weir::identity {

// One entry of keys.yaml. Plain SHA-256 is right for the hash: a key is 256 random bits, so there
// is nothing to guess and nothing for a salt or a slow hash to slow down.
struct api_key {
  std::string id;  // short name that logs, metrics and `weir key revoke` use
  digest hash;     // SHA-256 of the whole key
  std::string user;
  std::string tier;                  // empty: the default tier
  std::string team;                  // empty: the user's team, if it has one
  std::vector<std::string> models;   // empty: all
  std::optional<wall_time> expires;  // from then on the key is refused
  wall_time created{};
  std::shared_ptr<const std::vector<config::limit_settings>> limits;  // null: none
};

// All keys, by hash. Immutable after loading, so safe to read from all threads.
class key_table {
 public:
  key_table() = default;
  // Errors: an id or a hash that stands twice.
  static result<key_table> make(std::vector<api_key> keys);

  // Null where there is no such key. Not constant-time, and need not be: what is compared is a hash
  // of 256 random bits.
  [[nodiscard]] const api_key* find(const digest& hash) const;
  [[nodiscard]] const std::vector<api_key>& keys() const { return keys_; }

 private:
  std::vector<api_key> keys_;
  std::unordered_map<digest, std::size_t, digest_hash> by_hash_;
};

// What every API key starts with; the rest is 64 hexadecimal digits.
inline constexpr std::string_view api_key_prefix{"sk-weir-"};

// Reads keys.yaml. A file that does not exist is an empty table. Errors name file, line, what was
// expected.
result<key_table> load_keys(const std::string& path);

// What `weir key create` is told. Fields as in api_key; limits as text, e.g. "10 requests/min".
struct new_key {
  std::string id;  // empty: one is made
  std::string user;
  std::string tier;
  std::string team;
  std::vector<std::string> models;
  std::vector<std::string> limits;
  std::optional<microseconds> expires_in;  // at least 1 s
};

// The one moment at which a key is known in clear.
struct created_key {
  std::string id;
  std::string secret;  // show once, never log, never store
};

// Adds a key to the file, which is made with mode 0600 where it does not exist. The file is
// replaced as a whole (temporary file, fsync, rename) under a lock, so readers and other writers
// never see half of it. Errors: the file does not load or cannot be written, the id is taken, a
// field is not acceptable.
result<created_key> create_key(const std::string& path, const new_key& wanted, wall_time now);

// Removes a key. Errors: no such id, the file does not load or cannot be written.
result<void> revoke_key(const std::string& path, std::string_view id);

}  // namespace weir::identity
