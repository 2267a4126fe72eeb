// The log line of one proxied call: which fields, under which names, in which order.
#pragma once

#include "observe/call_record.hpp"
#include "observe/line.hpp"

namespace weir::observe {

// Appends the whole line with its newline. Values that callers choose are cut at 128 bytes.
void append_call_line(line_buffer& out, bool json, const call_record& record);

}  // namespace weir::observe
