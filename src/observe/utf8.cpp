// The ranges are those of RFC 3629, section 4.
#include "observe/utf8.hpp"

namespace weir::observe {
namespace {

std::size_t size_by_lead(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;  // a continuation, or an overlong form
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF5 ? 4 : 0;
}

bool second_byte_fits(unsigned char lead, unsigned char second) {
  switch (lead) {
    case 0xE0:
      return second >= 0xA0 && second <= 0xBF;
    case 0xED:
      return second >= 0x80 && second <= 0x9F;
    case 0xF0:
      return second >= 0x90 && second <= 0xBF;
    case 0xF4:
      return second >= 0x80 && second <= 0x8F;
    default:
      return second >= 0x80 && second <= 0xBF;
  }
}

}  // namespace

std::size_t code_point_size(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t size = size_by_lead(byte(0));
  if (size > text.size()) return 0;
  if (size >= 2 && !second_byte_fits(byte(0), byte(1))) return 0;
  for (std::size_t i = 2; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return size;
}

std::string valid_utf8(std::string_view text, std::size_t most) {
  std::string out;
  while (!text.empty()) {
    const std::size_t size = text[0] == '\0' ? 0 : code_point_size(text);
    const std::string_view next = size == 0 ? replacement : text.substr(0, size);
    if (out.size() + next.size() > most) break;
    out += next;
    text.remove_prefix(size == 0 ? 1 : size);
  }
  return out;
}

}  // namespace weir::observe
