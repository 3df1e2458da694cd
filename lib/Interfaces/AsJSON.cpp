// Attributes of the dialect as JSON.
#include "evo/Interfaces/AsJSON.h"

using namespace mlir;
using namespace evo;

llvm::json::Value evo::describeAttribute(Attribute attr) {
  if (auto text = dyn_cast<StringAttr>(attr))
    return llvm::json::fixUTF8(text.getValue());
  if (auto flag = dyn_cast<BoolAttr>(attr))
    return flag.getValue();
  if (auto number = dyn_cast<IntegerAttr>(attr))
    return number.getInt();
  if (auto number = dyn_cast<FloatAttr>(attr))
    return number.getValueAsDouble();
  if (auto list = dyn_cast<ArrayAttr>(attr)) {
    llvm::json::Array values;
    for (Attribute value : list)
      values.push_back(describeAttribute(value));
    return values;
  }
  if (auto list = dyn_cast<DenseF64ArrayAttr>(attr))
    return llvm::json::Array(list.asArrayRef());
  if (auto dictionary = dyn_cast<DictionaryAttr>(attr)) {
    llvm::json::Object object;
    for (NamedAttribute entry : dictionary)
      object[entry.getName().str()] = describeAttribute(entry.getValue());
    return object;
  }
  std::string text;
  llvm::raw_string_ostream(text) << attr;
  return text;
}

llvm::json::Object evo::describeCost(CostAttr cost) {
  llvm::json::Array micros; // null where a workload is not served
  for (double time : cost.getMicros().asArrayRef())
    micros.push_back(time < 0 ? llvm::json::Value(nullptr)
                              : llvm::json::Value(time));
  llvm::json::Object object{{"source", stringifyCostSource(cost.getSource())},
                            {"micros", std::move(micros)},
                            {"machine", cost.getMachine().getValue()}};
  if (cost.getDetails())
    object["details"] = describeAttribute(cost.getDetails());
  return object;
}
