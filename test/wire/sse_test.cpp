// Events in a stream, whatever way it is cut, and where each ends.
#include "wire/sse.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

namespace weir::wire {
namespace {

struct found {
  std::string data;
  std::string type;
  bool has_data;
  bool operator==(const found&) const = default;
};

// All events of the pieces, and the stream put together again from the events' ranges.
struct scan {
  std::vector<found> events;
  std::string told;  // bytes of complete events, in order
  std::string rest;  // of an incomplete one

  explicit scan(const std::vector<std::string>& pieces, bool end_of_stream = false) {
    sse_scanner scanner;
    std::string buffer;  // as a loop's: another's bytes are in it by the time the next are fed
    for (const auto& piece : pieces) {
      buffer = piece;
      scanner.feed(buffer);
      sse_event event;
      std::size_t from = 0;
      std::size_t end = 0;
      while (scanner.next(event, end)) {
        EXPECT_GE(end, from);
        add(event);
        told += rest + piece.substr(from, end - from);
        rest.clear();
        from = end;
      }
      rest += piece.substr(from);
      std::fill(buffer.begin(), buffer.end(), '\n');
    }
    sse_event event;
    if (end_of_stream && scanner.finish(event)) add(event);
  }
  void add(const sse_event& event) {
    events.push_back({std::string{event.data}, std::string{event.type}, event.has_data});
  }
};

std::vector<found> events_of(const std::vector<std::string>& pieces, bool end_of_stream = false) {
  return scan{pieces, end_of_stream}.events;
}

std::vector<found> data_of(const std::vector<std::string>& texts) {
  std::vector<found> out;
  for (const auto& text : texts) out.push_back({text, "", true});
  return out;
}

TEST(sse, an_event_in_one_read_is_a_view_into_it) {
  const std::string bytes = "data: {\"a\":1}\n\ndata: {\"a\":2}\n\n";
  sse_scanner scanner;
  scanner.feed(bytes);
  sse_event event;
  std::size_t end = 0;
  ASSERT_TRUE(scanner.next(event, end));
  EXPECT_EQ(event.data.data(), bytes.data() + 6);
  EXPECT_EQ(end, 15U);
  ASSERT_TRUE(scanner.next(event, end));
  EXPECT_EQ(event.data.data(), bytes.data() + 21);
  EXPECT_EQ(event.data, "{\"a\":2}");
  EXPECT_EQ(end, bytes.size());
  EXPECT_FALSE(scanner.next(event, end));
}

// BC-004
TEST(sse, every_line_end_counts_and_may_be_cut_anywhere) {
  const auto expected = data_of({"A", "B", "[DONE]"});
  for (const std::string ends : {"\n", "\r\n", "\r"}) {
    EXPECT_EQ(events_of({"data: A" + ends + ends + "data: B" + ends + ends + "data:[DONE]" + ends +
                         ends}),
              expected);
  }
  EXPECT_EQ(events_of({"data: A\r\n\ndata: B\n\r\ndata:[DONE]\r\r"}), expected);
  EXPECT_EQ(events_of({"data: A\r", "\n\r", "\ndata: B\r\r", "data:[DONE]\r\n\r\n"}), expected);
  EXPECT_EQ(events_of({"data: A\n", "\n", "data: B\r", "\r", "data:[DONE]\r", "\n", "\r", "\n"}),
            expected);
}

// BC-004: the bytes can be put together again from what is told of each event
TEST(sse, the_ranges_of_events_cover_the_stream) {
  const scan cut{{"data: A\r", "\n\r", "\ndata: B\r\r", "data: C\n\n: x\n\nda", "ta: D"}};
  EXPECT_EQ(cut.told + cut.rest, "data: A\r\n\r\ndata: B\r\rdata: C\n\n: x\n\ndata: D");
  EXPECT_EQ(cut.rest, "data: D");
  ASSERT_EQ(cut.events.size(), 4U);
  EXPECT_FALSE(cut.events[3].has_data);
}

TEST(sse, fields_are_read_as_the_standard_says) {
  EXPECT_EQ(events_of({"event: error\ndata: x\n\n"}), (std::vector<found>{{"x", "error", true}}));
  EXPECT_EQ(events_of({"id: 7\nretry: 10\nevent:a\ndata:x\n\n"}),
            (std::vector<found>{{"x", "a", true}}));
  EXPECT_EQ(events_of({"data: one\ndata:two\ndata\ndata:  three\n\n"}),
            data_of({"one\ntwo\n\n three"}));
  EXPECT_EQ(events_of({"data\n\n"}), data_of({""}));
  EXPECT_EQ(events_of({"data:\n\n"}), data_of({""}));
  EXPECT_EQ(events_of({": comment\ndata: x\n: more\n\n"}), data_of({"x"}));
  EXPECT_EQ(events_of({"Data: x\n\n"}), (std::vector<found>{{"", "", false}}));
  EXPECT_EQ(events_of({" data: x\n\n"}), (std::vector<found>{{"", "", false}}));
  const std::string nul{"a\0b", 3};
  EXPECT_EQ(events_of({"data: " + nul + "\n\n"}), data_of({nul}));
}

TEST(sse, comments_and_blank_lines_are_no_data) {
  const std::vector<found> nothing{{"", "", false}};
  EXPECT_EQ(events_of({": ping\n\n"}), nothing);
  EXPECT_EQ(events_of({"\n"}), nothing);
  EXPECT_EQ(events_of({"event: ping\n\n"}), (std::vector<found>{{"", "ping", false}}));
}

TEST(sse, a_byte_order_mark_counts_only_at_the_start) {
  EXPECT_EQ(events_of({"\xEF\xBB\xBF"
                       "data: x\n\n"}),
            data_of({"x"}));
  EXPECT_EQ(events_of({"\xEF", "\xBB",
                       "\xBF"
                       "data: x\n\n"}),
            data_of({"x"}));
  EXPECT_EQ(events_of({"data: x\n\n\xEF\xBB\xBF"
                       "data: y\n\n"}),
            (std::vector<found>{{"x", "", true}, {"", "", false}}));
}

// BC-009
TEST(sse, the_last_event_may_lack_its_blank_line) {
  for (const std::string last : {"data: B", "data: B\n", "data: B\r\n", "data: B\r"}) {
    EXPECT_EQ(events_of({"data: A\n\n" + last}, true), data_of({"A", "B"})) << last;
    EXPECT_EQ(events_of({"data: A\n\nda", last.substr(2)}, true), data_of({"A", "B"})) << last;
  }
  EXPECT_EQ(events_of({"data: A\n\n: bye"}, true), data_of({"A"}));
  EXPECT_EQ(events_of({"data: A\n\n"}, true), data_of({"A"}));
  EXPECT_EQ(events_of({}, true), data_of({}));
}

// BC-006
TEST(sse, an_event_of_megabytes_comes_whole_in_any_pieces) {
  const std::string big(1'500'000, 'x');
  std::vector<std::string> pieces;
  const std::string bytes = "data: " + big + "\n\ndata: [DONE]\n\n";
  for (std::size_t at = 0; at < bytes.size(); at += 16'000)
    pieces.push_back(bytes.substr(at, 16'000));
  EXPECT_EQ(events_of(pieces), data_of({big, "[DONE]"}));
}

// BC-007
TEST(sse, an_event_above_the_cap_ends_the_scan_and_frees_the_memory) {
  sse_scanner scanner{1000};
  sse_event event;
  std::size_t end = 0;
  const std::string piece(300, 'a');
  for (int i = 0; i < 3; ++i) {
    scanner.feed(piece);
    EXPECT_FALSE(scanner.next(event, end));
    EXPECT_FALSE(scanner.over_cap());
  }
  for (int i = 0; i < 2; ++i) {
    scanner.feed(piece);
    EXPECT_FALSE(scanner.next(event, end));
  }
  EXPECT_TRUE(scanner.over_cap());
  scanner.feed("\n\ndata: x\n\n");
  EXPECT_FALSE(scanner.next(event, end));
  EXPECT_FALSE(scanner.finish(event));
}

TEST(sse, the_default_cap_is_eight_mebibytes) {
  sse_scanner scanner;
  sse_event event;
  std::size_t end = 0;
  const std::string piece(65536, 'a');
  int fed = 0;
  for (; !scanner.over_cap() && fed < 4096; ++fed) {
    scanner.feed(piece);
    EXPECT_FALSE(scanner.next(event, end));
  }
  EXPECT_GE(fed, 128);
  EXPECT_LE(fed, 130);
}

TEST(sse, the_end_of_an_event_is_told_in_the_bytes_fed_last) {
  sse_scanner scanner;
  sse_event event;
  std::size_t end = 0;
  scanner.feed("data: A\n\ndata: B\nda");
  ASSERT_TRUE(scanner.next(event, end));
  EXPECT_FALSE(scanner.next(event, end));
  const std::string second = "ta: C\n\n";
  scanner.feed(second);
  ASSERT_TRUE(scanner.next(event, end));
  EXPECT_EQ(event.data, "B\nC");
  EXPECT_EQ(end, second.size());
}

TEST(sse, many_short_lines_with_bare_cr_take_no_longer_than_with_lf) {
  std::string bytes;
  for (int i = 0; i < 200'000; ++i) bytes += "data:" + std::string(20, 'x') + "\r";
  const auto events = events_of({bytes + "\r"});
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].data.size(), 200'000U * 21 - 1);
}

// However a stream is cut, the events are those of the uncut stream, and no byte is lost.
TEST(sse, cutting_a_stream_changes_nothing) {
  std::mt19937 random{20261201};
  const std::vector<std::string> parts{"data: x",      "data:",    "data: {\"a\":\"b\"}",
                                       "event: error", ": c",      "\n",
                                       "\r",           "\r\n",     "\n\n",
                                       "\r\r",         "\r\n\r\n", "id: 1",
                                       "data",         "x",        "\xEF\xBB\xBF"};
  for (int round = 0; round < 3000; ++round) {
    std::string bytes;
    for (auto left = random() % 20; left > 0; --left) bytes += parts[random() % parts.size()];
    std::vector<std::string> pieces;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t size = 1 + random() % 8;
      pieces.push_back(bytes.substr(at, size));
      at += size;
    }
    const scan whole{{bytes}, true};
    const scan cut{pieces, true};
    ASSERT_EQ(cut.events, whole.events) << bytes;
    ASSERT_EQ(cut.told + cut.rest, bytes);
    ASSERT_EQ(whole.told + whole.rest, bytes);
  }
}

}  // namespace
}  // namespace weir::wire
