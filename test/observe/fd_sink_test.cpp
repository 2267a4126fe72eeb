// What becomes of log lines when the descriptor is slow, full or gone.
#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "observe/log.hpp"
#include "observe/support.hpp"

namespace weir::observe {
namespace {

const manual_clock at_rest;

TEST(log_output, is_held_back_until_flushed) {
  const temporary_file file;
  logger log{{.fd = file.fd()}, at_rest};
  log.info("a");
  EXPECT_EQ(file.text(), "");
  log.flush();
  EXPECT_EQ(lines_of(file.text()).size(), 1U);
}

TEST(log_output, goes_out_at_once_with_a_warning) {
  const temporary_file file;
  logger log{{.fd = file.fd()}, at_rest};
  log.info("a");
  log.warn("b");
  EXPECT_EQ(lines_of(file.text()).size(), 2U);
  log.error("c");
  EXPECT_EQ(lines_of(file.text()).size(), 3U);
}

TEST(log_output, goes_out_when_the_buffer_is_full_and_when_the_logger_ends) {
  const temporary_file file;
  {
    logger log{{.fd = file.fd(), .buffer_bytes = 1000}, at_rest};
    for (int i = 0; i < 20; ++i) log.info("a line of some length, so that it fills");
    EXPECT_GE(lines_of(file.text()).size(), 9U);
    EXPECT_LT(lines_of(file.text()).size(), 20U);
  }
  EXPECT_EQ(lines_of(file.text()).size(), 20U);
}

TEST(log_output, to_a_blocking_pipe_that_nobody_reads_never_waits_and_counts_what_is_lost) {
  const pipe_pair pipe;
  ASSERT_EQ(fcntl(pipe.ends[1], F_GETFL) & O_NONBLOCK, 0);
  logger log{{.fd = pipe.ends[1]}, at_rest};
  constexpr std::uint64_t all = 20'000;
  for (std::uint64_t i = 0; i < all; ++i) log.call({.user = "someone"});
  log.warn("and a warning");
  EXPECT_GT(log.lost(), all / 2);

  // Once somebody reads, what was kept arrives whole and in order.
  std::string text;
  const auto pending = [&] {
    return all + 1 - log.lost() - std::count(text.begin(), text.end(), '\n');
  };
  while (pending() > 0) {
    log.flush();
    const auto more = pipe.take(8192);
    ASSERT_FALSE(more.empty());
    text += more;
  }
  for (const auto& line : lines_of(text)) parsed(line);
}

TEST(log_output, to_a_socket_that_nobody_reads_never_waits) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  logger log{{.fd = ends[1]}, at_rest};
  for (int i = 0; i < 20'000; ++i) log.call({.user = "someone"});
  EXPECT_GT(log.lost(), 0U);
  close(ends[0]);
  log.warn("after the reader went away");
  EXPECT_GE(log.lost(), 1U);
  close(ends[1]);
}

TEST(log_output, to_a_closed_pipe_is_lost_and_counted_without_a_signal) {
  signal(SIGPIPE, SIG_DFL);
  pipe_pair pipe;
  logger log{{.fd = pipe.ends[1]}, at_rest};
  pipe.close_reader();
  log.info("a");
  log.warn("b");
  EXPECT_EQ(log.lost(), 2U);
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGPIPE), 0);
}

TEST(log_output, to_a_full_disk_is_lost_and_counted) {
  const int full = open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  logger log{{.fd = full}, at_rest};
  log.error("a");
  log.error("b");
  EXPECT_EQ(log.lost(), 2U);
  close(full);
}

TEST(log_output, to_no_descriptor_at_all_is_lost_and_counted) {
  logger log{{.fd = -1}, at_rest};
  log.error("a");
  EXPECT_EQ(log.lost(), 1U);
}

// A disk that is full in the middle of a line: the half line must not swallow the next one.
TEST(log_output, after_a_torn_line_begins_on_a_line_of_its_own) {
  const temporary_file file;
  signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  logger log{{.fd = file.fd()}, at_rest};
  log.warn("whole");
  const auto one = file.text().size();

  rlimit tight = before;
  tight.rlim_cur = one + 10;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
  log.warn("torn");
  log.warn("lost");
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  log.warn("after");

  const auto lines = lines_of(file.text());
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(parsed(lines[0])["message"], "whole");
  EXPECT_EQ(lines[1].size(), 10U);
  EXPECT_EQ(parsed(lines[2])["message"], "after");
  EXPECT_EQ(log.lost(), 2U);
}

TEST(log_output, drops_a_line_longer_than_the_buffer_and_goes_on) {
  const temporary_file file;
  logger log{{.fd = file.fd(), .buffer_bytes = 300}, at_rest};
  log.warn(std::string(1000, 'x'));
  log.warn("short");
  EXPECT_EQ(log.lost(), 1U);
  EXPECT_EQ(lines_of(file.text()).size(), 1U);
}

}  // namespace
}  // namespace weir::observe
