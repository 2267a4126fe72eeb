// Gives a string's memory back. Assigning an empty string does not: the standard library keeps the
// capacity when what it takes over is small.
#pragma once

#include <string>

namespace weir {

inline void give_back(std::string& text) { std::string{}.swap(text); }

}  // namespace weir
