// A recursive-descent parser of the row language.
#include "Row.h"
#include <cctype>
#include <set>

using namespace row;

namespace {
class Parser {
public:
  Parser(const std::string &text, std::string &why) : text(text), why(why) {}
  bool parse(Kernel &kernel);

private:
  const std::string &text;
  std::string &why;
  size_t at = 0;
  unsigned line = 1;

  void skip();
  bool eat(const std::string &token);
  bool expect(const std::string &token);
  bool name(std::string &result);
  bool fail(const std::string &message);
  bool argument(Kernel &kernel);
  std::unique_ptr<Expr> sum();
  std::unique_ptr<Expr> product();
  std::unique_ptr<Expr> atom();
  static std::unique_ptr<Expr> make(Expr::Kind kind, std::string text);
};
} // namespace

std::unique_ptr<Expr> Parser::make(Expr::Kind kind, std::string text) {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->text = std::move(text);
  return expr;
}

bool Parser::fail(const std::string &message) {
  if (why.empty())
    why = "line " + std::to_string(line) + ": " + message;
  return false;
}

void Parser::skip() {
  for (; at < text.size(); ++at) {
    if (text[at] == '#')
      while (at + 1 < text.size() && text[at + 1] != '\n')
        ++at;
    else if (text[at] == '\n')
      ++line;
    else if (!isspace(static_cast<unsigned char>(text[at])))
      return;
  }
}

bool Parser::eat(const std::string &token) {
  skip();
  if (text.compare(at, token.size(), token) != 0)
    return false;
  at += token.size();
  return true;
}

bool Parser::expect(const std::string &token) {
  return eat(token) || fail("expected '" + token + "'");
}

bool Parser::name(std::string &result) {
  skip();
  size_t end = at;
  while (end < text.size() &&
         (isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
    ++end;
  if (end == at || isdigit(static_cast<unsigned char>(text[at])))
    return fail("expected a name");
  result = text.substr(at, end - at);
  at = end;
  return true;
}

std::unique_ptr<Expr> Parser::atom() {
  skip();
  if (eat("(")) {
    auto inner = sum();
    return inner && expect(")") ? std::move(inner) : nullptr;
  }
  if (eat("-")) {
    auto expr = make(Expr::Unary, "neg");
    expr->operands.push_back(atom());
    return expr->operands[0] ? std::move(expr) : nullptr;
  }
  if (at < text.size() && isdigit(static_cast<unsigned char>(text[at]))) {
    size_t end = at;
    while (end < text.size() &&
           (isalnum(static_cast<unsigned char>(text[end])) ||
            text[end] == '.' || (text[end] == '-' && text[end - 1] == 'e')))
      ++end;
    auto expr = make(Expr::Number, text.substr(at, end - at));
    at = end;
    return expr;
  }
  std::string id;
  if (!name(id))
    return nullptr;
  if (!eat("("))
    return make(Expr::Name, id);
  static const std::set<std::string> reductions = {"max", "min", "sum", "mean"};
  static const std::set<std::string> functions = {"exp",  "log",   "tanh",
                                                  "sqrt", "rsqrt", "abs"};
  if (!reductions.count(id) && !functions.count(id))
    return fail("'" + id + "' is no function"), nullptr;
  auto expr = make(reductions.count(id) ? Expr::Reduce : Expr::Unary, id);
  expr->operands.push_back(sum());
  return expr->operands[0] && expect(")") ? std::move(expr) : nullptr;
}

std::unique_ptr<Expr> Parser::product() {
  auto left = atom();
  while (left) {
    std::string op = eat("*") ? "mulf" : eat("/") ? "divf" : "";
    if (op.empty())
      break;
    auto expr = make(Expr::Binary, op);
    expr->operands.push_back(std::move(left));
    expr->operands.push_back(atom());
    left = expr->operands[1] ? std::move(expr) : nullptr;
  }
  return left;
}

std::unique_ptr<Expr> Parser::sum() {
  auto left = product();
  while (left) {
    std::string op = eat("+") ? "addf" : eat("-") ? "subf" : "";
    if (op.empty())
      break;
    auto expr = make(Expr::Binary, op);
    expr->operands.push_back(std::move(left));
    expr->operands.push_back(product());
    left = expr->operands[1] ? std::move(expr) : nullptr;
  }
  return left;
}

bool Parser::argument(Kernel &kernel) {
  Argument argument;
  if (!name(argument.name) || !expect("["))
    return false;
  if (eat("N"))
    argument.shape = Shape::Column;
  else if (expect("M"))
    argument.shape = eat(",") ? Shape::Matrix : Shape::Row;
  else
    return false;
  if (argument.shape == Shape::Matrix && !expect("N"))
    return false;
  kernel.arguments.push_back(argument);
  return expect("]");
}

bool Parser::parse(Kernel &kernel) {
  if (!expect("kernel") || !name(kernel.name) || !expect("("))
    return false;
  do
    if (!argument(kernel))
      return false;
  while (eat(","));
  if (!expect(")") || !expect("->") || !name(kernel.result))
    return false;
  for (skip(); at < text.size(); skip()) {
    Definition definition;
    if (!name(definition.name) || !expect("="))
      return false;
    definition.value = sum();
    if (!definition.value)
      return false;
    kernel.definitions.push_back(std::move(definition));
  }
  return true;
}

bool row::parse(const std::string &text, Kernel &kernel, std::string &why) {
  return Parser(text, why).parse(kernel);
}
