// What a call holds and must give back on every way out. Destructors do it; none of them waits.
#pragma once

#include <memory>
#include <utility>

#include "gateway/providers.hpp"
#include "store/embedded.hpp"

namespace weir::gateway {

struct shared;

// The reservations of an admitted call. Settled once: by settle() with what was used, or on
// destruction with nothing used.
class reservation {
 public:
  reservation() = default;
  reservation(shared& with, store::grant held) : with_{&with}, held_{std::move(held)} {}
  reservation(reservation&&) = default;
  reservation& operator=(reservation&& other) noexcept {
    settle({0, 0});
    with_ = other.with_;
    held_ = std::move(other.held_);
    return *this;
  }
  ~reservation() { settle({0, 0}); }

  void settle(store::usage real);
  [[nodiscard]] bool empty() const { return held_.empty(); }

 private:
  shared* with_{nullptr};
  store::grant held_;
};

// A call that an engine works on, counted while it lasts.
class flight {
 public:
  flight() = default;
  explicit flight(std::shared_ptr<provider_state> on) : on_{std::move(on)} { on_->begin(); }
  flight(flight&&) = default;
  flight& operator=(flight&& other) noexcept {
    end();
    on_ = std::move(other.on_);
    return *this;
  }
  ~flight() { end(); }
  void end() {
    if (on_) on_->end();
    on_.reset();
  }

 private:
  std::shared_ptr<provider_state> on_;
};

}  // namespace weir::gateway
