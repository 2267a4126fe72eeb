// Words and lengths from seeds.
#include "sim/answer_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace weir::sim {
namespace {

// Each with the blank before it; none longer than six letters, so that each is one token.
constexpr std::array<std::string_view, 64> words{
    " the",   " a",     " river",  " water",  " flows", " over",  " under",  " stone",
    " gate",  " opens", " shuts",  " slowly", " and",   " then",  " while",  " every",
    " small", " large", " wheel",  " turns",  " once",  " more",  " light",  " falls",
    " upon",  " green", " fields", " where",  " birds", " rest",  " until",  " dawn",
    " wind",  " moves", " the",    " reeds",  " one",   " after", " other",  " no",
    " haste", " level", " holds",  " steady", " when",  " rain",  " comes",  " banks",
    " keep",  " their", " shape",  " still",  " deep",  " calm",  " bright", " path",
    " leads", " home",  " along",  " old",    " walls", " of",    " brick",  " moss"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::size_t run(std::string_view text, std::size_t from, std::size_t most, bool (*in)(char)) {
  std::size_t size = 0;
  while (from + size < text.size() && size < most && in(text[from + size])) ++size;
  return size;
}

}  // namespace

// The finaliser of splitmix64 (Steele, Lea, Flood 2014).
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a + 0x9E3779B97F4A7C15U * (b + 1);
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

// FNV-1a.
std::uint64_t hash(std::string_view bytes) {
  std::uint64_t h = 0xCBF29CE484222325U;
  for (const char c : bytes) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return h;
}

std::int64_t draw_length(std::uint64_t text_seed, std::int64_t mean) {
  const auto bits = mix(text_seed, 0xA5A5U) >> 11U;
  const double uniform = (static_cast<double>(bits) + 0.5) * 0x1.0p-53;  // inside (0, 1)
  const double length = -std::log(uniform) * static_cast<double>(mean);
  return std::clamp(static_cast<std::int64_t>(length) + 1, std::int64_t{1}, 32 * mean);
}

std::string_view answer_token(std::uint64_t text_seed, std::int64_t index) {
  const auto chosen = mix(text_seed, static_cast<std::uint64_t>(index)) % words.size();
  return words[chosen].substr(index == 0 ? 1 : 0);
}

void append_answer(std::string& out, std::uint64_t text_seed, std::int64_t from, std::int64_t to) {
  for (std::int64_t i = from; i < to; ++i) out += answer_token(text_seed, i);
}

std::size_t first_token_size(std::string_view text) {
  const std::size_t blank = text[0] == ' ' ? 1 : 0;
  const std::size_t letters = run(text, blank, 6, is_letter);
  if (letters > 0) return blank + letters;
  if (blank == 1) return 1;
  const std::size_t digits = run(text, 0, 3, is_digit);
  if (digits > 0) return digits;
  return 1 + run(text, 1, 3, is_continuation);
}

std::int64_t count_tokens(std::string_view text) {
  std::int64_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(first_token_size(text));
  return count;
}

}  // namespace weir::sim
