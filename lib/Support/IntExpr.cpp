// Parser, evaluator and printers of integer expressions. A hand-written
// recursive descent is used because errors must point at the character that is
// wrong, in whichever text the expression came from.
#include "evo/Support/IntExpr.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace evo {

char ExprError::ID = 0;

struct IntExpr::Node {
  using Kind = IntExpr::Kind;
  Kind kind;
  int64_t value = 0;
  std::string name;
  std::shared_ptr<const Node> lhs, rhs;
};

using Kind = IntExpr::Kind;
using Node = IntExpr::Node;
using NodeRef = std::shared_ptr<const Node>;

static Error error(const Twine &message, size_t offset) {
  return make_error<ExprError>(message.str(), offset);
}

class ExprParser {
public:
  explicit ExprParser(StringRef text) : text(text) {}

  Expected<IntExpr> parseWhole() {
    Expected<NodeRef> root = parseSum();
    if (!root)
      return root.takeError();
    skipSpace();
    if (pos != text.size())
      return error("unexpected '" + text.substr(pos, 1) + "' in expression",
                   pos);
    return IntExpr(*root);
  }

private:
  StringRef text;
  size_t pos = 0;
  unsigned depth = 0;
  unsigned terms = 0;
  // Bounds on nesting and length keep hostile input from exhausting the stack,
  // here and where a long sum, which is a deep tree, is walked.
  static constexpr unsigned maxDepth = 200;
  static constexpr unsigned maxTerms = 1000;

  void skipSpace() {
    while (pos < text.size() && isSpace(text[pos]))
      ++pos;
  }
  bool consume(char c) {
    skipSpace();
    if (pos >= text.size() || text[pos] != c)
      return false;
    ++pos;
    return true;
  }
  static NodeRef binary(Node::Kind kind, NodeRef lhs, NodeRef rhs) {
    return std::make_shared<Node>(
        Node{kind, 0, "", std::move(lhs), std::move(rhs)});
  }

  Expected<NodeRef> parseSum() {
    Expected<NodeRef> lhs = parseProduct();
    while (lhs) {
      Node::Kind kind;
      if (consume('+'))
        kind = Kind::Add;
      else if (consume('-'))
        kind = Kind::Sub;
      else
        return lhs;
      Expected<NodeRef> rhs = parseProduct();
      if (!rhs)
        return rhs;
      lhs = binary(kind, *lhs, *rhs);
    }
    return lhs;
  }

  Expected<NodeRef> parseProduct() {
    Expected<NodeRef> lhs = parsePrimary();
    while (lhs) {
      Node::Kind kind;
      if (consume('*'))
        kind = Kind::Mul;
      else if (consume('/'))
        kind = Kind::Div;
      else if (consume('%'))
        kind = Kind::Mod;
      else
        return lhs;
      Expected<NodeRef> rhs = parsePrimary();
      if (!rhs)
        return rhs;
      lhs = binary(kind, *lhs, *rhs);
    }
    return lhs;
  }

  Expected<NodeRef> parsePrimary() {
    if (++depth > maxDepth)
      return error("expression is nested too deeply", pos);
    if (++terms > maxTerms)
      return error("expression is too long", pos);
    Expected<NodeRef> result = parsePrimaryInner();
    --depth;
    return result;
  }

  Expected<NodeRef> parsePrimaryInner() {
    skipSpace();
    if (pos >= text.size())
      return error("expected a name, a number or '(' at the end of expression",
                   pos);
    size_t start = pos;
    if (consume('(')) {
      Expected<NodeRef> inner = parseSum();
      if (inner && !consume(')'))
        return error("expected ')'", pos);
      return inner;
    }
    if (consume('-')) {
      Expected<NodeRef> operand = parsePrimary();
      if (!operand)
        return operand;
      auto zero = std::make_shared<Node>(Node{Kind::Constant, 0, "", {}, {}});
      return binary(Kind::Sub, zero, *operand);
    }
    if (isDigit(text[pos])) {
      StringRef digits = text.substr(pos).take_while(isAlnum);
      int64_t value;
      if (digits.getAsInteger(10, value))
        return error("'" + digits + "' is not a decimal 64-bit integer", start);
      pos += digits.size();
      return std::make_shared<Node>(Node{Kind::Constant, value, "", {}, {}});
    }
    StringRef name = text.substr(pos).take_while(
        [](char c) { return isAlnum(c) || c == '_'; });
    if (name.empty())
      return error("unexpected '" + text.substr(pos, 1) + "' in expression",
                   pos);
    pos += name.size();
    if (!consume('('))
      return std::make_shared<Node>(Node{Kind::Name, 0, name.str(), {}, {}});
    return parseCall(name, start);
  }

  /// Of a type of CUDA C++, as launches name it.
  Expected<NodeRef> parseSizeOf(size_t start) {
    StringRef type =
        text.substr(pos).take_until([](char c) { return c == ')'; });
    pos += type.size();
    if (!consume(')'))
      return error("expected ')' after a type", pos);
    type = type.trim();
    StringRef name = type;
    name.consume_front("__");
    const int64_t bytes =
        StringSwitch<int64_t>(name)
            .Cases({"char", "signed char", "unsigned char", "bool"}, 1)
            .Cases({"int8_t", "uint8_t"}, 1)
            .Cases({"short", "unsigned short", "int16_t", "uint16_t"}, 2)
            .Cases({"half", "nv_bfloat16"}, 2)
            .Cases({"int", "unsigned", "unsigned int", "float"}, 4)
            .Cases({"int32_t", "uint32_t", "half2", "nv_bfloat162"}, 4)
            .Cases({"long", "unsigned long", "long long", "unsigned long long"},
                   8)
            .Cases({"double", "size_t", "int64_t", "uint64_t"}, 8)
            .Cases({"float2", "int2", "uint2"}, 8)
            .Cases({"float4", "int4", "uint4", "double2"}, 16)
            .Default(0);
    if (!bytes)
      return error("sizeof is for arithmetic types, not '" + type + "'", start);
    return std::make_shared<Node>(Node{Kind::Constant, bytes, "", {}, {}});
  }

  Expected<NodeRef> parseCall(StringRef name, size_t start) {
    if (name == "sizeof")
      return parseSizeOf(start);
    Node::Kind kind;
    if (name == "ceildiv")
      kind = Kind::CeilDiv;
    else if (name == "min")
      kind = Kind::Min;
    else if (name == "max")
      kind = Kind::Max;
    else
      return error("unknown function '" + name +
                       "', expected ceildiv, min, max or sizeof",
                   start);
    SmallVector<NodeRef> operands;
    do {
      Expected<NodeRef> operand = parseSum();
      if (!operand)
        return operand;
      operands.push_back(*operand);
    } while (consume(','));
    if (!consume(')'))
      return error("expected ')' or ',' in the call of '" + name + "'", pos);
    if (operands.size() < 2 || (kind == Kind::CeilDiv && operands.size() != 2))
      return error("'" + name + "' takes two operands, found " +
                       Twine(operands.size()),
                   start);
    NodeRef result = operands[0];
    for (const NodeRef &operand : ArrayRef(operands).drop_front())
      result = binary(kind, result, operand);
    return result;
  }
};

Expected<IntExpr> IntExpr::parse(StringRef text) {
  return ExprParser(text).parseWhole();
}

IntExpr IntExpr::constant(int64_t value) {
  return IntExpr(
      std::make_shared<Node>(Node{Kind::Constant, value, "", {}, {}}));
}

IntExpr IntExpr::name(StringRef name) {
  return IntExpr(
      std::make_shared<Node>(Node{Kind::Name, 0, name.str(), {}, {}}));
}

IntExpr IntExpr::binary(Kind kind, const IntExpr &lhs, const IntExpr &rhs) {
  return IntExpr(std::make_shared<Node>(Node{kind, 0, "", lhs.root, rhs.root}));
}

static int64_t floorDiv(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

static Expected<int64_t> evaluateNode(const Node &node,
                                      const Bindings &bindings) {
  if (node.kind == Kind::Constant)
    return node.value;
  if (node.kind == Kind::Name) {
    auto it = bindings.find(node.name);
    if (it == bindings.end())
      return error("'" + Twine(node.name) + "' has no value", 0);
    return it->second;
  }
  Expected<int64_t> lhs = evaluateNode(*node.lhs, bindings);
  if (!lhs)
    return lhs;
  Expected<int64_t> rhs = evaluateNode(*node.rhs, bindings);
  if (!rhs)
    return rhs;
  int64_t a = *lhs, b = *rhs, result = 0;
  bool overflow = false;
  bool divides = node.kind == Kind::Div || node.kind == Kind::Mod ||
                 node.kind == Kind::CeilDiv;
  if (divides && b == 0)
    return error("division by zero", 0);
  if (divides && a == INT64_MIN && b == -1)
    overflow = true;
  else
    switch (node.kind) {
    case Kind::Add:
      overflow = AddOverflow(a, b, result);
      break;
    case Kind::Sub:
      overflow = SubOverflow(a, b, result);
      break;
    case Kind::Mul:
      overflow = MulOverflow(a, b, result);
      break;
    case Kind::Div:
      result = floorDiv(a, b);
      break;
    case Kind::Mod:
      result = a - floorDiv(a, b) * b;
      break;
    case Kind::CeilDiv:
      result = floorDiv(a, b) + (a % b != 0);
      break;
    case Kind::Min:
      result = std::min(a, b);
      break;
    default:
      result = std::max(a, b);
      break;
    }
  if (overflow)
    return error("overflow of 64-bit arithmetic", 0);
  return result;
}

Expected<int64_t> IntExpr::evaluate(const Bindings &bindings) const {
  return evaluateNode(*root, bindings);
}

static unsigned precedence(Node::Kind kind) {
  switch (kind) {
  case Kind::Add:
  case Kind::Sub:
    return 1;
  case Kind::Mul:
  case Kind::Div:
  case Kind::Mod:
    return 2;
  default:
    return 3;
  }
}

/// Prints in the expression language, or as C++ where `asCxx`.
static void print(raw_ostream &os, const Node &node, unsigned context,
                  bool asCxx) {
  const char *function = nullptr, *infix = nullptr;
  switch (node.kind) {
  case Kind::Constant:
    if (node.value < 0)
      os << '(' << node.value << ')';
    else
      os << node.value;
    if (asCxx)
      os << "LL";
    return;
  case Kind::Name:
    os << node.name;
    return;
  case Kind::Add:
    infix = " + ";
    break;
  case Kind::Sub:
    infix = " - ";
    break;
  case Kind::Mul:
    infix = " * ";
    break;
  case Kind::Div:
    infix = " / ";
    function = asCxx ? "floordiv" : nullptr;
    break;
  case Kind::Mod:
    infix = " % ";
    function = asCxx ? "floormod" : nullptr;
    break;
  case Kind::CeilDiv:
    function = "ceildiv";
    break;
  case Kind::Min:
    function = asCxx ? "std::min<int64_t>" : "min";
    break;
  case Kind::Max:
    function = asCxx ? "std::max<int64_t>" : "max";
    break;
  }
  if (function) {
    os << function << '(';
    print(os, *node.lhs, 0, asCxx);
    os << ", ";
    print(os, *node.rhs, 0, asCxx);
    os << ')';
    return;
  }
  unsigned own = precedence(node.kind);
  if (own < context)
    os << '(';
  print(os, *node.lhs, own, asCxx);
  os << infix;
  print(os, *node.rhs, own + 1, asCxx);
  if (own < context)
    os << ')';
}

std::string IntExpr::str() const {
  std::string result;
  raw_string_ostream os(result);
  print(os, *root, 0, /*asCxx=*/false);
  return result;
}

std::string IntExpr::cxx() const {
  std::string result;
  raw_string_ostream os(result);
  print(os, *root, 0, /*asCxx=*/true);
  return result;
}

static void visitNames(const Node &node, function_ref<void(StringRef)> visit) {
  if (node.kind == Kind::Name)
    visit(node.name);
  if (node.lhs)
    visitNames(*node.lhs, visit);
  if (node.rhs)
    visitNames(*node.rhs, visit);
}

void IntExpr::forEachName(function_ref<void(StringRef)> callback) const {
  visitNames(*root, callback);
}

using Replacement = function_ref<std::optional<IntExpr>(StringRef)>;

NodeRef IntExpr::substituteNode(const NodeRef &node, Replacement replace) {
  if (node->kind == Kind::Name) {
    std::optional<IntExpr> value = replace(node->name);
    return value ? value->root : node;
  }
  if (!node->lhs)
    return node;
  Node copy = *node;
  copy.lhs = substituteNode(node->lhs, replace);
  copy.rhs = substituteNode(node->rhs, replace);
  return std::make_shared<Node>(std::move(copy));
}

IntExpr IntExpr::substitute(Replacement replace) const {
  return IntExpr(substituteNode(root, replace));
}

static bool isConstant(const NodeRef &node, int64_t value) {
  return node->kind == Kind::Constant && node->value == value;
}

/// e, where `node` is e + `value`, in the ways that is written.
static NodeRef withoutSummand(const NodeRef &node, int64_t value) {
  if (value < 0)
    return node->kind == Kind::Sub && isConstant(node->rhs, -value) ? node->lhs
                                                                    : nullptr;
  if (value == 0)
    return node;
  if (node->kind == Kind::Sub) // e + 256 - 1
    return isConstant(node->rhs, 1) ? withoutSummand(node->lhs, value + 1)
                                    : nullptr;
  if (node->kind != Kind::Add)
    return nullptr;
  auto isValue = [&](const NodeRef &other) {
    return isConstant(other, value) ||
           (other->kind == Kind::Sub && isConstant(other->lhs, value + 1) &&
            isConstant(other->rhs, 1));
  };
  return isValue(node->rhs)   ? node->lhs
         : isValue(node->lhs) ? node->rhs
                              : nullptr;
}

/// e, where `node` is e / `divisor`, rounded up.
static NodeRef getRoundedUp(const NodeRef &node, int64_t divisor) {
  bool hasDivisor = node->rhs && isConstant(node->rhs, divisor);
  if (node->kind == Kind::CeilDiv && hasDivisor)
    return node->lhs;
  if (node->kind == Kind::Div && hasDivisor)
    return withoutSummand(node->lhs, divisor - 1);
  NodeRef floor = node->kind == Kind::Add ? withoutSummand(node, 1) : nullptr;
  return floor && floor->kind == Kind::Div && isConstant(floor->rhs, divisor)
             ? withoutSummand(floor->lhs, -1)
             : nullptr;
}

NodeRef IntExpr::retileNode(const NodeRef &node, int64_t old, int64_t wanted) {
  if (!node->lhs)
    return node;
  if (NodeRef whole = getRoundedUp(node, old))
    return std::make_shared<Node>(Node{Kind::CeilDiv, 0, "",
                                       retileNode(whole, old, wanted),
                                       constant(wanted).root});
  Node copy = *node;
  copy.lhs = retileNode(node->lhs, old, wanted);
  copy.rhs = retileNode(node->rhs, old, wanted);
  return std::make_shared<Node>(std::move(copy));
}

IntExpr IntExpr::retile(int64_t old, int64_t wanted) const {
  return IntExpr(retileNode(root, old, wanted));
}

IntExpr::Kind IntExpr::getKind() const { return root->kind; }

IntExpr IntExpr::getLhs() const { return IntExpr(root->lhs); }

IntExpr IntExpr::getRhs() const { return IntExpr(root->rhs); }

StringRef IntExpr::getAsName() const {
  return root->kind == Kind::Name ? StringRef(root->name) : StringRef();
}

std::optional<int64_t> IntExpr::getAsConstant() const {
  return root->kind == Kind::Constant ? std::optional(root->value)
                                      : std::nullopt;
}

std::optional<std::pair<IntExpr, int64_t>> IntExpr::getAsRemainder() const {
  if (root->kind != Kind::Mod || root->rhs->kind != Kind::Constant)
    return std::nullopt;
  return std::pair(IntExpr(root->lhs), root->rhs->value);
}

using Comparison = Requirement::Comparison;

/// Those of two characters first, so that "<=" is not read as "<".
static constexpr std::pair<StringLiteral, Comparison> comparisons[] = {
    {"==", Comparison::EQ}, {"!=", Comparison::NE}, {"<=", Comparison::LE},
    {">=", Comparison::GE}, {"<", Comparison::LT},  {">", Comparison::GT}};

static StringRef spell(Comparison comparison) {
  return llvm::find_if(
             comparisons,
             [&](const auto &known) { return known.second == comparison; })
      ->first;
}

Expected<Requirement> Requirement::parse(StringRef text) {
  for (const auto &[op, comparison] : comparisons) {
    size_t at = text.find(op);
    if (at == StringRef::npos)
      continue;
    StringRef left = text.take_front(at),
              right = text.drop_front(at + op.size());
    if (left.trim() == "target") {
      bool isName = llvm::all_of(right.trim(),
                                 [](char c) { return isAlnum(c) || c == '_'; });
      if (comparison != Comparison::EQ || right.trim().empty() || !isName)
        return error("expected 'target == <architecture>'", at);
      Requirement result(IntExpr::constant(0), comparison,
                         IntExpr::constant(0));
      result.targetName = right.trim().str();
      return result;
    }
    Expected<IntExpr> lhs = IntExpr::parse(left);
    if (!lhs)
      return lhs.takeError();
    Expected<IntExpr> rhs = IntExpr::parse(right);
    if (!rhs)
      return handleErrors(
          rhs.takeError(), [&, width = op.size()](const ExprError &e) {
            return error(e.getMessage(), at + width + e.getOffset());
          });
    return Requirement(*lhs, comparison, *rhs);
  }
  return error("expected a comparison, such as 'N % 4 == 0'", 0);
}

Expected<bool> Requirement::holds(const Bindings &bindings,
                                  StringRef target) const {
  if (isOnTarget())
    return target == targetName;
  Expected<int64_t> a = lhs.evaluate(bindings);
  if (!a)
    return a.takeError();
  Expected<int64_t> b = rhs.evaluate(bindings);
  if (!b)
    return b.takeError();
  switch (comparison) {
  case Comparison::EQ:
    return *a == *b;
  case Comparison::NE:
    return *a != *b;
  case Comparison::LT:
    return *a < *b;
  case Comparison::LE:
    return *a <= *b;
  case Comparison::GT:
    return *a > *b;
  case Comparison::GE:
    return *a >= *b;
  }
  llvm_unreachable("a comparison");
}

std::string Requirement::str() const {
  if (isOnTarget())
    return "target == " + targetName;
  return (Twine(lhs.str()) + " " + spell(comparison) + " " + rhs.str()).str();
}

std::string Requirement::cxx() const {
  if (isOnTarget())
    return "true";
  return (Twine(lhs.cxx()) + " " + spell(comparison) + " " + rhs.cxx()).str();
}

Requirement Requirement::substitute(Replacement replace) const {
  Requirement result = *this;
  result.lhs = lhs.substitute(replace);
  result.rhs = rhs.substitute(replace);
  return result;
}

std::optional<std::pair<StringRef, int64_t>> Requirement::getFixedSize() const {
  std::optional<int64_t> size = rhs.getAsConstant();
  if (isOnTarget() || comparison != Comparison::EQ || !size ||
      lhs.getAsName().empty())
    return std::nullopt;
  return std::pair(lhs.getAsName(), *size);
}

std::optional<std::pair<std::string, int64_t>> Requirement::getDivisor() const {
  auto remainder = lhs.getAsRemainder();
  if (isOnTarget() || comparison != Comparison::EQ || !remainder ||
      rhs.getAsConstant() != 0)
    return std::nullopt;
  return std::pair(remainder->first.str(), remainder->second);
}

void Requirement::forEachName(function_ref<void(StringRef)> callback) const {
  if (isOnTarget())
    return;
  lhs.forEachName(callback);
  rhs.forEachName(callback);
}

} // namespace evo
