// All state is the history; nothing is remembered from one request to the next.
#include "Bandit.h"
#include <cmath>

using namespace mlir;
using namespace evo;

namespace {
struct Arm {
  unsigned pulls = 0;
  double reward = 0, cost = 0;
};
} // namespace

/// Gamma(shape, 1) for a shape of at least 1 (Marsaglia and Tsang, "A simple
/// method for generating gamma variables", 2000).
static double drawGamma(double shape, Random &random) {
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    double x = random.normal(), root = 1 + c * x;
    if (root <= 0)
      continue;
    double v = root * root * root;
    double accept = std::log(1 - random.uniform()); // never of zero
    if (accept < 0.5 * x * x + d - d * v + d * std::log(v))
      return d * v;
  }
}

/// What the reward of `arm` may be: a draw from Beta(1 + rewards, 1 + the
/// rest), the belief after rewards between 0 and 1.
static double drawReward(const Arm &arm, Random &random) {
  double won = drawGamma(1 + arm.reward, random);
  double lost = drawGamma(1 + arm.pulls - arm.reward, random);
  return won / (won + lost);
}

static double tokensOf(const Attempt &attempt) {
  ProposalOp proposal = attempt.proposal;
  auto tokens = proposal ? proposal->getAttrOfType<IntegerAttr>(tokensAttr)
                         : IntegerAttr();
  return tokens ? static_cast<double>(tokens.getInt()) : 0;
}

static std::optional<double> moneyOf(const Attempt &attempt) {
  auto money =
      ProposalOp(attempt.proposal)->getAttrOfType<FloatAttr>(moneyAttr);
  if (!money)
    return std::nullopt;
  return money.getValueAsDouble();
}

size_t evo::chooseArm(size_t count, const History &history,
                      llvm::function_ref<int(const Attempt &)> armOf,
                      BanditRule rule, Random &random) {
  std::vector<Arm> arms(count);
  std::optional<double> best;
  unsigned pulls = 0;
  double allCosts = 0;
  // Tokens and money do not add up.
  bool isPriced = llvm::all_of(history.attempts, [](const Attempt &attempt) {
    return tokensOf(attempt) == 0 || moneyOf(attempt);
  });
  for (const Attempt &attempt : history.attempts) {
    double reward = 0;
    if (attempt.outcome == AttemptOutcome::Accepted && attempt.time) {
      bool isBest = !best || *attempt.time < *best;
      reward = isBest ? 1 : 0.5 * *best / *attempt.time;
      best = std::min(best.value_or(*attempt.time), *attempt.time);
    }
    if (!attempt.proposal || attempt.generation() < 0 ||
        attempt.outcome == AttemptOutcome::Pending)
      continue;
    int index = armOf(attempt);
    if (index < 0)
      continue;
    Arm &arm = arms[index];
    ++arm.pulls;
    ++pulls;
    arm.reward += reward;
    double cost = isPriced ? moneyOf(attempt).value_or(0) : tokensOf(attempt);
    arm.cost += cost;
    allCosts += cost;
  }
  bool isThompson = rule.choose == Strategy::Choose::Thompson;
  std::vector<size_t> untried;
  for (size_t i = 0; i < count; ++i)
    if (arms[i].pulls == 0)
      untried.push_back(i);
  // A bound on what was never tried is infinite; a belief about it is not.
  if (!isThompson && !untried.empty())
    return untried[random.below(untried.size())];
  size_t chosen = 0;
  double highest = -1;
  for (size_t i = 0; i < count; ++i) {
    const Arm &arm = arms[i];
    // Where nothing is known of costs they are taken to be the same.
    double relativeCost =
        allCosts > 0 && arm.pulls > 0
            ? std::max(arm.cost / arm.pulls / (allCosts / pulls), 0.01)
            : 1;
    double score =
        isThompson
            ? drawReward(arm, random) / relativeCost
            : arm.reward / arm.pulls / relativeCost +
                  rule.exploration * std::sqrt(2 * std::log(pulls) / arm.pulls);
    if (score > highest) {
      highest = score;
      chosen = i;
    }
  }
  return chosen;
}
