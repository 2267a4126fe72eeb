// The ways an answer takes to the caller, and what they share. Internal to the relay step.
#pragma once

#include "gateway/cors.hpp"
#include "gateway/exchange.hpp"
#include "net/response.hpp"

namespace weir::gateway {

task<> relay_whole(exchange& x);   // a JSON answer: read, counted, sent in one piece
task<> relay_stream(exchange& x);  // events, each as it arrives
task<> relay_error(exchange& x);   // an engine's refusal, in the caller's dialect
task<> relay_bytes(exchange& x);   // a body that is not looked into

// The head of an answer: status, and what weir says on every answer.
net::response_head answer_head(exchange& x, int status);
void add_decision(exchange& x, net::response_head& out);
// An error event before any content becomes a whole answer. `data` is the event's JSON.
void refuse_stream_error(exchange& x, std::string_view data);
// The payload of one read, moved together at the front of its bytes. False: the framing is broken.
bool take_payload(exchange& x, const net::answer_reader::piece& got, std::string_view& payload);
inline iovec segment_of(std::string_view bytes) {
  return {const_cast<char*>(bytes.data()), bytes.size()};
}
// The engine's connection goes back to its pool where the answer ended in order.
void give_back_connection(exchange& x);
// Sets x.how for an answer that broke off.
void note_broken(exchange& x, net::answer_status why);
// Sets x.refused accordingly; only while nothing of an answer was sent.
void refuse_broken(exchange& x);

}  // namespace weir::gateway
