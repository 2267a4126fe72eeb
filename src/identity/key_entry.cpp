// See key_entry.hpp.
#include "identity/key_entry.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>
#include <yaml-cpp/yaml.h>

#include "config/limit_text.hpp"
#include "config/nearest.hpp"
#include "identity/text.hpp"

namespace weir::identity {

namespace {

using config::node;
using config::shape;
using problem = std::optional<config::mistake_at>;

problem mistake(config::mark at, std::string message) {
  return config::mistake_at{at, std::move(message)};
}

problem read_text(const node& value, std::string_view name, std::string& out) {
  if (value.shape != shape::scalar || value.text.empty())
    return mistake(value.at, fmt::format("expected '{}' to be a text", name));
  out = value.text;
  return {};
}

problem read_texts(const node& value, std::string_view name, std::vector<std::string>& out) {
  if (value.shape != shape::sequence)
    return mistake(value.at, fmt::format("expected '{}' to be a list, such as [a, b]", name));
  for (const auto& item : value.items) {
    std::string text;
    if (auto wrong = read_text(item, name, text)) return wrong;
    out.push_back(std::move(text));
  }
  return {};
}

problem read_time(const node& value, std::string_view name, wall_time& out) {
  const auto time = value.shape == shape::scalar ? parse_utc(value.text) : std::nullopt;
  if (!time)
    return mistake(value.at, fmt::format("expected '{}' in UTC, such as 2030-12-31 or "
                                         "2030-12-31T23:59:59Z",
                                         name));
  out = *time;
  return {};
}

problem read_hash(const node& value, std::string_view, api_key& out) {
  const auto hash = value.shape == shape::scalar ? digest_from_hex(value.text) : std::nullopt;
  if (!hash)
    return mistake(value.at,
                   "expected 'hash' to be 64 hexadecimal digits in lower case; make "
                   "keys with: weir key create");
  out.hash = *hash;
  return {};
}

problem read_id(const node& value, std::string_view name, api_key& out) {
  if (auto wrong = read_text(value, name, out.id)) return wrong;
  if (!acceptable_key_id(out.id))
    return mistake(value.at, "expected 'id' to be 1 to 64 letters, digits, '.', '_' or '-'");
  return {};
}

problem read_user(const node& value, std::string_view name, api_key& out) {
  if (auto wrong = read_text(value, name, out.user)) return wrong;
  if (!acceptable_user(out.user))
    return mistake(value.at, "expected 'user' to be 1 to 256 bytes without control characters");
  return {};
}

problem read_expires(const node& value, std::string_view name, api_key& out) {
  if (value.shape == shape::nothing) return {};
  return read_time(value, name, out.expires.emplace());
}

using reader = problem (*)(const node&, std::string_view, api_key&);

// `limits` is read last, since its places in refusals hold the id.
constexpr std::array<std::pair<std::string_view, reader>, 9> members{{
    {"id", read_id},
    {"hash", read_hash},
    {"user", read_user},
    {"tier", [](const node& v, std::string_view n, api_key& k) { return read_text(v, n, k.tier); }},
    {"team", [](const node& v, std::string_view n, api_key& k) { return read_text(v, n, k.team); }},
    {"models",
     [](const node& v, std::string_view n, api_key& k) { return read_texts(v, n, k.models); }},
    {"expires", read_expires},
    {"created",
     [](const node& v, std::string_view n, api_key& k) { return read_time(v, n, k.created); }},
    {"limits", [](const node&, std::string_view, api_key&) { return problem{}; }},
}};

problem read_member(const node& value, const std::string& name, config::mark at, api_key& key) {
  const auto known = std::ranges::find(members, name, &std::pair<std::string_view, reader>::first);
  if (known != members.end()) return known->second(value, name, key);
  std::vector<std::string_view> names;
  names.reserve(members.size());
  for (const auto& [member, reads] : members) names.push_back(member);
  return mistake(at, fmt::format("unknown name '{}'{}; expected one of {}", name,
                                 config::did_you_mean(name, names), fmt::join(names, ", ")));
}

problem read_limits(const node& value, api_key& key) {
  std::vector<std::string> texts;
  if (auto wrong = read_texts(value, "limits", texts)) return wrong;
  auto limits = key_limits(texts, key.id);
  if (!limits) return mistake(value.at, limits.error().message);
  if (!limits->empty())
    key.limits = std::make_shared<const std::vector<config::limit_settings>>(*std::move(limits));
  return {};
}

bool shared_by_all(const config::limit_scope& s) {
  return !(s.user || s.tier || s.api_key || s.address || s.session || s.endpoint || s.model ||
           s.provider);
}

void write_list(YAML::Emitter& out, const char* name, const std::vector<std::string>& items) {
  if (items.empty()) return;
  out << YAML::Key << name << YAML::Value << YAML::Flow << YAML::BeginSeq;
  for (const auto& item : items) out << YAML::DoubleQuoted << item;
  out << YAML::EndSeq;
}

void write_text(YAML::Emitter& out, const char* name, const std::string& text) {
  if (!text.empty()) out << YAML::Key << name << YAML::Value << YAML::DoubleQuoted << text;
}

void write_key(YAML::Emitter& out, const api_key& key) {
  std::vector<std::string> limits;
  if (key.limits)
    for (const auto& limit : *key.limits) limits.push_back(limit.text);
  out << YAML::BeginMap;
  write_text(out, "id", key.id);
  write_text(out, "hash", to_hex(key.hash));
  write_text(out, "user", key.user);
  write_text(out, "tier", key.tier);
  write_text(out, "team", key.team);
  write_list(out, "models", key.models);
  write_list(out, "limits", limits);
  if (key.expires) write_text(out, "expires", to_utc_text(*key.expires));
  write_text(out, "created", to_utc_text(key.created));
  out << YAML::EndMap;
}

}  // namespace

std::variant<api_key, config::mistake_at> read_key(const node& entry) {
  if (entry.shape != shape::mapping)
    return config::mistake_at{entry.at, "expected a key with id, hash and user"};
  api_key key;
  for (std::size_t i = 0; i < entry.names.size(); ++i)
    if (auto wrong = read_member(entry.items[i], entry.names[i], entry.name_marks[i], key))
      return *std::move(wrong);
  for (const std::string_view needed : {"id", "hash", "user"})
    if (std::ranges::find(entry.names, needed) == entry.names.end())
      return config::mistake_at{entry.at, fmt::format("'{}' is missing", needed)};
  const auto limits = std::ranges::find(entry.names, "limits");
  if (limits != entry.names.end()) {
    const auto index = static_cast<std::size_t>(limits - entry.names.begin());
    if (auto wrong = read_limits(entry.items[index], key)) return *std::move(wrong);
  }
  return key;
}

std::string write_keys(const std::vector<api_key>& keys) {
  YAML::Emitter out;
  out << YAML::Comment(
      "API keys of weir; see docs/keys.md. Edited by `weir key`, which keeps no "
      "other comments.");
  out << YAML::Newline << YAML::BeginMap << YAML::Key << "keys" << YAML::Value << YAML::BeginSeq;
  for (const auto& key : keys) write_key(out, key);
  out << YAML::EndSeq << YAML::EndMap << YAML::Newline;
  return out.c_str();
}

bool acceptable_key_id(std::string_view id) {
  return !id.empty() && id.size() <= 64 && std::ranges::all_of(id, [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  });
}

result<std::vector<config::limit_settings>> key_limits(const std::vector<std::string>& texts,
                                                       std::string_view id) {
  std::vector<config::limit_settings> limits;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    config::limit_draft draft;
    draft.text = texts[i];
    auto limit = config::make_limit(draft, config::limit_home::team,
                                    fmt::format("keys.{}.limits[{}]", id, i));
    if (!limit) return fail(fmt::format("limits[{}]: {}", i, limit.error().message));
    if (shared_by_all(limit->per)) limit->per.api_key = true;
    limits.push_back(*std::move(limit));
  }
  return limits;
}

}  // namespace weir::identity
