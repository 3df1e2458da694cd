// Which ways the branches of a kernel went. The interpreter sets a flag for
// each edge that it takes; here flags become branches again.
#include "evo/Simulator/Coverage.h"
#include "Simulator/IR/Operands.h"
#include "Simulator/Interp/Exec.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

namespace evo::sim {

std::string OneWayBranch::str() const { return location.str() + " " + what; }

/// A flag for each edge of the kernel, and one.
static void sizeByEdges(std::vector<unsigned char> &flags,
                        const Program &program, const std::string &kernel) {
  auto it = program.impl().kernels.find(kernel);
  if (flags.empty() && it != program.impl().kernels.end())
    flags.resize(it->second.edges.size() + 1);
}

std::vector<unsigned char> &Coverage::edges(const Program &program,
                                            const std::string &kernel) {
  std::vector<unsigned char> &flags = taken[{&program.impl(), kernel}];
  sizeByEdges(flags, program, kernel);
  return flags;
}

std::vector<WaitingLoop> findWaitingLoops(const Program &program,
                                          const std::string &kernel) {
  std::vector<WaitingLoop> loops;
  auto it = program.impl().kernels.find(kernel);
  if (it == program.impl().kernels.end())
    return loops;
  const KernelCode &k = it->second;
  std::vector<uint32_t> waits; // code positions
  for (uint32_t ip = 0; ip < k.code.size(); ++ip) {
    const Inst &i = k.code[ip];
    if (i.op == Op::BAR || i.op == Op::WARPSYNC)
      waits.push_back(ip);
    if (i.op != Op::BR && i.op != Op::CONDBR)
      continue;
    for (uint32_t edge = i.aux; edge <= i.aux + (i.op == Op::CONDBR); ++edge) {
      const uint32_t first = k.edges[edge].target;
      if (first <= ip && !waits.empty() && waits.back() >= first)
        loops.push_back({k.locations[i.loc], edge, first, ip, {}});
    }
  }
  for (WaitingLoop &outer : loops)
    for (const WaitingLoop &loop : loops)
      if (&loop != &outer && loop.first >= outer.first &&
          loop.last < outer.last)
        outer.inner.push_back(loop.edge);
  return loops;
}

std::vector<unsigned char> &Coverage::rounds(const Program &program,
                                             const std::string &kernel) {
  std::vector<unsigned char> &rounds = again[{&program.impl(), kernel}];
  sizeByEdges(rounds, program, kernel);
  return rounds;
}

std::vector<WaitingLoop> Coverage::fewRounds(const Program &program) const {
  std::vector<WaitingLoop> result;
  for (auto &[name, k] : program.impl().kernels) {
    auto rounds = again.find({&program.impl(), name});
    if (rounds == again.end())
      continue;
    for (WaitingLoop &loop : findWaitingLoops(program, name))
      if (rounds->second[loop.edge] < manyRounds)
        result.push_back(std::move(loop));
  }
  return result;
}

/// The terminator of the block at `ip`.
static const Inst &findEnd(const KernelCode &k, uint32_t ip) {
  while (!has(k.code[ip].op, fact::endsBlock))
    ++ip;
  return k.code[ip];
}

/// Whether the code at `ip` can do nothing but trap.
static bool leadsToTrap(const KernelCode &k, uint32_t ip) {
  return findEnd(k, ip).op == Op::TRAP;
}

/// What is missing of a branch; empty where nothing is.
static std::string describe(const KernelCode &k, const BranchSite &site,
                            const std::vector<unsigned char> &flags) {
  // Cases of a switch may lead to one place.
  std::map<uint32_t, bool> places;
  for (uint32_t e = site.firstEdge; e < site.firstEdge + site.edges; ++e)
    if (!leadsToTrap(k, k.edges[e].target))
      places[k.edges[e].target] |= flags[e] != 0;
  auto missing = llvm::count_if(places, [](auto &p) { return !p.second; });
  if (missing == 0)
    return "";
  if (static_cast<size_t>(missing) == places.size())
    return "never reached";
  if (!site.isSwitch)
    return flags[site.firstEdge] ? "never false" : "never true";
  return std::to_string(missing) + " of " + std::to_string(places.size()) +
         " ways never taken";
}

/// Whether `edge` was taken, where its block ran. Only choices set flags.
static bool wasTaken(const Inst &end, uint32_t edge,
                     const std::vector<unsigned char> &flags) {
  return end.op == Op::BR || flags[edge];
}

/// The blocks that were run, by their first instruction.
static std::set<uint32_t>
findBlocksRun(const KernelCode &k, const std::vector<unsigned char> &flags) {
  std::set<uint32_t> run = {0};
  std::vector<uint32_t> pending = {0};
  while (!pending.empty()) {
    const Inst &end = findEnd(k, pending.back());
    pending.pop_back();
    forEachEdge(k, end, [&](uint32_t e) {
      if (wasTaken(end, e, flags) && run.insert(k.edges[e].target).second)
        pending.push_back(k.edges[e].target);
    });
  }
  return run;
}

static bool storesInBlock(const KernelCode &k, uint32_t ip) {
  for (;; ++ip) {
    const Op op = k.code[ip].op;
    const bool onlyReads =
        op == Op::ATOMIC && (k.code[ip].aux & atomicOnlyReads) != 0;
    if ((has(op, fact::storesValues | fact::exchangesMemory) && !onlyReads) ||
        op == Op::WMMASTORE)
      return true;
    if (has(op, fact::endsBlock))
      return false;
  }
}

/// Whether `site` was reached, and code behind it that nobody ran stores.
static bool guardsStores(const KernelCode &k, const BranchSite &site,
                         const std::vector<unsigned char> &flags,
                         const std::set<uint32_t> &run) {
  std::vector<uint32_t> pending;
  std::set<uint32_t> seen;
  auto follow = [&](uint32_t e) {
    const uint32_t target = k.edges[e].target;
    if (!run.count(target) && seen.insert(target).second)
      pending.push_back(target);
  };
  bool reached = false;
  for (uint32_t e = site.firstEdge; e < site.firstEdge + site.edges; ++e) {
    reached |= flags[e] != 0;
    follow(e);
  }
  if (!reached)
    return false;
  while (!pending.empty()) {
    const uint32_t block = pending.back();
    pending.pop_back();
    if (storesInBlock(k, block))
      return true;
    forEachEdge(k, findEnd(k, block), follow);
  }
  return false;
}

/// Whether `site` was reached, and stores would be missing on the other way.
static bool skipsStores(const BranchSite &site,
                        const std::vector<unsigned char> &flags) {
  const bool wasTrue = flags[site.firstEdge];
  const bool wasFalse = !site.isSwitch && flags[site.firstEdge + 1];
  return (wasTrue && !wasFalse && site.skipsWhenFalse) ||
         (wasFalse && !wasTrue && site.skipsWhenTrue);
}

/// The way back is taken after the last round, too: the condition comes before
/// the first.
static constexpr uint32_t everyRound = 1u << 31;

RoundCounter::RoundCounter(const Program &program, const std::string &kernel,
                           std::vector<unsigned char> &max, unsigned warps)
    : loops(findWaitingLoops(program, kernel)), loopOf(max.size()), max(max) {
  const auto k = program.impl().kernels.find(kernel);
  for (size_t n = 0; n < loops.size(); ++n)
    loopOf[loops[n].edge] =
        n + 1 | (k->second.code[loops[n].last].op == Op::BR ? everyRound : 0u);
  now.resize(loops.empty() ? 0 : warps * max.size());
}

void RoundCounter::blockStart() { llvm::fill(now, 0); }

void RoundCounter::goBack(const Warp &w, uint32_t edge) {
  const uint32_t number = loopOf[edge] & ~everyRound;
  if (!number)
    return;
  unsigned char *mine = now.data() + w.index * max.size();
  const unsigned char last = loopOf[edge] & everyRound ? 1 : 0;
  if (mine[edge] < Coverage::manyRounds + last)
    ++mine[edge];
  max[edge] = std::max<unsigned char>(max[edge], mine[edge] - last);
  for (uint32_t inner : loops[number - 1].inner)
    mine[inner] = 0;
}

std::vector<OneWayBranch> Coverage::oneWay(const Program &program) const {
  std::vector<OneWayBranch> result;
  for (auto &[name, k] : program.impl().kernels) {
    auto flags = taken.find({&program.impl(), name});
    if (flags == taken.end())
      continue;
    const std::set<uint32_t> run = findBlocksRun(k, flags->second);
    for (const BranchSite &site : k.branches) {
      OneWayBranch branch;
      branch.what = describe(k, site, flags->second);
      if (branch.what.empty())
        continue;
      branch.location = k.locations[site.location];
      branch.input = site.onData ? BranchInput::Data : BranchInput::Launch;
      branch.onInput = site.onInput;
      branch.roundLimit = site.roundLimit;
      branch.guardsStores = guardsStores(k, site, flags->second, run);
      branch.skipsStores = skipsStores(site, flags->second);
      result.push_back(std::move(branch));
    }
  }
  return result;
}

} // namespace evo::sim
