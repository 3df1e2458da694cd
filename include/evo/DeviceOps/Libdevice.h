// What LLVM's passes may know of functions of libdevice before they are linked.
#ifndef EVO_DEVICEOPS_LIBDEVICE_H
#define EVO_DEVICEOPS_LIBDEVICE_H

namespace llvm {
class Module;
}

namespace evo::device {

/// Says of those that a module declares that they neither read nor write memory
/// that the program sees, and return: calls may be moved, merged and dropped.
void annotateLibdevice(llvm::Module &module);

} // namespace evo::device

#endif
