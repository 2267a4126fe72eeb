// Deadlines: never early, at most a tick late, moved, cleared, gone.
#include <deque>
#include <random>

#include "net/support.hpp"

namespace weir::net {
namespace {

constexpr microseconds tick{20ms};

struct alarm final : deadline_entry {
  int rang{0};
  mono_time when{};
  const clock* time{nullptr};
  std::function<void()> then;
  void deadline_passed() override {
    ++rang;
    if (time != nullptr) when = time->mono();
    if (then) then();
  }
};

TEST(deadlines, pass_once_and_not_early) {
  world w;
  alarm a;
  w.on.deadlines().set(a, w.time.mono() + 1s);
  w.pass(999ms);
  w.pass(999us);
  EXPECT_EQ(a.rang, 0);
  w.pass(1us);
  EXPECT_EQ(a.rang, 1);
  w.pass(100s);
  EXPECT_EQ(a.rang, 1);
}

TEST(deadlines, pass_within_a_tick_by_the_real_clock_too) {
  struct real_clock final : clock {
    [[nodiscard]] instant now() const override {
      const auto since = std::chrono::steady_clock::now().time_since_epoch();
      return {mono_time{std::chrono::duration_cast<microseconds>(since)}, {}};
    }
  } time;
  loop on{time};
  std::deque<alarm> all(50);
  std::vector<mono_time> wanted;
  int left = 50;
  for (int i = 0; i < 50; ++i) {
    wanted.push_back(time.mono() + 1ms * (7 * i + 1));
    all[i].time = &time;
    all[i].then = [&] { --left; };
    on.deadlines().set(all[i], wanted.back());
  }
  while (left > 0) on.io().run_one();
  std::vector<microseconds> late;
  for (int i = 0; i < 50; ++i) {
    EXPECT_GE(all[i].when, wanted[i]);
    late.push_back(all[i].when - wanted[i]);
  }
  // The median, since a busy machine may keep any single one waiting.
  std::nth_element(late.begin(), late.begin() + 25, late.end());
  EXPECT_LE(late[25], tick);
}

TEST(deadlines, may_be_in_the_past) {
  world w;
  alarm a;
  w.on.deadlines().set(a, w.time.mono() - 5s);
  EXPECT_EQ(a.rang, 0);  // not from within set()
  w.pass(tick);
  EXPECT_EQ(a.rang, 1);
}

TEST(deadlines, may_be_moved_later_and_earlier) {
  world w;
  alarm later;
  alarm earlier;
  w.on.deadlines().set(later, w.time.mono() + 1s);
  w.on.deadlines().set(earlier, w.time.mono() + 100s);
  w.on.deadlines().set(later, w.time.mono() + 50s);
  w.on.deadlines().set(earlier, w.time.mono() + 1s);
  w.pass(2s);
  EXPECT_EQ(later.rang, 0);
  EXPECT_EQ(earlier.rang, 1);
  w.pass(47s);
  EXPECT_EQ(later.rang, 0);
  w.pass(1s + tick);
  EXPECT_EQ(later.rang, 1);
}

TEST(deadlines, that_were_cleared_do_not_pass_and_may_be_set_again) {
  world w;
  alarm a;
  w.on.deadlines().set(a, w.time.mono() + 1s);
  deadline_wheel::clear(a);
  w.pass(5s);
  EXPECT_EQ(a.rang, 0);
  w.on.deadlines().set(a, w.time.mono() + 1s);
  deadline_wheel::clear(a);
  w.on.deadlines().set(a, w.time.mono() + 2s);
  w.pass(1500ms);
  EXPECT_EQ(a.rang, 0);
  w.pass(600ms);
  EXPECT_EQ(a.rang, 1);
}

TEST(deadlines, beyond_a_turn_of_the_wheel_are_kept) {
  world w;
  alarm a;
  w.on.deadlines().set(a, w.time.mono() + 300s);
  for (int i = 0; i < 29; ++i) w.pass(10s);
  EXPECT_EQ(a.rang, 0);
  w.pass(9s);
  EXPECT_EQ(a.rang, 0);
  w.pass(1s + tick);
  EXPECT_EQ(a.rang, 1);
}

TEST(deadlines, pass_when_the_clock_jumps_over_many_turns) {
  world w;
  std::deque<alarm> all(600);
  for (int i = 0; i < 600; ++i)
    w.on.deadlines().set(all[static_cast<std::size_t>(i)], w.time.mono() + i * 50ms);
  w.pass(3600s);
  for (const auto& one : all) EXPECT_EQ(one.rang, 1);
}

TEST(deadlines, forget_what_is_destroyed) {
  world w;
  auto a = std::make_unique<alarm>();
  w.on.deadlines().set(*a, w.time.mono() + 1s);
  a.reset();
  w.pass(2s);
}

TEST(deadlines, may_destroy_others_and_themselves_when_they_pass) {
  world w;
  std::vector<std::unique_ptr<alarm>> all;
  int rang = 0;
  for (int i = 0; i < 10; ++i) {
    all.push_back(std::make_unique<alarm>());
    all.back()->then = [&] {
      ++rang;
      auto gone = std::move(all);  // this one too: its function lives on the stack of the test
      all.clear();
      for (auto& one : gone) one->then = nullptr;
    };
    w.on.deadlines().set(*all.back(), w.time.mono() + 1s);
  }
  // Copied out, so that it outlives the alarm that holds it.
  const auto then = all.front()->then;
  for (auto& one : all) one->then = [&then] { then(); };
  w.pass(2s);
  EXPECT_EQ(rang, 1);
  EXPECT_TRUE(all.empty());
}

TEST(deadlines, may_be_set_from_within_another) {
  world w;
  alarm second;
  alarm first;
  first.then = [&] {
    if (first.rang < 5) w.on.deadlines().set(first, w.time.mono() + 1s);
    w.on.deadlines().set(second, w.time.mono() + 500ms);
  };
  w.on.deadlines().set(first, w.time.mono() + 1s);
  for (int i = 0; i < 20; ++i) w.pass(500ms);
  EXPECT_EQ(first.rang, 5);
  EXPECT_EQ(second.rang, 5);
}

// Thousands, moved about at random, beside a list that says what must happen.
TEST(deadlines, are_kept_by_the_thousand) {
  world w;
  std::minstd_rand random{42};
  constexpr std::size_t count = 3000;
  std::deque<alarm> all(count);
  std::vector<mono_time> due(count, mono_time::max());
  std::vector<int> expected(count, 0);
  for (int step = 0; step < 60; ++step) {
    for (int i = 0; i < 1000; ++i) {
      const std::size_t which = random() % count;
      if (random() % 4 == 0) {
        deadline_wheel::clear(all[which]);
        due[which] = mono_time::max();
      } else {
        due[which] = w.time.mono() + microseconds{random() % 30'000'000};
        w.on.deadlines().set(all[which], due[which]);
      }
    }
    w.pass(microseconds{random() % 1'500'000});
    for (std::size_t i = 0; i < count; ++i) {
      if (due[i] <= w.time.mono() - tick) {
        ++expected[i];
        due[i] = mono_time::max();
      }
      if (due[i] <= w.time.mono() && all[i].rang == expected[i] + 1) {
        ++expected[i];  // passed within its last tick
        due[i] = mono_time::max();
      }
      ASSERT_EQ(all[i].rang, expected[i]) << i << " in step " << step;
    }
  }
}

TEST(sleep, lasts_as_long_as_asked_for) {
  world w;
  bool woke = false;
  const auto sleeper = [](world& in, bool& done) -> task<> {
    const mono_time then = in.time.mono() + 10s;
    co_await in.on.sleep_until(then);
    done = true;
  };
  w.start(sleeper(w, woke));
  w.pass(9s);
  EXPECT_FALSE(woke);
  w.pass(1s + tick);
  EXPECT_TRUE(woke);
}

}  // namespace
}  // namespace weir::net
