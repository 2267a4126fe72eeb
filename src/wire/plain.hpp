// The plain-chat dialect: {"model","message"} in, {"status":"ok","result":...} out. A full chat
// body is taken as it is.
#pragma once

#include <string>
#include <string_view>

#include "wire/json.hpp"

namespace weir::wire {

// What stands before and behind the completion in a whole answer.
inline constexpr std::string_view plain_answer_begin = R"({"status":"ok","result":)";
inline constexpr std::string_view plain_answer_end = "}\n";

// The chat body of a plain-chat one: "message" becomes the one user message, user_id is dropped (it
// decides nothing), all other members pass as they are. `model` (from the query; empty: none) is
// set where the body has none. A body that has "messages" is returned unchanged but for that.
// False: `error` says why.
bool plain_to_chat(std::string_view body, std::string_view model, int max_depth, std::string& out,
                   body_error& error);

}  // namespace weir::wire
