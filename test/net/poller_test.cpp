// Readiness: told once for each change, never after removal, and no reason to keep a loop running.
#include "net/poller.hpp"

#include <boost/asio/io_context.hpp>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <unistd.h>

namespace weir::net {
namespace {

struct pipe_end final : ready_listener {
  int reads{-1};
  int writes{-1};
  int told{0};
  std::function<void()> then;

  pipe_end() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_NONBLOCK | O_CLOEXEC), 0);
    reads = ends[0];
    writes = ends[1];
  }
  pipe_end(const pipe_end&) = delete;
  pipe_end& operator=(const pipe_end&) = delete;
  ~pipe_end() {
    ::close(reads);
    ::close(writes);
  }
  void became_ready(std::uint32_t events) override {
    if ((events & EPOLLIN) == 0) return;
    ++told;
    if (then) then();
  }
  void put() const { EXPECT_EQ(::write(writes, "x", 1), 1); }
};

TEST(poller, tells_once_for_each_arrival_though_nothing_is_read) {
  boost::asio::io_context io;
  poller on{io};
  pipe_end one;
  ASSERT_TRUE(on.add(one.reads, one));
  one.put();
  io.poll();
  io.poll();
  EXPECT_EQ(one.told, 1);
  one.put();
  io.poll();
  EXPECT_EQ(one.told, 2);
  on.remove(one.reads, one);
}

TEST(poller, the_last_listener_gone_lets_the_loop_end) {
  boost::asio::io_context io;
  poller on{io};
  pipe_end one;
  ASSERT_TRUE(on.add(one.reads, one));
  one.then = [&] { on.remove(one.reads, one); };
  one.put();
  io.run();
  EXPECT_EQ(one.told, 1);
  pipe_end another;
  ASSERT_TRUE(on.add(another.reads, another));
  another.then = [&] { on.remove(another.reads, another); };
  another.put();
  io.restart();
  io.run();
  EXPECT_EQ(another.told, 1);
}

TEST(poller, who_was_removed_is_not_told_what_was_already_collected) {
  boost::asio::io_context io;
  poller on{io};
  pipe_end one;
  pipe_end other;
  ASSERT_TRUE(on.add(one.reads, one));
  ASSERT_TRUE(on.add(other.reads, other));
  one.then = [&] { on.remove(other.reads, other); };
  other.then = [&] { on.remove(one.reads, one); };
  one.put();
  other.put();
  io.poll();
  EXPECT_EQ(one.told + other.told, 1);
  pipe_end& left = one.told == 1 ? one : other;
  on.remove(left.reads, left);
}

TEST(poller, a_descriptor_that_cannot_be_watched_is_refused) {
  boost::asio::io_context io;
  poller on{io};
  pipe_end one;
  EXPECT_FALSE(on.add(-1, one));
}

TEST(poller, many_ready_at_once_are_all_told) {
  boost::asio::io_context io;
  poller on{io};
  std::array<pipe_end, 300> all;
  for (auto& one : all) {
    ASSERT_TRUE(on.add(one.reads, one));
    one.put();
  }
  while (io.poll() > 0) {
  }
  for (auto& one : all) {
    EXPECT_EQ(one.told, 1);
    on.remove(one.reads, one);
  }
}

}  // namespace
}  // namespace weir::net
