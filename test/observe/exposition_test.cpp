// The text that Prometheus reads, judged by its own promtool and by what it may not do.
#include "observe/exposition.hpp"

#include "observe/exposition_reader.hpp"
#include "observe/metrics.hpp"
#include "observe/process.hpp"

namespace weir::observe {
namespace {

template <kind K, unit U, std::size_t... I>
auto with_labels(metrics& m, family_handle<K, U, sizeof...(I)> family, std::string_view value,
                 std::index_sequence<I...>) {
  m.declare(family, {((void)I, value)...});
}

// One series in every family of the table.
template <std::size_t... Row>
void fill(metrics& m, std::string_view value, std::index_sequence<Row...>) {
  (with_labels(m, handle_of<Row>, value,
               std::make_index_sequence<family_table[Row].label_count()>{}),
   ...);
}
void fill(metrics& m, std::string_view value) {
  fill(m, value, std::make_index_sequence<family_table.size()>{});
}

// Case BC-133 and worse.
const std::string hostile[] = {"a\"b\\c\nd{e}\u2028é",
                               "x\ny",
                               "\\",
                               "\"",
                               "\\n",
                               "\xff\xfe",
                               "\xc0\xaf",
                               std::string("\0", 1),
                               "\r\n# TYPE weir_requests_total gauge",
                               "} 1\nweir_requests_total 5",
                               std::string(1000, 'x'),
                               std::string(119, 'y') + "é",
                               ",le=\"1\"",
                               ""};

TEST(exposition, of_every_family_is_clean_to_promtool) {
  metrics m;
  fill(m, "v");
  set_process_figures(m, wall_time{1s});
  const auto text = m.copy().exposition();
  EXPECT_EQ(promtool_findings(text), "");
  for (const auto& row : family_table) {
    EXPECT_NE(text.find("# TYPE " + std::string{row.name} + " "), std::string::npos) << row.name;
  }
  EXPECT_TRUE(text.ends_with('\n'));
}

TEST(exposition, of_hostile_label_values_is_clean_to_promtool) {
  metrics m;
  for (const auto& value : hostile) {
    fill(m, value);
    m.add(family::requests, {"/v1/", value, "404", "refused"});
  }
  const auto text = m.copy().exposition();
  EXPECT_EQ(promtool_findings(text), "");
  const auto seen = samples_of(text);
  EXPECT_EQ(seen.at("weir_requests_total{route=\"/v1/\",model=\"a\\\"b\\\\c\\nd{e}\u2028é\","
                    "status=\"404\",outcome=\"refused\"}"),
            "1");
}

TEST(exposition, shows_values_that_become_alike_when_cleaned_as_one_series) {
  metrics m;
  m.add(family::would_refuse, {"\xff"});
  m.add(family::would_refuse, {"\xfe"});
  m.add(family::would_refuse, {"\xef\xbf\xbd"});
  m.add(family::would_refuse, {std::string(120, 'x')});
  m.add(family::would_refuse, {std::string(500, 'x')});
  const auto seen = samples_of(m.copy().exposition());
  EXPECT_EQ(seen.at("weir_would_refuse_total{rule=\"\xef\xbf\xbd\"}"), "3");
  EXPECT_EQ(seen.at("weir_would_refuse_total{rule=\"" + std::string(120, 'x') + "\"}"), "2");
}

TEST(exposition, escapes_help) {
  const family_row row{"x_total", kind::counter, unit::one, "a\\b\n# TYPE \"c\""};
  series_table series{0, 1, 1};
  series.find_or_add({});
  std::string out;
  append_family(out, row, series);
  EXPECT_EQ(out, "# HELP x_total a\\\\b\\n# TYPE \"c\"\n# TYPE x_total counter\nx_total 0\n");
}

TEST(exposition, keeps_the_series_of_a_family_together_and_sorted) {
  metrics m;
  for (const char* rule : {"b", "a", "c"}) {
    m.add(family::would_refuse, {rule});
    m.add(family::auth_failures, {rule});
  }
  std::string order;
  for (const auto& line : lines_of(m.copy().exposition())) {
    if (line.starts_with("weir_would_refuse_total{rule=")) order += line[30];
    if (line.starts_with("weir_auth_failures_total{reason=")) order += line[33];
  }
  EXPECT_EQ(order, "abcabc");
}

TEST(exposition, shows_exact_decimals) {
  metrics m;
  const auto shown = [&](microseconds value) {
    m.set(family::cpu_seconds, {}, value);
    return samples_of(m.copy().exposition()).at("weir_process_cpu_seconds_total");
  };
  EXPECT_EQ(shown(0us), "0");
  EXPECT_EQ(shown(1us), "0.000001");
  EXPECT_EQ(shown(1'500'000us), "1.5");
  EXPECT_EQ(shown(microseconds::max()), "9223372036854.775807");
  EXPECT_EQ(shown(microseconds::min()), "-9223372036854.775808");
}

TEST(label_bombs, fold_into_other_and_lose_no_count) {
  metrics m;
  for (int i = 0; i < 100'000; ++i) m.add(family::requests, {"/", std::to_string(i), "200", "ok"});
  m.add(family::requests, {"/", "7", "200", "ok"});
  const auto text = m.copy().exposition();
  const auto seen = samples_of(text);
  std::int64_t series = 0;
  std::int64_t sum = 0;
  for (const auto& [name, value] : seen) {
    if (!name.starts_with("weir_requests_total")) continue;
    ++series;
    sum += std::stoll(value);
  }
  EXPECT_EQ(series, 2000);
  EXPECT_EQ(sum, 100'001);
  EXPECT_EQ(seen.at(R"(weir_requests_total{route="/",model="7",status="200",outcome="ok"})"), "2");
  EXPECT_EQ(
      seen.at(R"(weir_requests_total{route="other",model="other",status="other",outcome="other"})"),
      "98001");
  EXPECT_EQ(promtool_findings(text), "");
}

}  // namespace
}  // namespace weir::observe
