// Variables that outlive a launch. Variables of a module keep their values from
// launch to launch. Within one call of a plan that is how launches talk to each
// other; between two calls it is how a kernel counts them, or remembers
// results. So what a call changed and did not put back counts as never written
// in the next one.
#include "ModuleState.h"
#include "Simulator/IR/Bytecode.h"
#include "evo/Simulator/Launch.h"
#include "llvm/ADT/STLExtras.h"
#include <cstring>

namespace evo::sim {

/// A variable as a fresh module has it.
static std::vector<char> image(const GlobalVar &variable,
                               const GlobalMemory &memory, unsigned first) {
  std::vector<char> bytes = variable.init;
  for (const GlobalVar::Fixup &f : variable.fixups) {
    uint64_t address = memory.address(first + f.global) + f.addend;
    std::memcpy(bytes.data() + f.offset, &address, 8);
  }
  return bytes;
}

void setUpModuleGlobals(const ProgramImpl &p, GlobalMemory &memory) {
  if (p.globals.empty() || memory.moduleGlobals(p.serial) != ~0u)
    return;
  unsigned first = memory.size();
  for (const GlobalVar &g : p.globals) {
    BufferSpec s;
    s.name = "@" + g.name;
    s.bytes = g.init.size();
    s.readOnly = g.readOnly;
    s.initialized = g.readOnly;
    s.alignmentOffset = variableOffset(g.align);
    s.constant = g.constant;
    memory.addBuffer(s);
  }
  for (size_t i = 0; i < p.globals.size(); ++i) {
    std::vector<char> bytes = image(p.globals[i], memory, first);
    memory.write(first + i, 0, bytes.data(), bytes.size());
  }
  memory.setModuleGlobals(p.serial, first);
}

bool keepsState(const Program &program) {
  return llvm::any_of(program.impl().globals, [](const GlobalVar &g) {
    return !g.readOnly && g.used && !g.init.empty();
  });
}

void retireModuleState(const Program &program, GlobalMemory &memory) {
  const ProgramImpl &p = program.impl();
  unsigned first = memory.moduleGlobals(p.serial);
  if (first == ~0u)
    return;
  for (size_t i = 0; i < p.globals.size(); ++i) {
    if (p.globals[i].readOnly)
      continue;
    std::vector<char> fresh = image(p.globals[i], memory, first);
    for (size_t b = 0; b < fresh.size(); ++b)
      if (memory.bytes(first + i)[b] != fresh[b])
        memory.clearInitialized(first + i, b, 1);
  }
}

} // namespace evo::sim
