// Which ways the branches of a kernel went. The interpreter sets a flag for
// each edge that it takes; here flags become branches again.
#include "evo/Simulator/Coverage.h"
#include "Simulator/IR/Bytecode.h"
#include "llvm/ADT/STLExtras.h"

namespace evo::exec {

std::string OneWayBranch::str() const { return location.str() + " " + what; }

std::vector<unsigned char> &Coverage::edges(const Program &program,
                                            const std::string &kernel) {
  std::vector<unsigned char> &flags = taken[{&program.impl(), kernel}];
  auto it = program.impl().kernels.find(kernel);
  if (flags.empty() && it != program.impl().kernels.end())
    flags.resize(it->second.edges.size() + 1);
  return flags;
}

/// Whether the code at `ip` can do nothing but trap.
static bool leadsToTrap(const KernelCode &k, uint32_t ip) {
  for (;; ++ip)
    switch (k.code[ip].op) {
    case Op::TRAP:
      return true;
    case Op::BR:
    case Op::CONDBR:
    case Op::SWITCH:
    case Op::RET:
      return false;
    default:
      break;
    }
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

std::vector<OneWayBranch> Coverage::oneWay(const Program &program) const {
  std::vector<OneWayBranch> result;
  for (auto &[name, k] : program.impl().kernels) {
    auto flags = taken.find({&program.impl(), name});
    if (flags == taken.end())
      continue;
    for (const BranchSite &site : k.branches) {
      OneWayBranch branch;
      branch.what = describe(k, site, flags->second);
      if (branch.what.empty())
        continue;
      branch.location = k.locations[site.location];
      branch.input = site.onData ? BranchInput::Data : BranchInput::Launch;
      result.push_back(std::move(branch));
    }
  }
  return result;
}

} // namespace evo::exec
