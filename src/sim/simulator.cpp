// Between the engine's virtual time and the loop's.
#include "sim/simulator.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "sim/answer_text.hpp"

namespace weir::sim {

simulator::simulator(net::loop& owner, const sim_options& options, token_log& log)
    : owner_{owner},
      options_{options},
      log_{log},
      engine_{options.engine},
      timer_{owner.io()},
      created_{now().wall} {}

std::string simulator::make_id() {
  const auto number = ++ids_;
  return fmt::format("{:016x}{:016x}", mix(options_.engine.seed, number),
                     mix(~options_.engine.seed, number));
}

void simulator::begin(call& c) {
  calls_.push_back(c);
  c.open = true;
  ++open_calls_;
}

admission simulator::submit(call& c, const ask& asked) {
  const mono_time now = owner_.time().mono();
  catch_up(now);
  engine_work work;
  work.max_tokens = asked.max_tokens;
  work.min_tokens = asked.min_tokens;
  work.ignore_eos = asked.ignore_eos;
  work.overrun = c.faults.overrun;
  work.pooling = asked.api == sim_api::embeddings;
  work.answers = asked.n;
  if (const auto most = c.breaks_after(); most && asked.stream)
    work.max_tokens = std::max<std::int64_t>(1, std::min(*most, work.max_tokens.value_or(*most)));
  for (const auto prompt : asked.prompts) {
    work.prompt_tokens = prompt;
    c.out.prompt_tokens += prompt;
    for (std::int64_t i = 0; i < asked.n; ++i) {
      if (asked.seed) work.text_seed = mix(*asked.seed, c.out.parts.size());
      const submission done = engine_.submit(work, now);
      if (done.outcome != admission::accepted) {
        for (const auto& part : c.out.parts) {
          engine_.cancel(part.id, now);
          places_.erase(part.id);
        }
        c.out.parts.clear();
        c.out.prompt_tokens = 0;
        arm(now);
        return done.outcome;
      }
      places_.emplace(done.id, place{&c, c.out.parts.size()});
      c.out.parts.push_back({done.id, done.text_seed});
    }
  }
  arm(now);
  return admission::accepted;
}

void simulator::end(call& c) {
  if (!std::exchange(c.open, false)) return;
  --open_calls_;
  const instant at = now();
  catch_up(at.mono);
  for (const auto& part : c.out.parts) {
    if (places_.erase(part.id) > 0) engine_.cancel(part.id, at.mono);
  }
  arm(at.mono);
  const std::string_view finish =
      c.finish.empty() && !c.out.parts.empty() ? name_of(c.out.parts.front().finish) : c.finish;
  if (finish == "refused") ++counters_.refused;
  if (finish == "abort") ++counters_.aborted;
  if (finish == "cut") ++counters_.cut;
  if (c.finish.empty()) ++counters_.finished;
  counters_.prompt_tokens += c.out.prompt_tokens;
  counters_.completion_tokens += c.out.produced();
  log_.write({c.id, c.out.model, c.out.prompt_tokens, c.out.produced(), finish, c.start, at.wall});
}

void simulator::stop() {
  stopped_ = true;
  timer_.cancel();
  drop_all();
}

// Each call's coroutine sees it dropped, and ends it.
void simulator::drop_all() {
  while (!calls_.empty()) {
    call& one = calls_.front();
    calls_.pop_front();
    one.signal.drop();
  }
}

void simulator::reset() {
  drop_all();
  places_.clear();
  changed_.clear();
  engine_ = engine{options_.engine};
  faults_.clear();
  counters_ = {};
  ids_ = 0;
  created_ = now().wall;
}

// Brings the engine up to now and books what happened; nobody is told yet, so that this may be
// called from a call's own coroutine.
void simulator::catch_up(mono_time now) {
  events_.clear();
  engine_.advance(now, events_);
  for (const auto& event : events_) {
    const auto found = places_.find(event.id);
    if (found == places_.end()) continue;
    auto& part = found->second.of->out.parts[found->second.part];
    part.produced = event.produced;
    if (event.kind == engine_event_kind::preempted) continue;
    if (event.kind == engine_event_kind::finished) part.finish = event.finish;
    if (changed_.empty() || changed_.back() != event.id) changed_.push_back(event.id);
  }
}

// One timer for the end of the step that runs, or at once where calls wait to be told.
void simulator::arm(mono_time now) {
  const auto due = changed_.empty() ? engine_.next() : std::optional{now};
  if (stopped_ || !due || (armed_for_ && *armed_for_ <= *due)) return;
  armed_for_ = due;
  timer_.expires_after(std::max(*due - now, microseconds{0}));
  timer_.async_wait([this, mine = ++armings_](const boost::system::error_code& failed) {
    if (!failed && mine == armings_) on_timer();
  });
}

void simulator::on_timer() {
  armed_for_.reset();
  const mono_time now = owner_.time().mono();
  catch_up(now);
  tell_changed();
  arm(owner_.time().mono());
}

// A call that is told may end and take its sequences with it, so each is looked up anew.
void simulator::tell_changed() {
  std::vector<sequence_id> changed;
  changed.swap(changed_);
  for (const auto id : changed) {
    const auto found = places_.find(id);
    if (found != places_.end()) found->second.of->signal.notify();
  }
}

}  // namespace weir::sim
