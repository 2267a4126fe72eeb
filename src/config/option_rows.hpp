// The rows of options.hpp by section, and how a row names the field it fills. Used by the
// options_*.cpp files only.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "config/options.hpp"

namespace weir::config {

void add_server_options(std::vector<option>& rows);
void add_identity_options(std::vector<option>& rows);
void add_share_options(std::vector<option>& rows);
void add_traffic_options(std::vector<option>& rows);
void add_running_options(std::vector<option>& rows);
void add_unbuilt_options(std::vector<option>& rows);

namespace detail {

template <class T>
void store(T& field, value given) {
  if constexpr (std::is_same_v<T, bool>) {  // a flag, or the second of two words
    const auto* word = std::get_if<std::int64_t>(&given);
    field = word != nullptr ? *word == 1 : std::get<bool>(given);
  } else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
    field = static_cast<T>(std::get<std::int64_t>(given));
  } else {
    field = std::get<T>(std::move(given));
  }
}

template <class T>
void store(std::optional<T>& field, value given) {
  field = std::get<T>(std::move(given));
}

template <class T>
void store(std::vector<T>& field, value given) {
  field.push_back(std::get<T>(std::move(given)));
}

template <class T>
struct class_of;
template <class C, class T>
struct class_of<T C::*> {
  using type = C;
};

}  // namespace detail

// An assign function for owner->First.Rest..., e.g. field<&settings::server,
// &server_settings::max_body>. A wrong owner is a bug in the table and throws
// std::bad_variant_access.
template <auto First, auto... Rest>
void field(const owner& to, value given) {
  using C = typename detail::class_of<decltype(First)>::type;
  auto& target = ((std::get<C*>(to)->*First).*....*Rest);
  detail::store(target, std::move(given));
}

}  // namespace weir::config
