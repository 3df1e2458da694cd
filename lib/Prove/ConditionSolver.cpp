// Graphs of conditions as bit vectors of Z3.
#include "evo/Prove/ConditionSolver.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <z3.h>

using namespace llvm;
using namespace evo;

using Op = KernelConditions::Op;

/// Of sizes and formulas. What they count is far smaller, so that unsigned
/// operations do for them.
static constexpr unsigned formulaWidth = 64;
/// Extents that dimensions may have together, that two of them may have, and
/// those that a single one may have besides, smallest first.
static constexpr uint64_t smallExtent = 96, pairExtent = 547, longest = 1 << 26;
static constexpr uint64_t longExtents[] = {1100, 8200, 70'000, 1 << 21};
/// Other extents where one is long, or very long: the work grows with all of
/// them.
static constexpr uint64_t fewExtent = 4, minExtent = 2;
static constexpr uint64_t veryLong = 10'000;
/// Against what is not counted.
static constexpr unsigned maxMilliseconds = 2'000;
/// The name of Z3's statistics for effort.
static constexpr StringLiteral effortKey = "rlimit count";

struct ConditionSolver::Impl {
  Z3_context context;
  Z3_solver solver;
  std::vector<std::string> names;
  StringMap<Z3_ast> sizes;
  std::vector<Z3_ast> known; ///< what holds of all sizes
  uint64_t effort, effortOfOne;

  void startSolver();
  Impl(ArrayRef<std::string> names, ArrayRef<Requirement> requirements,
       uint64_t effort);
  ~Impl() {
    Z3_solver_dec_ref(context, solver);
    Z3_del_context(context);
  }

  Z3_ast number(uint64_t value, unsigned width) {
    return Z3_mk_unsigned_int64(context, value, Z3_mk_bv_sort(context, width));
  }
  Z3_ast truth(Z3_ast bit) { return Z3_mk_eq(context, bit, number(1, 1)); }
  Z3_ast bit(Z3_ast truth) {
    return Z3_mk_ite(context, truth, number(1, 1), number(0, 1));
  }
  Z3_ast any(unsigned width) {
    return Z3_mk_fresh_const(context, "v", Z3_mk_bv_sort(context, width));
  }
  Z3_ast resize(Z3_ast term, unsigned from, unsigned to) {
    return from == to  ? term
           : from > to ? Z3_mk_extract(context, to - 1, 0, term)
                       : Z3_mk_zero_ext(context, to - from, term);
  }
  void assume(Z3_ast fact) { Z3_solver_assert(context, solver, fact); }
  Z3_lbool ask(ArrayRef<Z3_ast> more);
  Z3_ast isUpTo(StringRef name, uint64_t bound) {
    return Z3_mk_bvule(context, sizes.lookup(name),
                       number(bound, formulaWidth));
  }

  /// Null where a name is not known.
  Z3_ast formula(const IntExpr &expr);
  Z3_ast requirement(const Requirement &requirement);

  /// The terms of one graph, and what its leaves may be.
  struct Translation {
    std::vector<Z3_ast> terms;
    std::vector<Z3_ast> facts;
  };
  Z3_ast leaf(const KernelConditions::Node &node, const LaunchFormulas &launch,
              const LoadedRanges &ranges, std::vector<Z3_ast> &facts);
  Z3_ast operation(const KernelConditions &graph,
                   const KernelConditions::Node &node,
                   const std::vector<Z3_ast> &terms);
  Translation translate(const KernelConditions &graph,
                        const LaunchFormulas &launch,
                        const LoadedRanges &ranges,
                        ArrayRef<KernelConditions::Fact> wanted);
};

ConditionSolver::Impl::Impl(ArrayRef<std::string> names,
                            ArrayRef<Requirement> requirements, uint64_t effort)
    : names(names), effort(effort), effortOfOne(effort / 4) {
  Z3_config config = Z3_mk_config();
  context = Z3_mk_context(config);
  Z3_del_config(config);
  // An error is an answer that is not a model.
  Z3_set_error_handler(context, [](Z3_context, Z3_error_code) {});
  for (const std::string &name : names) {
    Z3_ast size =
        Z3_mk_const(context, Z3_mk_string_symbol(context, name.c_str()),
                    Z3_mk_bv_sort(context, formulaWidth));
    sizes[name] = size;
    known.push_back(Z3_mk_bvuge(context, size, number(1, formulaWidth)));
    known.push_back(isUpTo(name, longest));
  }
  for (const Requirement &required : requirements)
    if (Z3_ast fact = requirement(required))
      known.push_back(fact);
  startSolver();
}

void ConditionSolver::Impl::startSolver() {
  solver =
      Z3_mk_solver_for_logic(context, Z3_mk_string_symbol(context, "QF_BV"));
  Z3_solver_inc_ref(context, solver);
  for (Z3_ast fact : known)
    assume(fact);
}

Z3_ast ConditionSolver::Impl::formula(const IntExpr &expr) {
  using Kind = IntExpr::Kind;
  const Kind kind = expr.getKind();
  if (kind == Kind::Constant)
    return number(static_cast<uint64_t>(*expr.getAsConstant()), formulaWidth);
  if (kind == Kind::Name)
    return sizes.lookup(expr.getAsName());
  Z3_ast a = formula(expr.getLhs());
  Z3_ast b = a ? formula(expr.getRhs()) : nullptr;
  if (!b)
    return nullptr;
  switch (kind) {
  case Kind::Constant:
  case Kind::Name:
    break;
  case Kind::Add:
    return Z3_mk_bvadd(context, a, b);
  case Kind::Sub:
    return Z3_mk_bvsub(context, a, b);
  case Kind::Mul:
    return Z3_mk_bvmul(context, a, b);
  case Kind::Div:
    return Z3_mk_bvudiv(context, a, b);
  case Kind::Mod:
    return Z3_mk_bvurem(context, a, b);
  case Kind::CeilDiv: {
    Z3_ast less = Z3_mk_bvsub(context, b, number(1, formulaWidth));
    return Z3_mk_bvudiv(context, Z3_mk_bvadd(context, a, less), b);
  }
  case Kind::Min:
    return Z3_mk_ite(context, Z3_mk_bvslt(context, b, a), b, a);
  case Kind::Max:
    return Z3_mk_ite(context, Z3_mk_bvslt(context, a, b), b, a);
  }
  llvm_unreachable("a kind of expression");
}

Z3_ast ConditionSolver::Impl::requirement(const Requirement &requirement) {
  if (requirement.isOnTarget())
    return nullptr;
  Z3_ast a = formula(requirement.getLhs());
  Z3_ast b = a ? formula(requirement.getRhs()) : nullptr;
  if (!b)
    return nullptr;
  switch (requirement.getComparison()) {
  case Requirement::Comparison::EQ:
    return Z3_mk_eq(context, a, b);
  case Requirement::Comparison::NE:
    return Z3_mk_not(context, Z3_mk_eq(context, a, b));
  case Requirement::Comparison::LT:
    return Z3_mk_bvslt(context, a, b);
  case Requirement::Comparison::LE:
    return Z3_mk_bvsle(context, a, b);
  case Requirement::Comparison::GT:
    return Z3_mk_bvsgt(context, a, b);
  case Requirement::Comparison::GE:
    return Z3_mk_bvsge(context, a, b);
  }
  llvm_unreachable("a comparison");
}

Z3_lbool ConditionSolver::Impl::ask(ArrayRef<Z3_ast> more) {
  if (effort == 0)
    return Z3_L_UNDEF;
  Z3_params params = Z3_mk_params(context);
  Z3_params_inc_ref(context, params);
  auto set = [&](const char *name, uint64_t value) {
    Z3_params_set_uint(context, params, Z3_mk_string_symbol(context, name),
                       static_cast<unsigned>(value));
  };
  set("rlimit", std::min(effort, effortOfOne));
  set("timeout", maxMilliseconds);
  Z3_solver_set_params(context, solver, params);
  Z3_params_dec_ref(context, params);
  Z3_solver_push(context, solver);
  for (Z3_ast fact : more)
    assume(fact);
  auto spent = [&] {
    Z3_stats stats = Z3_solver_get_statistics(context, solver);
    Z3_stats_inc_ref(context, stats);
    uint64_t count = 0;
    for (unsigned i = 0; i < Z3_stats_size(context, stats); ++i)
      if (effortKey == Z3_stats_get_key(context, stats, i) &&
          Z3_stats_is_uint(context, stats, i))
        count = Z3_stats_get_uint_value(context, stats, i);
    Z3_stats_dec_ref(context, stats);
    return count;
  };
  const uint64_t before = spent();
  const Z3_lbool answer = Z3_solver_check(context, solver);
  effort -= std::min(effort, std::max<uint64_t>(1, spent() - before));
  if (answer == Z3_L_UNDEF) {
    // One that was stopped on its way is not to be asked again, nor freed:
    // versions to 4.8 leave it half done.
    startSolver();
    Z3_solver_push(context, solver);
  }
  return answer;
}

Z3_ast ConditionSolver::Impl::leaf(const KernelConditions::Node &node,
                                   const LaunchFormulas &launch,
                                   const LoadedRanges &ranges,
                                   std::vector<Z3_ast> &facts) {
  auto extent = [&](const std::vector<IntExpr> &extents) {
    Z3_ast term = node.value < extents.size() ? formula(extents[node.value])
                                              : number(1, formulaWidth);
    return term ? term : any(formulaWidth);
  };
  Z3_ast value = any(node.width);
  switch (node.op) {
  case Op::Argument:
    if (node.value < launch.arguments.size() && launch.arguments[node.value])
      if (Z3_ast term = formula(*launch.arguments[node.value]))
        return resize(term, formulaWidth, node.width);
    return value;
  case Op::BlockDim:
    return resize(extent(launch.block), formulaWidth, node.width);
  case Op::GridDim:
    return resize(extent(launch.grid), formulaWidth, node.width);
  case Op::ThreadId:
  case Op::BlockId:
    facts.push_back(Z3_mk_bvult(
        context, resize(value, node.width, formulaWidth),
        extent(node.op == Op::ThreadId ? launch.block : launch.grid)));
    return value;
  case Op::Unknown:
    facts.push_back(
        Z3_mk_bvsge(context, value, number(uint64_t(0), node.width)));
    return value;
  default:
    break;
  }
  if (node.isFloat && node.width == 32) {
    // Neither subnormal nor beyond what a sum of such numbers holds.
    Z3_ast exponent = Z3_mk_extract(context, 30, 23, value);
    facts.push_back(Z3_mk_bvuge(context, exponent, number(107, 8)));
    facts.push_back(Z3_mk_bvule(context, exponent, number(147, 8)));
  }
  if (!node.isFloat && node.value < ranges.size() && ranges[node.value]) {
    Z3_ast low = formula(ranges[node.value]->first),
           high = formula(ranges[node.value]->second);
    Z3_ast wide =
        node.width < formulaWidth
            ? Z3_mk_sign_ext(context, formulaWidth - node.width, value)
            : value;
    if (low && high) {
      facts.push_back(Z3_mk_bvsge(context, wide, low));
      facts.push_back(Z3_mk_bvslt(context, wide, high));
    }
  }
  return value;
}

Z3_ast ConditionSolver::Impl::operation(const KernelConditions &graph,
                                        const KernelConditions::Node &node,
                                        const std::vector<Z3_ast> &terms) {
  Z3_ast a = terms[node.operands[0]];
  Z3_ast b = node.operands.size() > 1 ? terms[node.operands[1]] : nullptr;
  const unsigned from = graph.nodes[node.operands[0]].width;
  switch (node.op) {
  case Op::Add:
    return Z3_mk_bvadd(context, a, b);
  case Op::Sub:
    return Z3_mk_bvsub(context, a, b);
  case Op::Mul:
    return Z3_mk_bvmul(context, a, b);
  case Op::UDiv:
    return Z3_mk_bvudiv(context, a, b);
  case Op::SDiv:
    return Z3_mk_bvsdiv(context, a, b);
  case Op::URem:
    return Z3_mk_bvurem(context, a, b);
  case Op::SRem:
    return Z3_mk_bvsrem(context, a, b);
  case Op::Shl:
    return Z3_mk_bvshl(context, a, b);
  case Op::LShr:
    return Z3_mk_bvlshr(context, a, b);
  case Op::AShr:
    return Z3_mk_bvashr(context, a, b);
  case Op::And:
    return Z3_mk_bvand(context, a, b);
  case Op::Or:
    return Z3_mk_bvor(context, a, b);
  case Op::Xor:
    return Z3_mk_bvxor(context, a, b);
  case Op::Eq:
    return bit(Z3_mk_eq(context, a, b));
  case Op::ULt:
    return bit(Z3_mk_bvult(context, a, b));
  case Op::SLt:
    return bit(Z3_mk_bvslt(context, a, b));
  case Op::Not:
    return Z3_mk_bvnot(context, a);
  case Op::Trunc:
    return Z3_mk_extract(context, node.width - 1, 0, a);
  case Op::ZExt:
    return Z3_mk_zero_ext(context, node.width - from, a);
  case Op::SExt:
    return Z3_mk_sign_ext(context, node.width - from, a);
  case Op::Select:
    return Z3_mk_ite(context, truth(a), b, terms[node.operands[2]]);
  default:
    break;
  }
  Z3_ast count = number(uint64_t(0), node.width); // Popcount
  for (unsigned i = 0; i < from; ++i)
    count = Z3_mk_bvadd(context, count,
                        resize(Z3_mk_extract(context, i, i, a), 1, node.width));
  return count;
}

ConditionSolver::Impl::Translation ConditionSolver::Impl::translate(
    const KernelConditions &graph, const LaunchFormulas &launch,
    const LoadedRanges &ranges, ArrayRef<KernelConditions::Fact> wanted) {
  std::vector<bool> isNeeded(graph.nodes.size());
  for (const KernelConditions::Fact &fact : wanted)
    isNeeded[fact.first] = true;
  for (size_t i = graph.nodes.size(); i-- > 0;)
    if (isNeeded[i] && graph.nodes[i].op > Op::Unknown)
      for (unsigned operand : graph.nodes[i].operands)
        isNeeded[operand] = true;
  Translation made;
  made.terms.resize(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const KernelConditions::Node &node = graph.nodes[i];
    if (!isNeeded[i])
      continue;
    made.terms[i] = node.op == Op::Constant ? number(node.value, node.width)
                    : node.op <= Op::Unknown
                        ? leaf(node, launch, ranges, made.facts)
                        : operation(graph, node, made.terms);
  }
  for (const KernelConditions::Fact &fact : wanted) {
    Z3_ast holds = truth(made.terms[fact.first]);
    made.facts.push_back(fact.second ? holds : Z3_mk_not(context, holds));
  }
  return made;
}

std::optional<ConditionModel>
ConditionSolver::solve(const KernelConditions &graph,
                       const LaunchFormulas &launch, const LoadedRanges &ranges,
                       ArrayRef<KernelConditions::Fact> facts) {
  Impl::Translation made = impl->translate(graph, launch, ranges, facts);
  std::optional<ConditionModel> found;
  const ArrayRef<std::string> names = impl->names;
  /// Whether to go on with larger sizes; `longOnes` may have `extent`, others
  /// `few`.
  auto attempt = [&](ArrayRef<std::string> longOnes, uint64_t extent,
                     uint64_t few) {
    std::vector<Z3_ast> all = made.facts;
    for (const std::string &name : names)
      all.push_back(
          impl->isUpTo(name, is_contained(longOnes, name) ? extent : few));
    const Z3_lbool answer = impl->ask(all);
    if (answer == Z3_L_TRUE) {
      Z3_model model = Z3_solver_get_model(impl->context, impl->solver);
      Z3_model_inc_ref(impl->context, model);
      auto valueOf = [&](Z3_ast term) {
        Z3_ast value;
        uint64_t number = 0;
        if (Z3_model_eval(impl->context, model, term, true, &value))
          Z3_get_numeral_uint64(impl->context, value, &number);
        return number;
      };
      found.emplace();
      for (const std::string &name : names)
        found->sizes[name] =
            static_cast<int64_t>(valueOf(impl->sizes.lookup(name)));
      for (size_t i = 0; i < graph.nodes.size(); ++i)
        if (graph.nodes[i].op == Op::Loaded && made.terms[i])
          found->loaded.emplace_back(
              static_cast<unsigned>(graph.nodes[i].value),
              valueOf(made.terms[i]));
      Z3_model_dec_ref(impl->context, model);
    }
    Z3_solver_pop(impl->context, impl->solver, 1);
    return answer != Z3_L_TRUE && impl->effort != 0;
  };
  if (impl->effort == 0 || !attempt({}, 0, smallExtent))
    return found;
  // Most of what no small sizes satisfy, no sizes do.
  if (impl->ask(made.facts) != Z3_L_TRUE) {
    Z3_solver_pop(impl->context, impl->solver, 1);
    return std::nullopt;
  }
  Z3_solver_pop(impl->context, impl->solver, 1);
  // Two with a relation that no sweep over sizes guesses, such as M = 3 N + 41.
  for (size_t i = 0; i < names.size(); ++i)
    for (size_t j = i + 1; j < names.size(); ++j)
      if (!attempt({names[i], names[j]}, pairExtent, fewExtent))
        return found;
  for (uint64_t extent : longExtents)
    for (const std::string &name : names)
      if (!attempt(name, extent, extent > veryLong ? minExtent : fewExtent))
        return found;
  return std::nullopt;
}

bool ConditionSolver::hasEnded() const { return impl->effort == 0; }

ConditionSolver::ConditionSolver(ArrayRef<std::string> names,
                                 ArrayRef<Requirement> requirements,
                                 uint64_t effort)
    : impl(std::make_unique<Impl>(names, requirements, effort)) {}
ConditionSolver::~ConditionSolver() = default;
