// The open loop and its calls.
#include "sim/stress_load.hpp"

#include <algorithm>

#include "observe/log.hpp"

namespace weir::sim {
namespace {

// Engines close idle connections after 5 s (vLLM); a reused one should not die on the way.
constexpr microseconds max_idle{4s};
constexpr microseconds connect_patience{5s};
constexpr int most_at_once = 32;  // calls sent before answers are looked at again

struct timer_wait {
  boost::asio::steady_timer& timer;
  [[nodiscard]] bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> h) {
    timer.async_wait([h](const boost::system::error_code&) { h.resume(); });
  }
  void await_resume() const {}
};

call_end from_connect(net::connect_status status) {
  switch (status) {
    case net::connect_status::ok:
      return call_end::answered;
    case net::connect_status::unresolved:
      return call_end::unresolved;
    case net::connect_status::timeout:
      return call_end::connect_timeout;
    case net::connect_status::tls_failed:
      return call_end::tls_failed;
    case net::connect_status::interrupted:
      return call_end::abandoned;
    case net::connect_status::refused:
      break;
  }
  return call_end::refused;
}

call_end from_answer(net::answer_status status) {
  switch (status) {
    case net::answer_status::ok:
      return call_end::answered;
    case net::answer_status::timeout:
      return call_end::timeout;
    case net::answer_status::interrupted:
      return call_end::abandoned;
    case net::answer_status::malformed:
      return call_end::malformed;
    case net::answer_status::closed:
    case net::answer_status::closed_unanswered:
      break;
  }
  return call_end::reset;
}

answer_fault fault_of(net::answer_status status) {
  switch (status) {
    case net::answer_status::ok:
      return answer_fault::none;
    case net::answer_status::timeout:
      return answer_fault::timeout;
    case net::answer_status::malformed:
      return answer_fault::malformed;
    default:
      return answer_fault::cut;
  }
}

iovec segment(const std::string& bytes) { return {const_cast<char*>(bytes.data()), bytes.size()}; }

}  // namespace

stress_load::stress_load(net::loop& owner, const stress_plan& plan, std::int64_t pressure,
                         const net::tls_context* tls, observe::logger& log)
    : owner_{owner},
      plan_{plan},
      log_{log},
      pool_{owner, {plan.target.host, plan.target.port, tls}, max_idle},
      schedule_{plan.arrivals},
      random_{plan.arrivals.seed + 1},
      tally_{plan.authorization.size(), pressure},
      timer_{owner.io()} {}

stress_load::~stress_load() = default;

void stress_load::start() {
  began_ = owner_.time().mono();
  driving_ = true;
  net::spawn(drive(), "stress load", log_, spawned_);
}

task<> stress_load::drive() {
  timer_wait waiting{timer_};
  int at_once = 0;
  while (!ended_early_ && !schedule_.done()) {
    const mono_time now = owner_.time().mono();
    const microseconds until_due = began_ + schedule_.peek().due - now;
    if (until_due > 0us || ++at_once == most_at_once) {
      at_once = 0;
      timer_.expires_after(until_due);
      co_await waiting;
    } else {
      send(schedule_.take(), now);
    }
  }
  // The plan's end, not the last call's moment: the seconds of the run are whole.
  if (!ended_early_) {
    timer_.expires_after(began_ + plan_.arrivals.duration - owner_.time().mono());
    co_await waiting;
  }
  stopped_sending_ = owner_.time().mono();
  driving_ = false;
  finish_if_done();
}

void stress_load::send(const arrival& at, mono_time now) {
  const bool ask_stream = random_.share() < plan_.stream;
  if (in_flight_ >= plan_.in_flight) {
    tally_.add_unsent(at.due);
    return;
  }
  tally_.add_lag(now - began_ - at.due);
  net::spawn(call(at, ask_stream), "stress call", log_, spawned_);
}

task<> stress_load::call(arrival at, bool ask_stream) {
  open_call of;
  of.due = began_ + at.due;
  of.until = of.due + plan_.timeout;
  of.ask_stream = ask_stream;
  of.outcome.identity = identity_of(plan_, at.user);
  of.outcome.due = at.due;
  of.outcome.others_in_flight = static_cast<std::int64_t>(in_flight_);
  ++in_flight_;
  open_.push_back(of);
  of.outcome.end = co_await exchange(of);
  open_.erase(open_.iterator_to(of));
  --in_flight_;
  ended_ = owner_.time().mono();
  of.outcome.latency = ended_ - of.due;
  tally_.add(of.outcome);
  finish_if_done();
}

// A connection that the server closed at the moment of reuse is replaced once, as any client does.
task<call_end> stress_load::exchange(open_call& of) {
  bool stale = false;
  call_end end = co_await attempt(of, false, stale);
  if (stale) end = co_await attempt(of, true, stale);
  co_return end;
}

task<call_end> stress_load::attempt(open_call& of, bool fresh, bool& stale) {
  const microseconds left = of.until - owner_.time().mono();
  const microseconds patience = std::min(connect_patience, left);
  if (patience <= 0us) co_return call_end::timeout;
  net::lease line = co_await pool_.acquire(patience, fresh, of.slot);
  if (line.status != net::connect_status::ok) co_return from_connect(line.status);
  const std::array<iovec, 3> request{segment(plan_.head),
                                     segment(plan_.authorization[of.outcome.identity]),
                                     segment(plan_.tail[of.ask_stream ? 1 : 0])};
  const std::span<const iovec> pieces{request};
  const net::io_status wrote = co_await line.socket->write_all(pieces, patience);
  if (wrote == net::io_status::timeout) co_return call_end::timeout;
  if (wrote == net::io_status::interrupted) co_return call_end::abandoned;
  call_end end = call_end::reset;
  stale = !fresh && line.reused;
  if (wrote == net::io_status::ok) {
    line.socket->expires_at(of.until);
    net::answer_reader reader{line.socket};
    const wire::head_limits limits;
    const net::answer_status headed = co_await reader.read_head(limits, false, of.slot);
    stale = stale && headed == net::answer_status::closed_unanswered;
    end = from_answer(headed);
    if (end == call_end::answered) end = co_await read_answer(of, reader);
    if (end == call_end::answered && reader.reusable()) {
      pool_.put_back(std::move(line.socket));
      co_return end;
    }
  }
  line.socket->close();
  co_return end;
}

task<call_end> stress_load::read_answer(open_call& of, net::answer_reader& reader) {
  call_outcome& out = of.outcome;
  const wire::response_head& head = reader.head();
  out.status = head.status;
  out.retry_after = read_retry_after(head.get(wire::field::retry_after),
                                     head.has(wire::field::retry_after), out.retry_after_s);
  answer_check check{of.ask_stream, head.get(wire::field::content_type)};
  const bool good = out.status == 200;
  out.streamed = good && check.streamed();
  const net::answer_status ended = co_await read_body(of, reader, good ? &check : nullptr);
  if (ended == net::answer_status::interrupted) co_return call_end::abandoned;
  if (!good) co_return from_answer(ended);
  out.fault = ended == net::answer_status::ok ? check.finish() : fault_of(ended);
  out.tokens = check.tokens();
  co_return call_end::answered;
}

task<net::answer_status> stress_load::read_body(open_call& of, net::answer_reader& reader,
                                                answer_check* check) {
  wire::body_decoder& decoder = reader.decoder();
  while (!decoder.done()) {
    const net::answer_reader::piece got = co_await reader.read_some(of.slot);
    if (got.status != net::answer_status::ok) co_return got.status;
    if (got.end) break;
    std::string_view input = got.raw;
    std::string_view payload;
    wire::body_step step = decoder.next(input, payload);
    for (; step == wire::body_step::data; step = decoder.next(input, payload))
      if (check != nullptr) check->feed(payload);
    if (step == wire::body_step::bad) co_return net::answer_status::malformed;
    reader.saw_extra(input.size());
    if (check != nullptr && check->has_content() && !of.outcome.first_token)
      of.outcome.first_token = owner_.time().mono() - of.due;
  }
  co_return net::answer_status::ok;
}

void stress_load::end_early() {
  if (ended_early_) return;
  ended_early_ = true;
  timer_.cancel();
  // Giving a call up resumes it, and it may end and unlink itself, and no other.
  for (auto at = open_.begin(); at != open_.end();) (at++)->slot.give_up();
}

void stress_load::finish_if_done() {
  if (driving_ || in_flight_ > 0) return;
  pool_.clear();
  owner_.deadlines().stop();
  // Behind what closing the sockets has queued.
  owner_.post([this] { owner_.stop(); });
}

microseconds stress_load::elapsed() const {
  if (driving_) return owner_.time().mono() - began_;
  return std::max(stopped_sending_, ended_) - began_;
}

microseconds stress_load::sent_for() const {
  const mono_time until = driving_ ? owner_.time().mono() : stopped_sending_;
  return std::min(until - began_, plan_.arrivals.duration);
}

}  // namespace weir::sim
