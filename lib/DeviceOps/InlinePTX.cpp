// The words of PTX for them.
#include "evo/DeviceOps/InlinePTX.h"

using namespace llvm;

namespace evo::device {

/// "$2, $3" for two operands from number 2.
static std::string listOperands(unsigned first, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return text;
}

std::string spellStreamedLoad(StringRef type, unsigned count) {
  std::string vector, results = listOperands(0, count);
  if (count > 1) {
    vector = "v" + std::to_string(count) + ".";
    results = "{" + results + "}";
  }
  return "ld.global.cs." + vector + type.str() + " " + results + ", [$" +
         std::to_string(count) + "];";
}

std::string spellVectorAdd(unsigned count) {
  return "red.global.add.v" + std::to_string(count) + ".f32 [$0], {" +
         listOperands(1, count) + "};";
}

} // namespace evo::device
