// Step 3: may it run. Every limit that applies becomes a claim; the store decides all of them at
// once, all or nothing.
#include <algorithm>
#include <array>
#include <optional>

#include "gateway/limit_headers.hpp"
#include "gateway/pipeline.hpp"
#include "gateway/worker.hpp"

namespace weir::gateway {
namespace {

// The values that subjects are made of, hashed once per call and only where a limit asks for them.
class subjects {
 public:
  explicit subjects(const exchange& x) : x_{x}, hasher_{x.on.with().lasting.hasher} {}

  key128 key(const book_limit& limit) {
    const auto& per = limit.source->per;
    std::array<key128, store::key_hasher::max_values> values;
    std::size_t count = 0;
    if (per.user) values[count++] = user();
    if (per.tier) values[count++] = hasher_.value(x_.who.tier);
    if (per.api_key) values[count++] = hasher_.value(x_.who.key_id);
    if (per.address) values[count++] = hasher_.value(x_.who.address);
    if (per.session) values[count++] = hasher_.value(session_name());
    if (per.endpoint) values[count++] = hasher_.value(endpoint_name(x_));
    if (per.model) values[count++] = model();
    if (per.provider)
      values[count++] = hasher_.value(x_.model->targets.front().provider->settings->name);
    return hasher_.key(limit.name, {values.data(), count});
  }

 private:
  // Callers of different kinds never share a name: an anonymous "10.0.0.1" is not the user
  // "10.0.0.1" of a token.
  key128 user() {
    if (!user_) {
      const char kind = x_.who.how == identity::caller::kind::anonymous ? 'a' : 'u';
      user_ = hasher_.value(std::string{kind} + x_.who.user);
    }
    return *user_;
  }
  key128 model() {
    if (!model_) model_ = hasher_.value(x_.model_name());
    return *model_;
  }
  // A session belongs to the caller who named it.
  std::string session_name() const { return std::string{x_.session} + '\0' + x_.who.tenant(); }

  const exchange& x_;
  const store::key_hasher& hasher_;
  std::optional<key128> user_;
  std::optional<key128> model_;
};

struct gathered {
  std::array<store::claim, store::max_claims> claims;
  std::array<const book_limit*, store::max_claims> limits;
  std::size_t count{0};
};

std::int64_t amount_of(const exchange& x, policy::unit unit) {
  switch (unit) {
    case policy::unit::requests:
    case policy::unit::concurrent:
      return 1;
    case policy::unit::tokens:
      return x.reserved.count;
    case policy::unit::money:
      return 0;
  }
  return 0;
}

void gather(exchange& x, subjects& who, const std::vector<book_limit>& limits, gathered& into) {
  for (const auto& limit : limits) {
    const auto unit = limit.source->rule.unit();
    const std::int64_t amount = amount_of(x, unit);
    if (amount == 0) continue;
    if (limit.source->per.model && x.model == nullptr) continue;
    if (limit.source->per.provider && x.model == nullptr) continue;
    if (into.count == store::max_claims) return;
    into.limits[into.count] = &limit;
    into.claims[into.count] = {
        &limit.source->rule, who.key(limit), amount,
        limit.source->observe ? store::manner::observe : store::manner::enforce};
    ++into.count;
  }
}

// A call to a plain HTTP backend is held by its route's limits and its key's; tiers, teams,
// sessions and models limit the use of models.
gathered gather_all(exchange& x) {
  gathered all;
  subjects who{x};
  if (x.op != operation::backend) {
    gather(x, who, x.plan->tier_limits(x.who.tier), all);
    if (!x.who.team.empty()) gather(x, who, x.plan->team_limits(x.who.team), all);
    if (!x.session.empty()) gather(x, who, x.plan->session_limits(), all);
    if (x.model != nullptr) gather(x, who, x.model->limits, all);
  }
  gather(x, who, x.route->limits, all);
  if (x.who.limits) gather(x, who, x.on.key_limits(x.who.limits), all);
  return all;
}

void note_observed(exchange& x, const gathered& all, const store::admission& answer) {
  for (std::size_t i = 0; i < all.count; ++i) {
    if (all.claims[i].manner != store::manner::observe || answer.verdicts[i].allowed) continue;
    x.observed = true;
    x.on.metrics().add(observe::family::would_refuse, {all.limits[i]->source->where});
  }
}

}  // namespace

bool admit(exchange& x) {
  const gathered all = gather_all(x);
  auto& answer = x.on.admission();
  const std::span<const store::claim> claims{all.claims.data(), all.count};
  x.on.with().limits.admit_now(claims, {}, x.decided, answer);
  const std::span<const book_limit* const> limits{all.limits.data(), all.count};
  const std::span<const store::verdict> verdicts{answer.verdicts.data(), answer.verdicts.size()};
  x.open->limit_headers = render_limit_headers(
      x.who.tier, x.model != nullptr ? x.model_name() : std::string_view{}, limits, verdicts);
  if (!answer.allowed) {
    refuse_limit(x, *all.limits[answer.refused], answer.verdicts[answer.refused]);
    return false;
  }
  x.held = reservation{x.on.with(), std::move(answer.held)};
  note_observed(x, all, answer);
  return true;
}

}  // namespace weir::gateway
