// The filters of header fields.
#include "gateway/headers.hpp"

#include <algorithm>
#include <array>

namespace weir::gateway {
namespace {

using wire::field;

bool hop_by_hop(field f) {
  switch (f) {
    case field::connection:
    case field::keep_alive:
    case field::proxy_authorization:
    case field::proxy_connection:
    case field::te:
    case field::trailer:
    case field::transfer_encoding:
    case field::upgrade:
      return true;
    default:
      return false;
  }
}

bool set_by_weir(field f) {
  switch (f) {
    case field::host:
    case field::content_length:
    case field::expect:
    case field::accept_encoding:
    case field::forwarded:
    case field::x_forwarded_for:
    case field::x_request_id:
      return true;
    default:
      return false;
  }
}

bool starts_with(std::string_view text, std::string_view lower_case) {
  return text.size() >= lower_case.size() &&
         wire::iequals(text.substr(0, lower_case.size()), lower_case);
}

// Names by which providers take keys, and accounts that belong to a key.
constexpr std::array<std::string_view, 5> secret_words{"key", "token", "auth", "secret", "cookie"};
constexpr std::array<std::string_view, 6> private_prefixes{
    "x-weir-", "x-forwarded-", "x-real-ip", "x-stainless-", "openai-org", "openai-project"};

bool smells_of_a_credential(std::string_view name) {
  std::array<char, 64> lower{};
  const std::size_t size = name.size();
  if (size > lower.size()) return true;  // no honest field has such a name
  std::transform(name.begin(), name.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const std::string_view text{lower.data(), size};
  return std::ranges::any_of(secret_words, [text](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

bool is_private(std::string_view name) {
  return std::ranges::any_of(private_prefixes,
                             [name](std::string_view prefix) { return starts_with(name, prefix); });
}

constexpr std::array<std::string_view, 6> seen_by_callers{"content-language",     "cache-control",
                                                          "openai-processing-ms", "openai-version",
                                                          "openai-model",         "retry-after-ms"};
constexpr std::array<std::string_view, 2> provider_limits{"x-ratelimit-", "anthropic-ratelimit-"};

}  // namespace

bool passes_to_engine(const wire::header_line& line) {
  switch (line.known) {
    case field::authorization:
    case field::x_api_key:
    case field::cookie:
    case field::origin:
      return false;
    case field::content_type:
    case field::idempotency_key:
      return true;
    case field::other:
      return !smells_of_a_credential(line.name) && !is_private(line.name);
    default:
      return !hop_by_hop(line.known) && !set_by_weir(line.known);
  }
}

bool passes_to_backend(const wire::header_line& line) {
  if (line.known == field::authorization || line.known == field::x_api_key) return false;
  if (line.known == field::accept_encoding) return true;
  if (line.known == field::other)
    return !starts_with(line.name, "x-weir-") && !starts_with(line.name, "x-forwarded-");
  return !hop_by_hop(line.known) && !set_by_weir(line.known);
}

void pass_from_engine(const wire::response_head& from, net::response_head& out) {
  for (const auto& line : from.headers) {
    if (line.known == field::content_type || line.known == field::content_encoding ||
        line.known == field::retry_after) {
      out.add(line.name, line.value);
      continue;
    }
    if (line.known != field::other) continue;
    const auto listed = [&](std::string_view name) { return wire::iequals(line.name, name); };
    if (std::ranges::any_of(seen_by_callers, listed)) {
      out.add(line.name, line.value);
    } else if (std::ranges::any_of(provider_limits,
                                   [&](std::string_view p) { return starts_with(line.name, p); })) {
      std::string renamed{"X-Provider-"};
      renamed += line.name;
      out.add(renamed, line.value);
    }
  }
}

void pass_from_backend(const wire::response_head& from, net::response_head& out) {
  for (const auto& line : from.headers) {
    if (hop_by_hop(line.known) || line.known == field::content_length ||
        line.known == field::x_request_id)
      continue;
    if (wire::iequals(line.name, "date")) continue;
    out.add(line.name, line.value);
  }
}

bool is_request_id(std::string_view text) {
  if (text.empty() || text.size() > 128) return false;
  return std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  });
}

}  // namespace weir::gateway
