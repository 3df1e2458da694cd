// The row language: a kernel is a list of definitions over matrices of M rows
// and N columns, each definition element by element; max, min, sum and mean of
// something are one value per row.
//
//   kernel softmax(x[M, N]) -> y
//   e = exp(x - max(x))
//   y = e / sum(e)
//
// Arguments are matrices x[M, N], one value per row m[M], or one per column g[N].
#ifndef ROW_H
#define ROW_H

#include <memory>
#include <string>
#include <vector>

namespace row {

/// What an expression has a value for.
enum class Shape { Scalar, Row, Column, Matrix };

struct Expr {
  enum Kind { Number, Name, Unary, Binary, Reduce } kind;
  std::string text; // the number, the name, or the operator
  std::vector<std::unique_ptr<Expr>> operands;
};

struct Argument {
  std::string name;
  Shape shape;
};

struct Definition {
  std::string name;
  std::unique_ptr<Expr> value;
};

struct Kernel {
  std::string name, result;
  std::vector<Argument> arguments;
  std::vector<Definition> definitions;
};

/// Parses `text`; on an error `why` says where and what, and the answer is
/// false.
bool parse(const std::string &text, Kernel &kernel, std::string &why);

/// The kernel as linalg on tensors, with a contract in `// evo.` lines.
bool emit(const Kernel &kernel, std::string &mlir, std::string &why);

} // namespace row

#endif
