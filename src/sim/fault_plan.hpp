// The faults in force for requests that name none themselves: all of them, or the next so many.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/faults.hpp"

namespace weir::sim {

class fault_plan {
 public:
  // From now on; `count` requests (>= 1), or all where there is none.
  void set(std::string text, fault_set faults, std::optional<std::int64_t> count) {
    text_ = std::move(text);
    faults_ = std::move(faults);
    left_ = count;
    active_ = !text_.empty();
  }
  void clear() { set({}, {}, std::nullopt); }

  [[nodiscard]] bool active() const { return active_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::optional<std::int64_t> left() const { return left_; }

  // The faults of one request.
  fault_set take() {
    fault_set taken = faults_;
    if (left_ && --*left_ <= 0) clear();
    return taken;
  }

 private:
  std::string text_;
  fault_set faults_;
  std::optional<std::int64_t> left_;
  bool active_{false};
};

}  // namespace weir::sim
