// Two tables.
#include "sim/stress_words.hpp"

#include <array>

namespace weir::sim {
namespace {

struct word {
  std::string_view name;
  std::string_view meaning;
};

constexpr std::array<word, call_ends> ends{{
    {"answered", "answered"},
    {"unresolved", "the host's name has no address"},
    {"refused", "connection refused"},
    {"connect_timeout", "no connection in time"},
    {"tls_failed", "the TLS handshake failed"},
    {"reset", "connection ended before an answer was whole"},
    {"timeout", "no answer in time"},
    {"malformed", "the answer is not HTTP"},
    {"abandoned", "given up when the run was ended"},
}};

constexpr std::array<word, answer_faults> faults{{
    {"none", "whole"},
    {"cut", "the connection ended within the answer"},
    {"timeout", "the answer did not end in time"},
    {"malformed", "broken framing"},
    {"no_done", "a stream without [DONE]"},
    {"no_finish", "a stream in which nothing finished"},
    {"error_event", "an error within a 200"},
    {"broken", "an event or body that is not JSON"},
    {"not_stream", "a stream was asked for and something else came"},
    {"no_choices", "an answer without choices"},
}};

}  // namespace

std::string_view name_of(call_end end) { return ends[static_cast<std::size_t>(end)].name; }
std::string_view name_of(answer_fault f) { return faults[static_cast<std::size_t>(f)].name; }
std::string_view meaning_of(call_end end) { return ends[static_cast<std::size_t>(end)].meaning; }
std::string_view meaning_of(answer_fault f) { return faults[static_cast<std::size_t>(f)].meaning; }

}  // namespace weir::sim
