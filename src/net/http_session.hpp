// One accepted connection and the requests that come over it, one after another. Internal to the
// server edge.
#pragma once

#include <boost/intrusive/list.hpp>
#include <string>

#include "net/http_server.hpp"

namespace weir::net {

class http_session final : private read_watcher {
 public:
  http_session(http_server& server, connection_ptr socket, std::string peer);
  ~http_session() override;

  // Serves until the connection ends.
  task<> run();
  // Closes the connection if nothing of a request has come.
  void drain();
  // Ends whatever is going on.
  void abort();

  boost::intrusive::list_member_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>
      hook;

 private:
  friend class http_exchange;
  enum class head_outcome : std::uint8_t {
    complete,
    refused,
    closed
  };

  task<head_outcome> read_head(wire::http_error& error);
  task<bool> first_bytes();
  task<bool> more_bytes();
  wire::parse_status try_parse(wire::http_error& error);
  task<bool> answer_one(bool refused, const wire::http_error& error);
  task<body_result> read_body(std::uint64_t max_bytes, microseconds timeout);
  task<body_result> read_sized(std::uint64_t max_bytes);
  task<body_result> read_chunked(std::uint64_t max_bytes);
  task<body_status> more_body(mono_time until);
  [[nodiscard]] bool body_is_here() const;
  [[nodiscard]] bool nothing_came();
  void skip_unread_body();
  void forget_request();
  task<> linger();
  void readable_unasked(connection& from) override;
  void mark_gone();

  http_server& server_;
  connection_ptr socket_;
  std::string peer_;
  std::string in_;      // the current request's head and what came with it
  std::string body_;    // its body where it did not come along in one piece
  std::string next_;    // bytes of later requests that came while this one was answered
  std::string unsent_;  // bytes of the answer that wait for the caller
  wire::request_head head_;
  gone_listener* listener_{nullptr};
  mono_time body_deadline_{};
  std::size_t consumed_{0};  // bytes of in_ that belong to this request
  std::size_t seen_{0};      // bytes of in_ that were there at the last attempt to parse
  bool body_read_{false};    // nothing of this request is left to be read
  bool to_head_{false};      // the request was HEAD
  bool flushing_{false};     // the handler waits for the caller to take bytes
  bool busy_{false};
  bool gone_{false};
  bool broken_{false};  // bytes of an answer were lost: nothing may be written any more
};

}  // namespace weir::net
