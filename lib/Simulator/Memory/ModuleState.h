// Variables of a module in the memory that launches share.
#ifndef EVO_LIB_SIMULATOR_MEMORY_MODULESTATE_H
#define EVO_LIB_SIMULATOR_MEMORY_MODULESTATE_H

namespace evo::sim {

class GlobalMemory;
struct ProgramImpl;

/// Places the variables in `memory`, unless an earlier launch has.
void setUpModuleGlobals(const ProgramImpl &program, GlobalMemory &memory);

} // namespace evo::sim

#endif
