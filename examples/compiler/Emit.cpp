// From the row language to linalg on tensors: an operation a node, and no
// thought of speed. What to fuse and how to map it is the optimiser's business.
#include "Row.h"
#include <algorithm>
#include <map>

using namespace row;

namespace {
struct Value {
  std::string name; // %something
  Shape shape;
};

class Emitter {
public:
  Emitter(const Kernel &kernel, std::string &why) : kernel(kernel), why(why) {}
  bool run(std::string &mlir);

private:
  const Kernel &kernel;
  std::string &why;
  std::string body;
  std::map<std::string, Value> values;
  unsigned serial = 0;

  std::string fresh() { return "%v" + std::to_string(serial++); }
  bool emit(const Expr &expr, Value &result);
  bool reduce(const Expr &expr, const Value &operand, Value &result);
  /// An element-wise op whose region computes `%r` of %a (and %b).
  Value elementwise(const std::vector<Value> &operands,
                    const std::string &region);
};
} // namespace

static const char *typeOf(Shape shape) {
  switch (shape) {
  case Shape::Scalar:
    return "f32";
  case Shape::Matrix:
    return "tensor<?x?xf32>";
  default:
    return "tensor<?xf32>";
  }
}

static const char *mapOf(Shape shape) {
  switch (shape) {
  case Shape::Scalar:
    return "affine_map<(i, j) -> ()>";
  case Shape::Row:
    return "affine_map<(i, j) -> (i)>";
  case Shape::Column:
    return "affine_map<(i, j) -> (j)>";
  case Shape::Matrix:
    return "affine_map<(i, j) -> (i, j)>";
  }
  return "";
}

static const char *emptyOf(Shape shape) {
  return shape == Shape::Matrix ? "tensor.empty(%m, %n) : tensor<?x?xf32>"
         : shape == Shape::Row  ? "tensor.empty(%m) : tensor<?xf32>"
                                : "tensor.empty(%n) : tensor<?xf32>";
}

Value Emitter::elementwise(const std::vector<Value> &operands,
                           const std::string &region) {
  Shape shape = Shape::Scalar;
  for (const Value &operand : operands)
    shape = operand.shape == Shape::Scalar                     ? shape
            : shape == Shape::Scalar || shape == operand.shape ? operand.shape
                                                               : Shape::Matrix;
  // A vector's only dimension is its own.
  bool isMatrix = shape == Shape::Matrix;
  auto map = [&](Shape of) -> std::string {
    if (isMatrix)
      return mapOf(of);
    return of == Shape::Scalar ? "affine_map<(i) -> ()>"
                               : "affine_map<(i) -> (i)>";
  };
  std::string init = fresh(), result = fresh(), maps, names, types, args;
  for (size_t i = 0; i < operands.size(); ++i) {
    const char *comma = i ? ", " : "";
    maps += map(operands[i].shape) + ", ";
    names += comma + operands[i].name;
    types += std::string(comma) + typeOf(operands[i].shape);
    args += std::string(1, '%') + char('a' + i) + ": f32, ";
  }
  body += "  " + init + " = " + emptyOf(shape) + "\n  " + result +
          " = linalg.generic {indexing_maps = [" + maps + map(shape) +
          "], iterator_types = [" +
          (isMatrix ? "\"parallel\", \"parallel\"" : "\"parallel\"") +
          "]}\n      ins(" + names + " : " + types + ") outs(" + init + " : " +
          typeOf(shape) + ") {\n    ^bb0(" + args + "%o: f32):\n" + region +
          "      linalg.yield %r : f32\n  } -> " + typeOf(shape) + "\n";
  return {result, shape};
}

bool Emitter::reduce(const Expr &expr, const Value &operand, Value &result) {
  if (operand.shape != Shape::Matrix && operand.shape != Shape::Column) {
    why = "'" + expr.text + "' takes what has columns";
    return false;
  }
  Value matrix = operand;
  if (operand.shape == Shape::Column) {
    why = "'" + expr.text + "' of an argument without rows is not supported";
    return false;
  }
  bool adds = expr.text == "sum" || expr.text == "mean";
  std::string start = adds                 ? "0.0"
                      : expr.text == "max" ? "0xFF800000"
                                           : "0x7F800000";
  std::string combine = adds                 ? "addf"
                        : expr.text == "max" ? "maximumf"
                                             : "minimumf";
  std::string constant = fresh(), empty = fresh(), init = fresh();
  result = {fresh(), Shape::Row};
  body += "  " + constant + " = arith.constant " + start + " : f32\n  " +
          empty + " = " + emptyOf(Shape::Row) + "\n  " + init +
          " = linalg.fill ins(" + constant + " : f32) outs(" + empty +
          " : tensor<?xf32>) -> tensor<?xf32>\n  " + result.name +
          " = linalg.reduce {arith." + combine + "} ins(" + matrix.name +
          " : tensor<?x?xf32>) outs(" + init +
          " : tensor<?xf32>) dimensions = [1]\n";
  if (expr.text == "mean")
    result = elementwise({result},
                         "      %n64 = arith.index_cast %n : index to i64\n"
                         "      %count = arith.sitofp %n64 : i64 to f32\n"
                         "      %r = arith.divf %a, %count : f32\n");
  return true;
}

bool Emitter::emit(const Expr &expr, Value &result) {
  if (expr.kind == Expr::Number) {
    bool isFloat = expr.text.find_first_of(".e") != std::string::npos;
    std::string digits = expr.text;
    // MLIR wants a point before an exponent.
    if (size_t e = digits.find('e');
        e != std::string::npos && digits.find('.') == std::string::npos)
      digits.insert(e, ".0");
    result = {fresh(), Shape::Scalar};
    body += "  " + result.name + " = arith.constant " + digits +
            (isFloat ? "" : ".0") + " : f32\n";
    return true;
  }
  if (expr.kind == Expr::Name) {
    auto it = values.find(expr.text);
    if (it == values.end()) {
      why = "'" + expr.text + "' is not defined";
      return false;
    }
    result = it->second;
    return true;
  }
  std::vector<Value> operands(expr.operands.size());
  for (size_t i = 0; i < operands.size(); ++i)
    if (!emit(*expr.operands[i], operands[i]))
      return false;
  if (expr.kind == Expr::Reduce)
    return reduce(expr, operands[0], result);
  std::string region =
      expr.kind == Expr::Binary
          ? "      %r = arith." + expr.text + " %a, %b : f32\n"
      : expr.text == "neg"
          ? "      %r = arith.negf %a : f32\n"
          : "      %r = math." +
                (expr.text == "abs" ? std::string("absf") : expr.text) +
                " %a : f32\n";
  if (std::all_of(operands.begin(), operands.end(),
                  [](const Value &v) { return v.shape == Shape::Scalar; })) {
    why = "an expression of numbers alone is not supported";
    return false;
  }
  result = elementwise(operands, region);
  return true;
}

bool Emitter::run(std::string &mlir) {
  std::string contract, arguments, extent;
  for (const Argument &argument : kernel.arguments) {
    const char *dims = argument.shape == Shape::Matrix ? "[M, N]"
                       : argument.shape == Shape::Row  ? "[M]"
                                                       : "[N]";
    contract += argument.name + ": in f32" + dims + ", ";
    arguments += (arguments.empty() ? "%" : ", %") + argument.name + ": " +
                 typeOf(argument.shape);
    values[argument.name] = {"%" + argument.name, argument.shape};
    if (argument.shape == Shape::Matrix && extent.empty())
      extent = argument.name;
  }
  if (extent.empty()) {
    why = "a kernel takes at least one matrix";
    return false;
  }
  for (const Definition &definition : kernel.definitions) {
    Value value;
    if (!emit(*definition.value, value))
      return false;
    values[definition.name] = value;
  }
  auto result = values.find(kernel.result);
  if (result == values.end()) {
    why = "the result '" + kernel.result + "' is not defined";
    return false;
  }
  bool isMatrix = result->second.shape == Shape::Matrix;
  if (!isMatrix && result->second.shape != Shape::Row) {
    why = "the result '" + kernel.result + "' has no rows";
    return false;
  }
  std::string type = typeOf(result->second.shape);
  mlir = "// evo.kernel " + kernel.name + "(" + contract + kernel.result +
         ": out f32" + (isMatrix ? "[M, N]" : "[M]") +
         ")\n// evo.require M > 0, N > 0\n// evo.workload M = 4096, N = "
         "1024\nfunc.func @" +
         kernel.name + "(" + arguments + ") -> " + type +
         " {\n  %zero = arith.constant 0 : index\n  %one = arith.constant 1 : "
         "index\n" +
         "  %m = tensor.dim %" + extent +
         ", %zero : tensor<?x?xf32>\n  %n = tensor.dim %" + extent +
         ", %one : tensor<?x?xf32>\n" + body + "  return " +
         result->second.name + " : " + type + "\n}\n";
  return true;
}

bool row::emit(const Kernel &kernel, std::string &mlir, std::string &why) {
  return Emitter(kernel, why).run(mlir);
}
