// The words of the simulated model: how many, which, and how text is cut into tokens. Pure
// functions of a seed, so that nothing of an answer need be stored. The text of an answer cuts
// into exactly the tokens it was made of.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir::sim {

// A well-mixed 64-bit number of two others.
[[nodiscard]] std::uint64_t mix(std::uint64_t a, std::uint64_t b);

// Of bytes; stable over runs and machines.
[[nodiscard]] std::uint64_t hash(std::string_view bytes);

// How many tokens an answer has when nothing limits it: exponentially distributed around `mean`
// (>= 1), at least 1, at most 32 times the mean.
[[nodiscard]] std::int64_t draw_length(std::uint64_t text_seed, std::int64_t mean);

// Token `index` (from 0) of an answer: a word of at most six letters, with a blank before it but
// for the first. Valid for ever. Needs no escaping in JSON.
[[nodiscard]] std::string_view answer_token(std::uint64_t text_seed, std::int64_t index);

// Tokens [from, to) of an answer, joined.
void append_answer(std::string& out, std::uint64_t text_seed, std::int64_t from, std::int64_t to);

// How many tokens a text has: each a run of up to six ASCII letters (a blank before it counts in),
// of up to three digits, or one other character.
[[nodiscard]] std::int64_t count_tokens(std::string_view text);

// The bytes of the first token of a text that is not empty.
[[nodiscard]] std::size_t first_token_size(std::string_view text);

}  // namespace weir::sim
