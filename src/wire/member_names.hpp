// The names in one object while it is read: escapes resolved, and none twice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <set>
#include <string>
#include <string_view>

namespace weir::wire {

class member_names {
 public:
  static constexpr std::size_t most = 4096;  // names that one object may have

  enum class verdict : std::uint8_t {
    fresh,     // not seen before
    twice,     // seen before: which of the two counts would be ambiguous
    too_many,  // more than `most`
  };

  // `name` becomes the name with its escapes resolved; it is good as long as this object and the
  // text live.
  verdict add(std::string_view written, std::string_view& name);

 private:
  static constexpr std::size_t few = 48;  // compared one by one up to so many

  std::array<std::string_view, few> first_;
  std::size_t size_{0};
  // A tree, not a hash table: names are the caller's, and their hashes could be made to collide.
  std::set<std::string_view> all_;
  std::forward_list<std::string> resolved_;
};

// Some JSON readers (Go's) match names in any case, with the long s and the Kelvin sign as s and k.
// Whether `name` is read as `plain`, which is in lower case, by one of those and is not it.
bool is_misspelt(std::string_view name, std::string_view plain);

}  // namespace weir::wire
