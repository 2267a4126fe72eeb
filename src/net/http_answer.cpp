// Reading an answer from a server.
#include "base/give_back.hpp"
#include "net/http_client.hpp"

namespace weir::net {
namespace {

answer_status from_wait(io_status waited) {
  switch (waited) {
    case io_status::timeout:
      return answer_status::timeout;
    case io_status::interrupted:
      return answer_status::interrupted;
    default:
      return answer_status::closed;
  }
}

}  // namespace

task<answer_status> answer_reader::read_head(const wire::head_limits& limits, bool to_head,
                                             wait_slot& slot) {
  loop& owner = socket_->owner();
  std::string seen;
  for (;;) {
    if (slot.given_up) co_return answer_status::interrupted;
    slot.waiting = socket_.get();
    const io_status waited = co_await socket_->readable();
    slot.waiting = nullptr;
    if (waited != io_status::ok) {
      co_return waited == io_status::error&& seen.empty() ? answer_status::closed_unanswered
                                                          : from_wait(waited);
    }
    const auto scratch = owner.scratch();
    const io_result got = socket_->try_read(scratch);
    if (got.status == io_status::would_block) continue;
    if (got.status != io_status::ok) {
      co_return seen.empty() ? answer_status::closed_unanswered : answer_status::closed;
    }
    std::string_view input{scratch.data(), got.bytes};
    if (!seen.empty()) {
      seen.append(input);
      input = seen;
    }
    wire::http_error error;
    wire::parse_status parsed = wire::parse_response_head(input, limits, to_head, head_, error);
    while (parsed == wire::parse_status::complete && head_.status < 200 && head_.status != 101) {
      input.remove_prefix(head_.size);
      parsed = wire::parse_response_head(input, limits, to_head, head_, error);
    }
    if (parsed == wire::parse_status::bad) co_return answer_status::malformed;
    if (parsed == wire::parse_status::need_more) {
      seen = std::string{input};
      continue;
    }
    head_bytes_.assign(input.substr(0, head_.size));
    leftover_.assign(input.substr(head_.size));
    head_.rebase_all(input.data(), head_bytes_.data());
    decoder_ = wire::body_decoder{head_.framing, head_.content_length};
    co_return answer_status::ok;
  }
}

task<answer_reader::piece> answer_reader::read_some(wait_slot& slot) {
  loop& owner = socket_->owner();
  const auto scratch = owner.scratch();
  if (!leftover_.empty()) {
    const std::size_t size = std::min(leftover_.size(), scratch.size());
    leftover_.copy(scratch.data(), size);
    leftover_.erase(0, size);
    if (leftover_.empty()) give_back(leftover_);
    co_return piece{answer_status::ok, {scratch.data(), size}, false};
  }
  if (decoder_.done()) co_return piece{answer_status::ok, {}, true};
  while (!slot.given_up) {
    slot.waiting = socket_.get();
    const io_status waited = co_await socket_->readable();
    slot.waiting = nullptr;
    if (waited != io_status::ok) co_return piece{from_wait(waited), {}, false};
    const io_result got = socket_->try_read(scratch);
    if (got.status == io_status::would_block) continue;
    if (got.status == io_status::ok)
      co_return piece{answer_status::ok, {scratch.data(), got.bytes}, false};
    if (got.status == io_status::eof && decoder_.may_end_here())
      co_return piece{answer_status::ok, {}, true};
    co_return piece{answer_status::closed, {}, false};
  }
  co_return piece{answer_status::interrupted, {}, false};
}

task<answer_status> answer_reader::read_all(std::string& out, std::size_t max_bytes,
                                            wait_slot& slot) {
  while (!decoder_.done()) {
    const piece got = co_await read_some(slot);
    if (got.status != answer_status::ok) co_return got.status;
    if (got.end) break;
    std::string_view input = got.raw;
    std::string_view payload;
    for (;;) {
      const wire::body_step step = decoder_.next(input, payload);
      if (step == wire::body_step::bad) co_return answer_status::malformed;
      if (step != wire::body_step::data) break;
      if (out.size() + payload.size() > max_bytes) co_return answer_status::malformed;
      out.append(payload);
    }
    saw_extra(input.size());
  }
  co_return answer_status::ok;
}

void answer_reader::release_head() {
  head_.headers = std::vector<wire::header_line>{};
  give_back(head_bytes_);
}

}  // namespace weir::net
