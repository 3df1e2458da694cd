// The details of one evidence as they come together: what is not worth a key
// is left out.
#ifndef EVO_LIB_VERIFICATION_VERDICT_DETAILS_H
#define EVO_LIB_VERIFICATION_VERDICT_DETAILS_H

#include "evo/Dialect/Evo/IR/Evidence.h"
#include "mlir/IR/OperationSupport.h"

namespace evo::evidence {

class Details {
public:
  explicit Details(mlir::MLIRContext *context) : b(context) {}

  void number(Integer key, uint64_t value) {
    add(key.of(b, static_cast<int64_t>(value)));
  }
  void number(Number key, double value) { add(key.of(b, value)); }
  void flag(Flag key, bool value) { add(key.of(b, value)); }
  void value(Value key, mlir::Attribute value) {
    if (value)
      add(key.of(b, value));
  }
  /// Adds to what the key has. Zero is not worth a key.
  void count(Integer key, uint64_t more) {
    auto old = llvm::dyn_cast_or_null<mlir::IntegerAttr>(all.get(key.name));
    if (more)
      number(key, more + (old ? old.getInt() : 0));
  }
  /// Goes on with the text that the key has. Nothing is not worth a key.
  void text(Text key, llvm::StringRef more) {
    auto old = llvm::dyn_cast_or_null<mlir::StringAttr>(all.get(key.name));
    if (!more.empty())
      add(key.of(b, old ? old.str() + "; " + more.str() : more.str()));
  }

  mlir::DictionaryAttr getDictionary() const {
    return all.getDictionary(b.getContext());
  }

private:
  mlir::Builder b;
  mlir::NamedAttrList all;

  void add(mlir::NamedAttribute detail) {
    all.set(detail.getName(), detail.getValue());
  }
};

} // namespace evo::evidence

#endif
