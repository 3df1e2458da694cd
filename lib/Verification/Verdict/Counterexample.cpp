// Data as attributes, since a verdict leaves its process as text.
#include "Counterexample.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace evo;

static Attribute toBytes(Builder &b, ArrayRef<char> bytes) {
  return DenseElementsAttr::getFromRawBuffer(
      RankedTensorType::get({static_cast<int64_t>(bytes.size())},
                            b.getI8Type()),
      bytes);
}

DictionaryAttr evo::describeCounterexample(MLIRContext *context,
                                           const TrialInputs &inputs,
                                           const TrialRun *wanted,
                                           const TrialRun *got) {
  constexpr uint64_t maxBytes = uint64_t(16) << 20;
  Builder b(context);
  NamedAttrList sizes, floats, read, expected, found;
  for (const auto &[name, extent] : inputs.sizes)
    sizes.append(name, b.getI64IntegerAttr(extent));
  for (const auto &[name, value] : inputs.floats)
    floats.append(name, b.getF64FloatAttr(value));
  uint64_t kept = 0;
  for (const TrialInputs::Buffer &buffer : inputs.buffers) {
    StringRef name = buffer.arg.getName().getValue();
    const uint64_t bytes =
        buffer.elements * getElementBytes(buffer.arg.getElementType());
    kept += 3 * bytes;
    if (kept > maxBytes)
      return {};
    if (buffer.arg.isRead())
      read.append(name, toBytes(b, buffer.contents));
    if (!buffer.arg.isWritten())
      continue;
    for (auto [run, list] : {std::pair(wanted, &expected), {got, &found}})
      if (run)
        list->append(name,
                     toBytes(b, ArrayRef(run->memory->bytes(
                                             run->values.buffers.lookup(name)),
                                         bytes)));
  }
  NamedAttrList all;
  for (auto [name, list] : {std::pair("sizes", &sizes),
                            {"floats", &floats},
                            {"inputs", &read},
                            {"expected", &expected},
                            {"found", &found}})
    all.append(name, list->getDictionary(context));
  return all.getDictionary(context);
}
