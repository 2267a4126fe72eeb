// The walk over JSON: what is taken, what is refused and at which byte, and the same verdict as a
// second, unrelated parser.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <pthread.h>
#include <string>
#include <vector>

#include "wire/count.hpp"
#include "wire/json_scan.hpp"
#include "wire/member_names.hpp"

namespace weir::wire {
namespace {

// Writes down what is met.
struct recorder {
  std::vector<std::string> seen;

  bool value(const json_value& v, body_error&) {
    seen.push_back(std::to_string(v.depth) + ":" + std::string{v.key} + ":" + std::string{v.raw});
    return true;
  }
  bool end(int depth, std::size_t, body_error&) {
    seen.push_back("end " + std::to_string(depth));
    return true;
  }
};

bool is_taken(std::string_view text, body_error& error, int depth = 128) {
  recorder visitor;
  return walk_json(text, depth, visitor, error);
}

bool is_taken(std::string_view text, int depth = 128) {
  body_error error;
  return is_taken(text, error, depth);
}

TEST(json, every_value_is_met_in_order_with_its_depth_and_name) {
  recorder visitor;
  body_error error;
  ASSERT_TRUE(walk_json(R"( {"a":[1,true,{"b\n":"c\"d"}],"e":null,"f":{}} )", 8, visitor, error));
  const std::vector<std::string> expected{"0::",      "1:a:",          "2::1",  "2::true",
                                          "2::",      "3:b\\n:c\\\"d", "end 2", "end 1",
                                          "1:e:null", "1:f:",          "end 1", "end 0"};
  EXPECT_EQ(visitor.seen, expected);
}

TEST(json, offsets_and_sizes_point_into_the_text) {
  struct {
    std::string_view text;
    bool value(const json_value& v, body_error&) {
      if (v.kind == json_kind::string) {
        EXPECT_EQ(text.substr(v.offset, v.size), "\"" + std::string{v.raw} + "\"");
        EXPECT_EQ(v.escaped, v.raw.find('\\') != std::string_view::npos);
      }
      if (v.kind == json_kind::number) EXPECT_EQ(text.substr(v.offset, v.size), v.raw);
      if (v.kind == json_kind::object) EXPECT_EQ(text[v.offset], '{');
      if (v.kind == json_kind::array) EXPECT_EQ(text[v.offset], '[');
      return true;
    }
    bool end(int, std::size_t offset, body_error&) {
      EXPECT_TRUE(text[offset - 1] == '}' || text[offset - 1] == ']');
      return true;
    }
  } visitor{R"([ "plain", "es\tcaped" , -1.5e3, {"k" : [ "" ] } ])"};
  body_error error;
  EXPECT_TRUE(walk_json(visitor.text, 8, visitor, error));
}

TEST(json, what_is_legal_is_taken) {
  const std::string digits(100, '9');
  for (const std::string& text : std::vector<std::string>{"{}",
                                                          "[]",
                                                          "null",
                                                          "true",
                                                          "false",
                                                          "0",
                                                          "-0",
                                                          "-0.0",
                                                          "1e5",
                                                          "1E+5",
                                                          "1.25e-7",
                                                          digits,
                                                          "-" + digits,
                                                          "1e999999999",
                                                          "\"\"",
                                                          R"("\ud83d")",
                                                          R"("\ud83d\ude00")",
                                                          R"("\/\b\f\n\r\t\"\\")",
                                                          "\"\xF0\x9F\x98\x80\"",
                                                          "\"\x7f\"",
                                                          " \t\r\n1 \t\r\n",
                                                          R"({"":{"":[]}})",
                                                          R"({"a":1,"a":2})"}) {
    EXPECT_TRUE(is_taken(text)) << text;
  }
}

TEST(json, what_is_not_json_is_refused) {
  for (const std::string_view text :
       {"",          " ",         "{",           "[",         "\"",
        "{\"a\"",    "{\"a\":",   "{\"a\":1",    "{\"a\":1,", "{\"a\":1,}",
        "[1,]",      "[,1]",      "[1 2]",       "{a:1}",     "{'a':1}",
        "{\"a\" 1}", "{1:2}",     "{} {}",       "1 2",       "NaN",
        "Infinity",  "-",         "-a",          "+1",        "01",
        "-01",       ".5",        "1.",          "1.e5",      "1e",
        "1e+",       "0x10",      "tru",         "True",      "nul",
        "nulll",     "// a\n{}",  "{} // a",     "/* a */ 1", "\xEF\xBB\xBF{}",
        "\"\\x41\"", "\"\\u12\"", "\"\\u12G4\"", "\"\\u\"",   "\"\\",
        "\"\\\"",    "\"a\nb\"",  "\"a\tb\"",    "]",         "}",
        "[}",        "{]",        "[1}",         "{\"a\":1]", "\"a\" \"b\"",
        "[1]]",      ","}) {
    body_error error;
    EXPECT_FALSE(is_taken(text, error)) << text;
    EXPECT_EQ(error.status, 400) << text;
    EXPECT_EQ(error.code, "invalid_json") << text;
    EXPECT_NE(error.message.find("at byte "), std::string::npos) << text;
  }
  EXPECT_FALSE(is_taken(std::string_view{"\"a\0b\"", 5}));
  EXPECT_FALSE(is_taken(std::string_view{"{}\0", 3}));
}

TEST(json, an_error_says_at_which_byte_and_what_was_expected) {
  body_error error;
  EXPECT_FALSE(is_taken(R"({"model":"small",})", error));
  EXPECT_EQ(error.message, "not valid JSON at byte 17: expected a name in double quotes");
  EXPECT_FALSE(is_taken("[1 2]", error));
  EXPECT_EQ(error.message, "not valid JSON at byte 3: expected ',' or ']'");
  EXPECT_FALSE(is_taken(R"(["secret\q"])", error));
  EXPECT_EQ(error.message, "not valid JSON at byte 8: an unknown or incomplete escape in a string");
  EXPECT_EQ(error.message.find("secret"), std::string::npos);
}

// BC-118
TEST(json, bytes_that_are_no_utf8_are_refused_with_their_place) {
  struct {
    std::string text;
    std::size_t at;
  } const rows[] = {{"[\"raw \xFF\xFE\"]", 6},
                    {"[\"overlong \xC0\xAF\"]", 11},
                    {"[\"half \xF0\x9F\x98\"]", 7},
                    {"[\"surrogate \xED\xA0\x80\"]", 12},
                    {"[\"too high \xF5\x80\x80\x80\"]", 11},
                    {"\x80", 0}};
  for (const auto& row : rows) {
    body_error error;
    EXPECT_FALSE(is_taken(row.text, error)) << row.text;
    EXPECT_EQ(error.code, "invalid_utf8");
    EXPECT_NE(error.message.find("at byte " + std::to_string(row.at) + ";"), std::string::npos)
        << error.message;
  }
}

TEST(json, the_first_bad_byte_is_found_wherever_it_stands) {
  for (const std::size_t at : {0UL, 1UL, 4095UL, 4096UL, 4097UL, 9000UL, 12288UL}) {
    for (const std::string_view filler : {"a", "\xC3\xA9", "\xF0\x9F\x98\x80"}) {
      std::string text;
      while (text.size() < at) text += filler;
      const std::size_t expected = text.size();
      text += "\xFF rest \xC3\xA9";
      EXPECT_EQ(first_invalid_utf8(text), expected);
    }
  }
  EXPECT_EQ(first_invalid_utf8("caf\xC3\xA9"), 5U);
}

// BC-117
TEST(json, nesting_is_counted_and_not_recursed_into) {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  EXPECT_TRUE(is_taken(nested(128), 128));
  EXPECT_FALSE(is_taken(nested(129), 128));
  EXPECT_TRUE(is_taken(nested(1024), 5000)) << "never more than the memory that is there";
  EXPECT_FALSE(is_taken(nested(1025), 5000));
  body_error error;
  EXPECT_FALSE(is_taken(R"({"model":"small","messages":)" + nested(100000) + "}", error));
  EXPECT_EQ(error.message, "nested deeper than 128 levels at byte 155");
  std::string objects;
  for (int i = 0; i < 5000; ++i) objects += R"({"a":)";
  EXPECT_FALSE(is_taken(objects + "1" + std::string(5000, '}')));
}

TEST(json, a_small_stack_is_enough_for_the_deepest_text) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, 256 * 1024), 0);
  pthread_t thread;
  bool taken = false;
  const auto walk = [](void* to) -> void* {
    const std::string text = std::string(1024, '[') + std::string(1024, ']');
    *static_cast<bool*>(to) = is_taken(text, 1024);
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, walk, &taken), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_TRUE(taken);
}

TEST(json, arrays_and_objects_are_told_apart_at_every_depth) {
  std::string text;
  std::string closing;
  for (int i = 0; i < 200; ++i) {
    const bool object = i % 3 != 0;
    text += object ? R"({"a":)" : "[";
    closing.insert(0, object ? "}" : "]");
  }
  EXPECT_TRUE(is_taken(text + "1" + closing, 300));
  closing[100] = closing[100] == '}' ? ']' : '}';
  EXPECT_FALSE(is_taken(text + "1" + closing, 300));
}

TEST(json, a_visitor_can_stop_the_walk) {
  struct {
    int met{0};
    bool value(const json_value& v, body_error& out) {
      ++met;
      if (v.raw != "2") return true;
      out.code = "enough";
      return false;
    }
    bool end(int, std::size_t, body_error&) { return true; }
  } visitor;
  body_error error;
  EXPECT_FALSE(walk_json("[1,2,3", 8, visitor, error));
  EXPECT_EQ(error.code, "enough");
  EXPECT_EQ(visitor.met, 3);
}

TEST(json, one_byte_more_or_less_gets_the_verdict_of_another_parser) {
  const std::string seed =
      R"({"a":[1,-2.5e+3,true,null,"x\u00e9\n\"y"],"b":{"c":"\ud83d\ude00","d":[]},"e":""})";
  std::string bytes{"{}[],:\"\\ \t\n0129-+.eEtrufalsn/x\x01"};
  bytes += '\0';
  const auto agree = [](const std::string& text) {
    // The other parser takes no half surrogate pairs, which are legal JSON.
    const bool half =
        text.find("d83d") != std::string::npos || text.find("de00") != std::string::npos;
    if (half && text.find("\"\\ud83d\\ude00") == std::string::npos) return;
    EXPECT_EQ(is_taken(text), nlohmann::json::accept(text)) << text;
  };
  for (std::size_t at = 0; at < seed.size(); ++at) {
    agree(seed.substr(0, at));
    agree(seed.substr(at));
    agree(seed.substr(0, at) + seed.substr(at + 1));
    for (const char c : bytes) {
      std::string text = seed;
      text[at] = c;
      agree(text);
      text = seed;
      text.insert(at, 1, c);
      agree(text);
    }
  }
}

TEST(json, escapes_are_resolved_and_their_bytes_counted) {
  struct {
    std::string_view raw;
    std::string_view text;
  } const rows[] = {{"plain", "plain"},
                    {R"(a\"b\\c\/d)", "a\"b\\c/d"},
                    {R"(\b\f\n\r\t)", "\b\f\n\r\t"},
                    {R"(\u0041\u00e9\u20AC)", "A\xC3\xA9\xE2\x82\xAC"},
                    {R"(\ud83d\uDE00!)", "\xF0\x9F\x98\x80!"},
                    {R"(mod\u0065l)", "model"},
                    {"\xC3\xA9\\n", "\xC3\xA9\n"}};
  for (const auto& row : rows) {
    std::string out = "left over";
    EXPECT_TRUE(unescape(row.raw, out)) << row.raw;
    EXPECT_EQ(out, row.text);
    EXPECT_EQ(unescaped_size(row.raw), static_cast<std::int64_t>(row.text.size())) << row.raw;
  }
}

TEST(json, half_a_surrogate_pair_is_told_and_keeps_its_place) {
  for (const std::string_view raw :
       {R"(a\ud83d)", R"(a\ude00)", R"(a\ud83dx)", R"(a\ud83d\u0041)"}) {
    std::string out;
    EXPECT_FALSE(unescape(raw, out)) << raw;
    EXPECT_EQ(unescaped_size(raw), static_cast<std::int64_t>(out.size())) << raw;
    EXPECT_GE(out.size(), 4U);
  }
}

TEST(json, quoting_makes_a_string_of_anything) {
  EXPECT_EQ(quote("a\"b\\c\n"), R"("a\"b\\c\n")");
  EXPECT_EQ(quote("caf\xC3\xA9"), "\"caf\xC3\xA9\"");
  EXPECT_TRUE(is_taken(quote(std::string_view{"\xFF\0\x01", 3})));
}

TEST(counts, asked_ones_are_rounded_up_and_saturated) {
  EXPECT_EQ(read_asked("0"), 0);
  EXPECT_EQ(read_asked("-0"), 0);
  EXPECT_EQ(read_asked("100"), 100);
  EXPECT_EQ(read_asked("1e3"), 1000);
  EXPECT_EQ(read_asked("2.5"), 3);
  EXPECT_EQ(read_asked("-1"), std::nullopt);
  EXPECT_EQ(read_asked("-1e9"), std::nullopt);
  EXPECT_EQ(read_asked("1e999999999"), largest_count);
  EXPECT_EQ(read_asked(std::string(100, '9')), largest_count);
  EXPECT_EQ(read_asked("9223372036854775807"), largest_count);
}

TEST(counts, products_do_not_overflow) {
  EXPECT_EQ(saturated_product(5, 100), 500);
  EXPECT_EQ(saturated_product(0, largest_count), 0);
  EXPECT_EQ(saturated_product(largest_count, largest_count), largest_count);
}

TEST(member_names, a_name_in_a_spelling_that_other_readers_take_is_known) {
  EXPECT_TRUE(is_misspelt("Model", "model"));
  EXPECT_TRUE(is_misspelt("MAX_TOKENS", "max_tokens"));
  EXPECT_TRUE(
      is_misspelt("max_to\xE2\x84\xAA"
                  "ens",
                  "max_tokens"));
  EXPECT_TRUE(is_misspelt("\xC5\xBFtream", "stream"));
  EXPECT_FALSE(is_misspelt("model", "model"));
  EXPECT_FALSE(is_misspelt("models", "model"));
  EXPECT_FALSE(is_misspelt("mode", "model"));
  EXPECT_FALSE(is_misspelt("\xC5\xBF\xC5\xBF", "stream"));
}

TEST(member_names, one_that_stands_twice_is_found_among_few_and_among_many) {
  for (const std::size_t many : {1UL, 47UL, 48UL, 49UL, 4000UL}) {
    std::vector<std::string> written;
    for (std::size_t i = 0; i < many; ++i) written.push_back("name" + std::to_string(i));
    member_names names;
    std::string_view name;
    for (const auto& one : written)
      ASSERT_EQ(names.add(one, name), member_names::verdict::fresh) << one;
    for (const auto& one : written)
      ASSERT_EQ(names.add(one, name), member_names::verdict::twice) << one;
    EXPECT_EQ(names.add(R"(n\u0061me0)", name), member_names::verdict::twice);
    EXPECT_EQ(name, "name0");
  }
}

}  // namespace
}  // namespace weir::wire
