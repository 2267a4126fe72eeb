// One whole HTTP exchange with a server, for what is not on the hot path: key sets, health probes,
// the command line. No redirect is followed, nothing is retried.
#pragma once

#include <string>

#include "net/http_client.hpp"

namespace weir::net {

struct fetch_request {
  std::string method{"GET"};
  std::string target{"/"};    // path and query
  std::string authorization;  // value of Authorization; empty: none
  std::string body;
  microseconds patience{5s};  // for all of it
  std::size_t max_bytes{1024 * 1024};
};

struct fetched {
  connect_status connected{connect_status::ok};
  answer_status answered{answer_status::ok};
  int status{0};
  std::string body;
  [[nodiscard]] bool ok() const {
    return connected == connect_status::ok && answered == answer_status::ok;
  }
};

task<fetched> fetch(loop& owner, endpoint where, fetch_request what);

}  // namespace weir::net
