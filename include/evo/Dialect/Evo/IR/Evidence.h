// The details that evidence has, each with the type of its value. What writes
// and what reads them names them by these constants, so that neither can
// mistake a key or a type.
#ifndef EVO_DIALECT_EVO_IR_EVIDENCE_H
#define EVO_DIALECT_EVO_IR_EVIDENCE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace evo::evidence {

/// Of the value of a detail.
enum class Kind { Integer, Number, Flag, Text, Value };

/// A signed 64-bit count, index or seed.
struct Integer {
  llvm::StringLiteral name;
  mlir::NamedAttribute of(mlir::Builder &b, int64_t value) const;
};

/// A double.
struct Number {
  llvm::StringLiteral name;
  mlir::NamedAttribute of(mlir::Builder &b, double value) const;
};

struct Flag {
  llvm::StringLiteral name;
  mlir::NamedAttribute of(mlir::Builder &b, bool value) const;
};

struct Text {
  llvm::StringLiteral name;
  mlir::NamedAttribute of(mlir::Builder &b, const llvm::Twine &value) const;
};

/// An element: an integer, a double, or "nan", "inf" and "-inf".
struct Value {
  llvm::StringLiteral name;
  mlir::NamedAttribute of(mlir::Builder &b, mlir::Attribute value) const;
};

#define EVIDENCE_KEY(KIND, VARIABLE, KEY, MEANING, WHEN)                       \
  inline constexpr KIND VARIABLE{KEY};
#include "evo/Dialect/Evo/IR/EvidenceKeys.def"
#undef EVIDENCE_KEY

} // namespace evo::evidence

#endif
