// What an instruction of the bytecode reads, writes and jumps to.
#ifndef EVO_LIB_SIMULATOR_IR_OPERANDS_H
#define EVO_LIB_SIMULATOR_IR_OPERANDS_H

#include "Bytecode.h"

namespace evo::sim {

inline bool hasList(const Inst &i) {
  return has(i.op, fact::hasList) ||
         (has(i.op, fact::mayList) && i.flags & flagList);
}

/// Slots of an instruction's list that it writes: [0, this); the rest it reads.
inline size_t listedDefs(const KernelCode &k, const Inst &i) {
  if (i.op == Op::MMA)
    return k.products[i.imm].slotsD;
  return has(i.op, fact::listsResults) ? k.lists[i.aux].size() : 0;
}

/// Calls f(slot) for what an instruction reads; where kernel and instruction
/// are not const, it may put another slot in that one's place.
template <class Kernel, class Instruction, class F>
void forEachUse(Kernel &k, Instruction &i, F f) {
  for (auto *slot : {&i.a, &i.b, &i.c, &i.e})
    if (*slot != noOperand)
      f(*slot);
  if (hasList(i))
    for (size_t n = listedDefs(k, i); n < k.lists[i.aux].size(); ++n)
      f(k.lists[i.aux][n]);
}

/// The same for what it writes.
template <class Kernel, class Instruction, class F>
void forEachDef(Kernel &k, Instruction &i, F f) {
  for (auto *slot : {&i.dst, &i.dst2})
    if (*slot != noOperand)
      f(*slot);
  if (hasList(i))
    for (size_t n = 0; n < listedDefs(k, i); ++n)
      f(k.lists[i.aux][n]);
}

/// Calls f(edge index) for the edges that leave a terminator.
template <class F> void forEachEdge(const KernelCode &k, const Inst &i, F f) {
  switch (i.op) {
  case Op::BR:
    f(i.aux);
    break;
  case Op::CONDBR:
    f(i.aux);
    f(i.aux + 1);
    break;
  case Op::SWITCH:
    f(k.switches[i.aux].defaultEdge);
    for (const auto &[value, edge] : k.switches[i.aux].cases)
      f(edge);
    break;
  default:
    break;
  }
}

} // namespace evo::sim

#endif
