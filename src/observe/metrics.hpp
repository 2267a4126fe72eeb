// The metrics of ONE thread: plain integers, no locks, no atomics. Each thread has its own, made in
// main; a scrape has each thread copy() its own and merges the copies. What the process as a whole
// knows (configuration, log, memory) is set by the scraper in a fresh metrics of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/time.hpp"
#include "observe/families.hpp"
#include "observe/series_table.hpp"
#include "observe/snapshot.hpp"

namespace weir::observe {

// A series looked up once; valid for the metrics that made it, as long as that lives.
template <kind K, unit U>
struct series {
  std::size_t row{0};
  std::size_t cell{0};
};

class metrics {
 public:
  // At most `most_series` (>= 1) per family; further ones count in one whose labels all say
  // "other".
  explicit metrics(std::size_t most_series = 2000);
  metrics(metrics&&) = default;
  metrics& operator=(metrics&&) = default;

  // Counters: by >= 0. Example: add(family::refusals, {reason, rule, scope}).
  template <unit U, std::size_t N>
  void add(family_handle<kind::counter, U, N> family,
           const std::type_identity_t<label_values<N>>& labels, std::int64_t by = 1) {
    families_[family.row][find(family.row, labels.all())] += by;
  }
  template <unit U>
  void add(series<kind::counter, U> one, std::int64_t by = 1) {
    families_[one.row][one.cell] += by;
  }

  // Gauges: up and down, such as +1 at the begin and -1 at the end.
  template <unit U, std::size_t N>
  void add(family_handle<kind::gauge, U, N> family,
           const std::type_identity_t<label_values<N>>& labels, std::int64_t by) {
    families_[family.row][find(family.row, labels.all())] += by;
  }
  template <unit U>
  void add(series<kind::gauge, U> one, std::int64_t by) {
    families_[one.row][one.cell] += by;
  }

  // Gauges, and counters whose total is kept elsewhere (it must never fall).
  template <kind K, unit U, std::size_t N>
    requires(K != kind::histogram)
  void set(family_handle<K, U, N> family, const std::type_identity_t<label_values<N>>& labels,
           std::int64_t value) {
    families_[family.row][find(family.row, labels.all())] = value;
  }
  template <kind K, std::size_t N>
    requires(K != kind::histogram)
  void set(family_handle<K, unit::seconds, N> family,
           const std::type_identity_t<label_values<N>>& labels, microseconds value) {
    families_[family.row][find(family.row, labels.all())] = value.count();
  }

  // Histograms of time. Negative times count as 0.
  template <std::size_t N>
  void observe(family_handle<kind::histogram, unit::seconds, N> family,
               const std::type_identity_t<label_values<N>>& labels, microseconds value) {
    record(family.row, find(family.row, labels.all()), value.count());
  }
  void observe(series<kind::histogram, unit::seconds> one, microseconds value) {
    record(one.row, one.cell, value.count());
  }

  // Histograms of counts (unit::one) and of ratios in thousandths (unit::ratio). Never negative.
  template <unit U, std::size_t N>
    requires(U != unit::seconds)
  void observe(family_handle<kind::histogram, U, N> family,
               const std::type_identity_t<label_values<N>>& labels, std::int64_t value) {
    record(family.row, find(family.row, labels.all()), value);
  }
  template <unit U>
    requires(U != unit::seconds)
  void observe(series<kind::histogram, U> one, std::int64_t value) {
    record(one.row, one.cell, value);
  }

  // The series, made as 0 if it is new. declare() is for those known from the configuration: a
  // counter born at 1 shows no increase. Counters and histograms without labels are always there.
  template <kind K, unit U, std::size_t N>
  series<K, U> resolve(family_handle<K, U, N> family,
                       const std::type_identity_t<label_values<N>>& labels) {
    return {family.row, find(family.row, labels.all())};
  }
  template <kind K, unit U, std::size_t N>
  void declare(family_handle<K, U, N> family, const std::type_identity_t<label_values<N>>& labels) {
    find(family.row, labels.all());
  }

  // All values of this thread at one moment.
  [[nodiscard]] snapshot copy() const;

 private:
  std::size_t find(std::size_t row, std::span<const std::string_view> values) {
    return families_[row].find_or_add(values);
  }
  void record(std::size_t row, std::size_t cell, std::int64_t value);

  std::vector<series_table> families_;  // one per row of family_table
};

// "200" for 200; "other" outside 100..599, so that a provider cannot invent series.
[[nodiscard]] std::string_view status_label(int status);

}  // namespace weir::observe
