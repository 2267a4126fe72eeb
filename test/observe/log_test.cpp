// What lines the log writes, whatever is put into it. Where they go is fd_sink_test.cpp.
#include "observe/log.hpp"

#include <limits>
#include <thread>

#include "observe/support.hpp"

namespace weir::observe {
namespace {

struct log_lines : ::testing::Test {
  temporary_file file;
  manual_clock time;  // 2026-12-01T00:00:00Z

  std::vector<std::string> written(logger& log) {
    log.flush();
    return lines_of(file.text());
  }
};

// Ids that a caller may choose and that break careless logs.
const std::string hostile[] = {
    "a\nb",
    "a\r\n{\"level\":\"error\"}",
    "quote\" backslash\\ ",
    "\x1b[31mred\x07",
    std::string("nul\0byte", 8),
    "\xff\xfe\xc0\xaf",
    "cut\xe2\x82",
    "\xed\xa0\x80surrogate",
    "line\xe2\x80\xa8sep\xe2\x80\xa9",
    "c1\xc2\x9b\x31m",
    "del\x7f",
    "a=b c=d",
    "é漢🙂",
    "{{}} %s %n ${jndi:x}",
    std::string(100'000, 'x'),
    std::string(50'000, '\n'),
};

TEST_F(log_lines, have_time_level_message_and_typed_fields) {
  logger log{{.fd = file.fd()}, time};
  time.advance(1'234'567us);
  log.warn("It happened", {{"text", "t"},
                           {"n", -42},
                           {"big", std::numeric_limits<std::uint64_t>::max()},
                           {"half", 0.5},
                           {"yes", true},
                           {"nan", std::numeric_limits<double>::quiet_NaN()}});
  const auto lines = written(log);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0],
            R"({"time":"2026-12-01T00:00:01.234Z","level":"warn","message":"It happened",)"
            R"("text":"t","n":-42,"big":18446744073709551615,"half":0.5,"yes":true,"nan":null})");
}

TEST_F(log_lines, in_text_form_quote_only_what_needs_it) {
  logger log{{.json = false, .fd = file.fd()}, time};
  log.info("Two words", {{"plain", "10.0.0.1:80"}, {"spaced", "a b"}, {"empty", ""}, {"n", 1}});
  EXPECT_EQ(written(log)[0],
            "time=2026-12-01T00:00:00.000Z level=info message=\"Two words\" plain=10.0.0.1:80 "
            "spaced=\"a b\" empty=\"\" n=1");
}

TEST_F(log_lines, show_dates_as_the_calendar_does) {
  logger log{{.fd = file.fd()}, time};
  for (const std::int64_t seconds : {0LL, 951'782'399LL, 951'782'400LL, 4'102'444'799LL, -1LL}) {
    log.call({.at = wall_time{std::chrono::seconds{seconds}}});
  }
  const char* const right[] = {"1970-01-01T00:00:00.000Z", "2000-02-28T23:59:59.000Z",
                               "2000-02-29T00:00:00.000Z", "2099-12-31T23:59:59.000Z",
                               "1969-12-31T23:59:59.000Z"};
  const auto lines = written(log);
  ASSERT_EQ(lines.size(), std::size(right));
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(parsed(lines[i])["time"], right[i]);
}

TEST_F(log_lines, stay_one_parseable_line_each_whatever_the_texts_hold) {
  logger log{{.fd = file.fd()}, time};
  for (const auto& id : hostile) {
    log.info(id, {{id, id}});
    log.call({.user = id, .session = id, .route = id, .model = id, .rule = id});
  }
  const auto lines = written(log);
  EXPECT_EQ(lines.size() + log.lost(), 2 * std::size(hostile));
  EXPECT_LE(log.lost(), 2U);  // the field named by 50 000 newlines is longer than the buffer
  for (const auto& line : lines) {
    parsed(line);
    for (const char c : line) {
      EXPECT_GE(static_cast<unsigned char>(c), 0x20) << line;
      EXPECT_NE(c, '\x7f') << line;
    }
    EXPECT_EQ(line.find("\xe2\x80\xa8"), std::string::npos);
    EXPECT_EQ(line.find("\xc2\x9b"), std::string::npos);
  }
}

TEST_F(log_lines, in_text_form_stay_one_line_and_keep_their_fields) {
  logger log{{.json = false, .fd = file.fd()}, time};
  for (const auto& id : hostile) log.call({.user = id, .tier = "FREE"});
  const auto lines = written(log);
  ASSERT_EQ(lines.size(), std::size(hostile));
  for (const auto& line : lines) EXPECT_NE(line.find(" tier=FREE "), std::string::npos) << line;
  EXPECT_NE(lines[11].find(" user=\"a=b c=d\" "), std::string::npos) << lines[11];
}

TEST_F(log_lines, give_valid_texts_back_unchanged) {
  logger log{{.fd = file.fd()}, time};
  const std::string text = "é漢🙂 \"q\" \\ \n\t\x01\x7f\xe2\x80\xa8\xc2\x9b/";
  log.info("m", {{"v", text}});
  EXPECT_EQ(parsed(written(log)[0])["v"], text);
}

TEST_F(log_lines, replace_each_invalid_byte) {
  logger log{{.fd = file.fd()}, time};
  log.info("m", {{"v", "a\xff\xc3(b\xe2\x82"}});
  EXPECT_EQ(parsed(written(log)[0])["v"], "a\xEF\xBF\xBD\xEF\xBF\xBD(b\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_F(log_lines, of_calls_cut_what_callers_choose_at_128_bytes_between_characters) {
  logger log{{.fd = file.fd()}, time};
  log.call({.user = std::string(127, 'u') + "é" + std::string(1000, 'v')});
  EXPECT_EQ(parsed(written(log)[0])["user"], std::string(127, 'u'));
}

TEST_F(log_lines, of_calls_leave_out_what_is_not_known) {
  logger log{{.fd = file.fd()}, time};
  log.call({.at = time.now().wall});
  EXPECT_EQ(written(log)[0],
            R"({"time":"2026-12-01T00:00:00.000Z","level":"info","message":"call",)"
            R"("duration_us":0,"bytes_in":0,"bytes_out":0})");
}

TEST_F(log_lines, of_calls_name_every_field) {
  call_record call{.at = time.now().wall, .request_id = "r1", .user = "u", .tier = "FREE"};
  call.team = "team", call.key_id = "k", call.how = "api_key", call.address = "::1";
  call.session = "s", call.method = "POST", call.route = "/v1/", call.endpoint = "chat";
  call.model = "m", call.served_model = "sm", call.provider = "p", call.status = 429;
  call.outcome = "refused", call.decision = "refused", call.reason = "rate_limit_exceeded";
  call.rule = "tiers.FREE.limits[0]", call.scope = "user", call.limit = 10, call.used = 11;
  call.retry_after = 6, call.prompt_tokens = 1, call.completion_tokens = 2, call.cached_tokens = 3;
  call.tokens_source = "usage", call.reserved_tokens = 4, call.attempts = 1, call.stream = true;
  call.duration_us = 5, call.ttft_us = 6, call.overhead_us = 7, call.bytes_in = 8;
  call.bytes_out = 9, call.trace_id = "t";
  logger log{{.fd = file.fd()}, time};
  log.call(call);
  EXPECT_EQ(parsed(written(log)[0]), nlohmann::json::parse(R"({
    "time":"2026-12-01T00:00:00.000Z","level":"info","message":"call","request_id":"r1",
    "user":"u","tier":"FREE","team":"team","key_id":"k","how":"api_key","address":"::1",
    "session":"s","method":"POST","route":"/v1/","endpoint":"chat","model":"m",
    "served_model":"sm","provider":"p","status":429,"outcome":"refused","decision":"refused",
    "reason":"rate_limit_exceeded","rule":"tiers.FREE.limits[0]","scope":"user","limit":10,
    "used":11,"retry_after":6,"prompt_tokens":1,"completion_tokens":2,"cached_tokens":3,
    "tokens_source":"usage","reserved_tokens":4,"attempts":1,"stream":true,"duration_us":5,
    "ttft_us":6,"overhead_us":7,"bytes_in":8,"bytes_out":9,"trace_id":"t"})"));
}

TEST_F(log_lines, below_the_level_are_not_written_and_the_level_can_change) {
  logger log{{.level = log_level::warn, .fd = file.fd()}, time};
  log.debug("no");
  log.info("no");
  log.call({.user = "no"});
  log.warn("1");
  log.set_level(log_level::debug);
  log.debug("2");
  log.set_level(log_level::off);
  log.error("no");
  const auto lines = written(log);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(parsed(lines[0])["message"], "1");
  EXPECT_EQ(parsed(lines[1])["message"], "2");
}

TEST_F(log_lines, of_several_threads_do_not_mix) {
  logger log{{.fd = file.fd()}, time};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&log] {
      for (int i = 0; i < 2000; ++i) {
        log.call({.user = "someone", .model = "llama", .status = 200});
        if (i % 100 == 0) log.flush();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const auto lines = written(log);
  EXPECT_EQ(lines.size(), 8000U);
  EXPECT_EQ(log.lost(), 0U);
  for (const auto& line : lines) EXPECT_EQ(line, lines[0]);
}

}  // namespace
}  // namespace weir::observe
