// Answers made once and sent many times.
#include "sim/fast.hpp"

#include <array>

#include "sim/answer.hpp"

namespace weir::sim {
namespace {

constexpr std::uint64_t max_body = 64 * 1024 * 1024;
constexpr microseconds body_timeout{60s};

answer make_answer(sim_api api, const std::string& model, std::int64_t token_count,
                   std::uint64_t seed) {
  answer out;
  out.api = api;
  out.id = "fast";
  out.model = model;
  out.prompt_tokens = fast_answers::prompt_tokens;
  out.parts.push_back({1, seed, token_count, 0, finish_reason::length});
  if (api == sim_api::embeddings) out.parts.front().produced = 0;
  return out;
}

void append_burst(std::vector<fast_answers::burst>& out, const event_buffer& framed,
                  const event_buffer& bare, std::int64_t token_count) {
  out.push_back({std::string{framed.bytes()}, std::string{bare.bytes()}, token_count});
}

std::unique_ptr<stream_writer> make_writer(const answer& of, bool usage) {
  if (of.api == sim_api::responses) return make_responses_writer(usage);
  return make_completion_writer(of, {usage});
}

// Both framings are written in step by writers of their own, since a writer may count its events.
std::vector<fast_answers::burst> make_stream(const answer& plan, std::int64_t per_burst,
                                             bool usage) {
  std::vector<fast_answers::burst> out;
  std::array<answer, 2> texts{plan, plan};
  std::array<std::unique_ptr<stream_writer>, 2> writers{make_writer(plan, usage),
                                                        make_writer(plan, usage)};
  std::array<event_buffer, 2> events;
  const auto both = [&](auto&& act) {
    for (std::size_t i = 0; i < 2; ++i) act(*writers[i], events[i], texts[i]);
  };
  const auto begin = [&] {
    events[0].begin({true});
    events[1].begin({false});
  };
  begin();
  both([](auto& writer, auto& to, auto& text) { writer.begin(to, text, 0); });
  const auto count = plan.parts.front().produced;
  std::int64_t held = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    both([last = i + 1 == count](auto& writer, auto& to, auto& text) {
      writer.token(to, text, 0, last);
      ++text.parts.front().written;
    });
    if (++held < per_burst || i + 1 == count) continue;
    append_burst(out, events[0], events[1], std::exchange(held, 0));
    begin();
  }
  both([](auto& writer, auto& to, auto& text) {
    writer.end(to, text);
    if (writer.wants_done()) to.add({}, "[DONE]");
  });
  append_burst(out, events[0], events[1], held);
  return out;
}

// Lets the loop's other work go first.
struct turn_awaiter {
  net::loop& owner;
  [[nodiscard]] bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> h) const {
    owner.post([h] { h.resume(); });
  }
  void await_resume() const {}
};

}  // namespace

fast_answers::fast_answers(const sim_options& options)
    : model_{options.models.front()}, tokens_{options.fast_tokens} {
  for (const auto api :
       {sim_api::chat, sim_api::completions, sim_api::embeddings, sim_api::responses}) {
    const answer text = make_answer(api, model_, tokens_, options.engine.seed);
    of_api made;
    made.whole = api == sim_api::embeddings ? embeddings_json(text, 64, false, true)
                                            : whole_json(text, true);
    if (api != sim_api::embeddings) {
      made.with_usage = make_stream(text, options.fast_burst, true);
      made.without_usage = make_stream(text, options.fast_burst, false);
    }
    answers_.push_back(std::move(made));
  }
}

bool says_true(std::string_view body, std::string_view quoted_name) {
  auto at = body.find(quoted_name);
  if (at == std::string_view::npos) return false;
  at = body.find_first_not_of(" \t\r\n:", at + quoted_name.size());
  return at != std::string_view::npos && body[at] == 't';
}

namespace {

// Returns the tokens that were sent.
task<std::int64_t> send_bursts(net::http_exchange& exchange,
                               const std::vector<fast_answers::burst>& bursts) {
  net::response_head head{200};
  head.add("Content-Type", "text/event-stream; charset=utf-8");
  exchange.begin_stream(std::move(head));
  turn_awaiter next_turn{exchange.owner()};
  net::io_status status = net::io_status::ok;
  std::int64_t sent = 0;
  for (std::size_t i = 0; i < bursts.size() && status == net::io_status::ok; ++i) {
    if (i > 0) co_await next_turn;
    const std::string& bytes = exchange.chunked() ? bursts[i].framed : bursts[i].bare;
    const iovec one{const_cast<char*>(bytes.data()), bytes.size()};
    const bool went = exchange.try_send_raw(std::span{&one, 1}, status);
    if (!went) status = co_await exchange.flush();
    sent += bursts[i].tokens;
  }
  if (status == net::io_status::ok) co_await exchange.end_stream();
  co_return sent;
}

}  // namespace

task<> answer_fast(net::http_exchange& exchange, simulator& sim, const fast_answers& answers,
                   sim_api api) {
  const wall_time start = sim.now().wall;
  const net::body_result body = co_await exchange.read_body(max_body, body_timeout);
  if (body.status != net::body_status::ok) co_return;
  auto& counters = sim.counters();
  ++counters.requests;
  const bool stream = api != sim_api::embeddings && says_true(body.bytes, "\"stream\"");
  std::int64_t sent = 0;
  if (stream) {
    ++counters.streams;
    const bool usage = says_true(body.bytes, "\"include_usage\"") || api == sim_api::responses;
    const auto& text = answers.get(api);
    sent = co_await send_bursts(exchange, usage ? text.with_usage : text.without_usage);
  } else {
    net::response_head head{200};
    head.add("Content-Type", "application/json");
    sent = api == sim_api::embeddings ? 0 : answers.tokens();
    co_await exchange.send(std::move(head), answers.get(api).whole);
  }
  ++counters.finished;
  counters.prompt_tokens += fast_answers::prompt_tokens;
  counters.completion_tokens += sent;
  if (sim.log().is_open()) {
    const auto id = exchange.head().get(wire::field::x_request_id);
    sim.log().write(
        {id, answers.model(), fast_answers::prompt_tokens, sent, "length", start, sim.now().wall});
  }
}

}  // namespace weir::sim
