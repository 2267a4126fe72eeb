// The series of one family: a key of joined label values to a row of integers. Flat, so that a copy
// for a scrape is four memcpys. Not thread-safe; knows nothing of names and of Prometheus.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weir::observe {

class series_table {
 public:
  static constexpr std::size_t max_value = 120;  // bytes kept of one label value

  // `width` integers per series, at most `most` series (at least 1), `labels` values per key.
  series_table(std::size_t labels, std::size_t width, std::size_t most)
      : labels_{labels}, width_{width}, most_{most} {}

  // Where the series' integers begin in cells(); made of zeros if it is new. The last place is kept
  // for the series whose values are all "other", which every further one is folded into.
  // `values` are made valid UTF-8 and cut at max_value bytes; no allocation where the series
  // exists.
  std::size_t find_or_add(std::span<const std::string_view> values);

  [[nodiscard]] std::span<std::int64_t> at(std::size_t cell) { return {&cells_[cell], width_}; }
  [[nodiscard]] std::int64_t& operator[](std::size_t cell) { return cells_[cell]; }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] std::span<const std::int64_t> row(std::size_t series) const {
    return {&cells_[series * width_], width_};
  }
  // The values of a series' labels, views into this table until it changes.
  [[nodiscard]] std::vector<std::string_view> values(std::size_t series) const;

 private:
  struct entry {
    std::uint64_t hash;
    std::uint32_t key_at;
    std::uint32_t key_size;
  };

  std::size_t find(std::uint64_t hash, std::string_view key) const;  // series, or npos
  std::size_t add(std::uint64_t hash, std::string_view key);
  std::size_t add_new(std::span<const std::string_view> values);
  void rehash();

  std::size_t labels_;
  std::size_t width_;
  std::size_t most_;
  std::vector<std::uint32_t> slots_;  // open addressing: series + 1, 0 is free; a power of two
  std::vector<entry> entries_;        // by series, in the order they came
  std::string keys_;                  // per label one byte of length, then the value
  std::vector<std::int64_t> cells_;   // width_ per series
};

}  // namespace weir::observe
