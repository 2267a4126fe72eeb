// Built and run by cmake/canary.cmake: is every temporary of an expression with co_await destroyed
// exactly once? Not a part of weir. Exits with a bit set for each shape that fails, 0 if none does.
#include <coroutine>
#include <exception>
#include <utility>

namespace {

int live = 0;  // constructions minus destructions; 0 after each shape unless one was destroyed
               // twice or never

struct counted {
  counted() { ++live; }
  counted(const counted&) { ++live; }
  counted(counted&&) noexcept { ++live; }
  counted& operator=(const counted&) = default;
  counted& operator=(counted&&) = default;
  ~counted() { --live; }
};

template <class T>
struct task {
  struct promise_type {
    T value{};
    std::coroutine_handle<> next{std::noop_coroutine()};
    task get_return_object() { return task{handle::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct last {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept {
        return h.promise().next;
      }
      void await_resume() noexcept {}
    };
    last final_suspend() noexcept { return {}; }
    void return_value(T v) { value = std::move(v); }
    void unhandled_exception() { std::terminate(); }
  };
  using handle = std::coroutine_handle<promise_type>;
  explicit task(handle h) : h_{h} {}
  task(task&& o) noexcept : h_{std::exchange(o.h_, {})} {}
  ~task() {
    if (h_) h_.destroy();
  }
  auto operator co_await() && {
    struct awaiter {
      handle h;
      bool await_ready() { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) {
        h.promise().next = caller;
        return h;
      }
      T await_resume() { return std::move(h.promise().value); }
    };
    return awaiter{h_};
  }
  handle h_;
};

struct request {
  counted text{};
  int n{0};
};

task<int> take(request r) { co_return r.n; }
task<int> number() { co_return 1; }
task<counted> thing() { co_return counted{}; }

template <class F>
task<int> run(F f) {
  co_return f();
}

task<int> aggregate_argument() { co_return co_await take(request{{}, 1}); }
task<int> designated_argument() { co_return co_await take({.text = {}, .n = 1}); }
task<int> aggregate_of_awaits() {
  request r{co_await thing(), co_await number()};
  co_return r.n;
}
task<int> capturing_lambda() {
  counted held;
  co_return co_await run([held] { return 1; });
}
task<int> named_then_moved() {
  request r{{}, 1};
  co_return co_await take(std::move(r));
}

bool holds(task<int> t) {
  t.h_.resume();
  const bool right = t.h_.promise().value == 1;
  {
    auto ended = std::move(t);
  }
  return right && live == 0;
}

}  // namespace

int main() {
  task<int> (*const shapes[])() = {aggregate_argument, designated_argument, aggregate_of_awaits,
                                   capturing_lambda, named_then_moved};
  int shape = 0;
  int failed = 0;
  for (auto f : shapes) {
    ++shape;
    live = 0;
    if (!holds(f())) failed |= 1 << shape;
  }
  return failed;
}
