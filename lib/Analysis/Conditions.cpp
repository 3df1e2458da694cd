// From LLVM IR to graphs of conditions.
#include "evo/Analysis/Conditions.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/DeviceOps/Intrinsics.h"
#include "evo/DeviceOps/Statements.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include <map>

using namespace llvm;
using namespace evo;

using Op = KernelConditions::Op;

namespace {
class Collector {
public:
  Collector(const Function &function, unsigned max)
      : function(function), max(max), ways(const_cast<Function &>(function)) {}
  KernelConditions run();

private:
  const Function &function;
  unsigned max;
  DominatorTree ways;
  KernelConditions result;
  DenseMap<const Value *, unsigned> known;
  std::map<std::tuple<Op, unsigned, uint64_t, SmallVector<unsigned, 3>>,
           unsigned>
      unique;

  unsigned add(Op op, unsigned width, uint64_t value,
               SmallVector<unsigned, 3> operands = {}, bool isFloat = false);
  unsigned constant(unsigned width, uint64_t value) {
    return add(Op::Constant, width, value);
  }
  unsigned unknown(unsigned width) {
    // Each is its own.
    return add(Op::Unknown, width, result.nodes.size());
  }
  unsigned translate(const Value *value, unsigned depth = 0);
  unsigned translateNew(const Value *value, unsigned depth);
  unsigned translateCall(const CallBase &call, unsigned depth);
  unsigned translateCompare(const ICmpInst &compare, unsigned depth);
  bool isOfLaunchOrData(unsigned node);
  SmallVector<KernelConditions::Fact, 4> getPath(const Instruction &at);
  void ask(unsigned node, const Instruction &at, bool onlyTrue = false);
  void visit(const Instruction &inst);
  void visitAssembly(const CallBase &call);
  void visitTable(const LoadInst &load);
  /// Constants that what lies in an object is compared with.
  DenseMap<const Value *, SmallSetVector<uint64_t, 2>> marks;
  void noteMark(const ICmpInst &compare);
  void askForMarks(const Value *value, const Value *pointer,
                   const Instruction &at);
};
} // namespace

/// Deeper ones are taken for unknown.
static constexpr unsigned maxDepth = 24;

unsigned Collector::add(Op op, unsigned width, uint64_t value,
                        SmallVector<unsigned, 3> operands, bool isFloat) {
  if (width < 64)
    value &= (1ull << width) - 1;
  auto [place, isNew] = unique.try_emplace(
      {op, width, value, operands}, static_cast<unsigned>(result.nodes.size()));
  if (isNew)
    result.nodes.push_back({op, width, value, std::move(operands), isFloat});
  return place->second;
}

static unsigned widthOf(const Value *value) {
  return value->getType()->getIntegerBitWidth();
}

static std::optional<Op> getBinary(unsigned opcode) {
  switch (opcode) {
  case Instruction::Add:
    return Op::Add;
  case Instruction::Sub:
    return Op::Sub;
  case Instruction::Mul:
    return Op::Mul;
  case Instruction::UDiv:
    return Op::UDiv;
  case Instruction::SDiv:
    return Op::SDiv;
  case Instruction::URem:
    return Op::URem;
  case Instruction::SRem:
    return Op::SRem;
  case Instruction::Shl:
    return Op::Shl;
  case Instruction::LShr:
    return Op::LShr;
  case Instruction::AShr:
    return Op::AShr;
  case Instruction::And:
    return Op::And;
  case Instruction::Or:
    return Op::Or;
  case Instruction::Xor:
    return Op::Xor;
  default:
    return std::nullopt;
  }
}

unsigned Collector::translateCompare(const ICmpInst &compare, unsigned depth) {
  unsigned a = translate(compare.getOperand(0), depth),
           b = translate(compare.getOperand(1), depth);
  auto made = [&](Op op, unsigned x, unsigned y, bool negated) {
    unsigned node = add(op, 1, 0, {x, y});
    return negated ? add(Op::Not, 1, 0, {node}) : node;
  };
  switch (compare.getPredicate()) {
  case ICmpInst::ICMP_EQ:
    return made(Op::Eq, a, b, false);
  case ICmpInst::ICMP_NE:
    return made(Op::Eq, a, b, true);
  case ICmpInst::ICMP_ULT:
    return made(Op::ULt, a, b, false);
  case ICmpInst::ICMP_UGT:
    return made(Op::ULt, b, a, false);
  case ICmpInst::ICMP_ULE:
    return made(Op::ULt, b, a, true);
  case ICmpInst::ICMP_UGE:
    return made(Op::ULt, a, b, true);
  case ICmpInst::ICMP_SLT:
    return made(Op::SLt, a, b, false);
  case ICmpInst::ICMP_SGT:
    return made(Op::SLt, b, a, false);
  case ICmpInst::ICMP_SLE:
    return made(Op::SLt, b, a, true);
  default:
    return made(Op::SLt, a, b, true);
  }
}

unsigned Collector::translateCall(const CallBase &call, unsigned depth) {
  const unsigned width = widthOf(&call);
  enum class Takes { Less, Greater };
  auto minOrMax = [&](Op comparison, Takes takes) {
    unsigned a = translate(call.getArgOperand(0), depth),
             b = translate(call.getArgOperand(1), depth);
    unsigned isLess = add(comparison, 1, 0, {a, b});
    return add(Op::Select, width, 0,
               takes == Takes::Less ? SmallVector<unsigned, 3>{isLess, a, b}
                                    : SmallVector<unsigned, 3>{isLess, b, a});
  };
  if (auto read = device::findRegister(call.getIntrinsicID()))
    return add(read->tells == device::Tells::ThreadId   ? Op::ThreadId
               : read->tells == device::Tells::BlockId  ? Op::BlockId
               : read->tells == device::Tells::BlockDim ? Op::BlockDim
                                                        : Op::GridDim,
               width, read->axis);
  // Functions of libdevice, too, which is not linked yet.
  const device::DeviceOp *op = device::lookup(call);
  using device::Algebra;
  switch (op ? op->algebra : Algebra::None) {
  case Algebra::SignedMin:
    return minOrMax(Op::SLt, Takes::Less);
  case Algebra::SignedMax:
    return minOrMax(Op::SLt, Takes::Greater);
  case Algebra::UnsignedMin:
    return minOrMax(Op::ULt, Takes::Less);
  case Algebra::UnsignedMax:
    return minOrMax(Op::ULt, Takes::Greater);
  case Algebra::CountOnes:
    if (widthOf(call.getArgOperand(0)) == width)
      return add(Op::Popcount, width, 0,
                 {translate(call.getArgOperand(0), depth)});
    break;
  case Algebra::SameBits:
    if (call.getType()->isIntegerTy())
      return translate(call.getArgOperand(0), depth);
    break;
  default:
    break;
  }
  return unknown(width);
}

/// The argument that a pointer is derived from; null for others.
static const Argument *getBuffer(const Value *pointer) {
  return dyn_cast<Argument>(getUnderlyingObject(pointer, 12));
}

unsigned Collector::translateNew(const Value *value, unsigned depth) {
  if (auto *load = dyn_cast<LoadInst>(value)) {
    const unsigned width =
        static_cast<unsigned>(load->getType()->getPrimitiveSizeInBits());
    const Argument *buffer = getBuffer(load->getPointerOperand());
    if (!buffer || buffer->hasByValAttr())
      return unknown(width);
    // Each load is its own, which the operand, a number, says.
    return add(Op::Loaded, width, buffer->getArgNo(),
               {constant(64, result.nodes.size())},
               load->getType()->isFloatingPointTy());
  }
  if (auto *cast = dyn_cast<BitCastInst>(value);
      cast && cast->getSrcTy()->isFloatingPointTy())
    return translate(cast->getOperand(0), depth);
  if (!value->getType()->isIntegerTy())
    return unknown(static_cast<unsigned>(
        value->getType()->getPrimitiveSizeInBits().getFixedValue()));
  const unsigned width = widthOf(value);
  if (auto *number = dyn_cast<ConstantInt>(value))
    return constant(width, number->getZExtValue());
  if (auto *argument = dyn_cast<Argument>(value))
    return add(Op::Argument, width, argument->getArgNo());
  auto *inst = dyn_cast<Instruction>(value);
  if (!inst || depth > maxDepth)
    return unknown(width);
  auto operand = [&](unsigned i) {
    return translate(inst->getOperand(i), depth + 1);
  };
  if (std::optional<Op> op = getBinary(inst->getOpcode()))
    return add(*op, width, 0, {operand(0), operand(1)});
  if (auto *compare = dyn_cast<ICmpInst>(inst))
    return compare->getOperand(0)->getType()->isIntegerTy()
               ? translateCompare(*compare, depth + 1)
               : unknown(1);
  if (isa<TruncInst>(inst))
    return add(Op::Trunc, width, 0, {operand(0)});
  if (isa<ZExtInst>(inst))
    return add(Op::ZExt, width, 0, {operand(0)});
  if (isa<SExtInst>(inst))
    return add(Op::SExt, width, 0, {operand(0)});
  if (isa<SelectInst>(inst))
    return add(Op::Select, width, 0, {operand(0), operand(1), operand(2)});
  if (isa<FreezeInst>(inst))
    return operand(0);
  if (auto *call = dyn_cast<CallBase>(inst))
    return translateCall(*call, depth + 1);
  return unknown(width);
}

unsigned Collector::translate(const Value *value, unsigned depth) {
  auto place = known.find(value);
  if (place != known.end())
    return place->second;
  const TypeSize bits = value->getType()->getPrimitiveSizeInBits();
  unsigned node = bits.isScalable() || bits.getFixedValue() > 64 ||
                          bits.getFixedValue() == 0 ||
                          value->getType()->isVectorTy()
                      ? unknown(64)
                      : translateNew(value, depth);
  known[value] = node;
  return node;
}

/// Whether it hangs on something that a model can choose.
bool Collector::isOfLaunchOrData(unsigned node) {
  const KernelConditions::Node &n = result.nodes[node];
  switch (n.op) {
  case Op::Argument:
  case Op::Loaded:
  case Op::BlockId:
  case Op::GridDim:
    return true;
  default:
    return any_of(n.operands, [&](unsigned o) { return isOfLaunchOrData(o); });
  }
}

SmallVector<KernelConditions::Fact, 4>
Collector::getPath(const Instruction &at) {
  constexpr size_t longest = 6;
  SmallVector<KernelConditions::Fact, 4> path;
  const BasicBlock *block = at.getParent();
  for (auto *node = ways.getNode(block); node && path.size() < longest;
       node = node->getIDom()) {
    const BasicBlock *above = node->getBlock();
    auto *branch = dyn_cast<BranchInst>(above->getTerminator());
    if (above == block || !branch || !branch->isConditional())
      continue;
    for (unsigned way : {0u, 1u})
      if (branch->getSuccessor(0) != branch->getSuccessor(1) &&
          ways.dominates(BasicBlockEdge(above, branch->getSuccessor(way)),
                         block))
        path.push_back({translate(branch->getCondition()), way == 0});
  }
  return path;
}

void Collector::ask(unsigned node, const Instruction &at, bool onlyTrue) {
  if (result.conditions.size() < max && isOfLaunchOrData(node) &&
      ways.isReachableFromEntry(at.getParent()))
    result.conditions.push_back({node, onlyTrue, getPath(at)});
}

/// The numbers above one among the operands of inline PTX.
static void collectNumbers(StringRef operands,
                           SmallVectorImpl<uint64_t> &numbers) {
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!isDigit(operands[i]))
      continue;
    StringRef word =
        operands.drop_front(i).take_while([](char c) { return isAlnum(c); });
    uint64_t number;
    const char before = i ? operands[i - 1] : ' ';
    if (!isAlnum(before) && !StringRef("$_.%").contains(before) &&
        !word.getAsInteger(0, number) && number > 1)
      numbers.push_back(number);
    i += word.size();
  }
}

/// What a text compares with is not known: each operand is held against each
/// number in it.
void Collector::visitAssembly(const CallBase &call) {
  SmallVector<uint64_t> numbers;
  device::forEachOperation(call, [&](const device::Operation &operation) {
    collectNumbers(operation.operands, numbers);
  });
  for (const Use &use : call.args())
    if (use->getType()->isIntegerTy())
      for (uint64_t number : numbers)
        ask(add(Op::Eq, 1, 0, {translate(use), constant(widthOf(use), number)}),
            call, /*onlyTrue=*/true);
}

/// An entry of a constant table that is unlike most others.
void Collector::visitTable(const LoadInst &load) {
  auto *table =
      dyn_cast<GlobalVariable>(getUnderlyingObject(load.getPointerOperand()));
  if (!table || !table->hasInitializer())
    return;
  auto *data = dyn_cast<ConstantDataSequential>(table->getInitializer());
  const Value *pointer = load.getPointerOperand()->stripPointerCasts();
  auto *place = dyn_cast<GEPOperator>(pointer);
  constexpr unsigned maxElements = 64, maxRare = 8;
  if (!data || !place || place->getNumIndices() == 0 ||
      data->getNumElements() > maxElements)
    return;
  const Value *index = *std::prev(place->idx_end());
  DenseMap<Constant *, unsigned> count;
  for (unsigned i = 0; i < data->getNumElements(); ++i)
    ++count[data->getElementAsConstant(i)];
  unsigned max = 0;
  for (auto &[element, times] : count)
    max = std::max(max, times);
  unsigned rare = 0;
  for (unsigned i = 0; i < data->getNumElements() && rare < maxRare; ++i) {
    if (count[data->getElementAsConstant(i)] == max)
      continue;
    ++rare;
    ask(add(Op::Eq, 1, 0, {translate(index), constant(widthOf(index), i)}),
        load, /*onlyTrue=*/true);
  }
}

static const Value *getObject(const Value *pointer) {
  return getUnderlyingObject(pointer, 12);
}

/// A load, or what an atomic operation found.
static const Value *getPointerOfLoad(const Value *value) {
  if (auto *part = dyn_cast<ExtractValueInst>(value))
    value = part->getAggregateOperand();
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(value))
    return exchange->getPointerOperand();
  if (auto *atomic = dyn_cast<AtomicRMWInst>(value))
    return atomic->getPointerOperand();
  return getLoadStorePointerOperand(value);
}

void Collector::noteMark(const ICmpInst &compare) {
  auto *number = dyn_cast<ConstantInt>(compare.getOperand(1));
  const Value *pointer = getPointerOfLoad(compare.getOperand(0));
  if (number && pointer && compare.isEquality() && widthOf(number) <= 64)
    marks[getObject(pointer)].insert(number->getZExtValue());
}

/// What is stored where a number stands for "nothing is here" must not be that
/// number.
void Collector::askForMarks(const Value *value, const Value *pointer,
                            const Instruction &at) {
  auto place = marks.find(getObject(pointer));
  if (place == marks.end() || !value->getType()->isIntegerTy() ||
      widthOf(value) > 64 || isa<ConstantInt>(value))
    return;
  for (uint64_t mark : place->second)
    ask(add(Op::Eq, 1, 0, {translate(value), constant(widthOf(value), mark)}),
        at, /*onlyTrue=*/true);
}

void Collector::visit(const Instruction &inst) {
  if (auto *store = dyn_cast<StoreInst>(&inst))
    return askForMarks(store->getValueOperand(), store->getPointerOperand(),
                       inst);
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&inst))
    return askForMarks(exchange->getNewValOperand(),
                       exchange->getPointerOperand(), inst);
  if (auto *compare = dyn_cast<ICmpInst>(&inst)) {
    if (!compare->getOperand(0)->getType()->isIntegerTy() ||
        widthOf(compare->getOperand(0)) > 64)
      return;
    const unsigned node = translate(compare);
    ask(node, inst);
    // The boundary itself.
    const KernelConditions::Node &made = result.nodes[node];
    const unsigned inner = made.op == Op::Not ? made.operands[0] : node;
    const KernelConditions::Node order = result.nodes[inner];
    if (order.op == Op::ULt || order.op == Op::SLt)
      ask(add(Op::Eq, 1, 0, order.operands), inst, /*onlyTrue=*/true);
  } else if (auto *choice = dyn_cast<SwitchInst>(&inst)) {
    const unsigned on = translate(choice->getCondition());
    for (auto &one : choice->cases())
      ask(add(Op::Eq, 1, 0,
              {on, constant(widthOf(choice->getCondition()),
                            one.getCaseValue()->getZExtValue())}),
          inst, /*onlyTrue=*/true);
  } else if (auto *narrow = dyn_cast<TruncInst>(&inst)) {
    constexpr unsigned narrowest = 8, widest = 16;
    const Value *wide = narrow->getOperand(0);
    if (!wide->getType()->isIntegerTy() || widthOf(narrow) < narrowest ||
        widthOf(narrow) > widest || widthOf(wide) > 64)
      return;
    const unsigned from = translate(wide), to = translate(narrow);
    auto differs = [&](Op extension) {
      unsigned back = add(extension, widthOf(wide), 0, {to});
      return add(Op::Not, 1, 0, {add(Op::Eq, 1, 0, {back, from})});
    };
    ask(add(Op::And, 1, 0, {differs(Op::ZExt), differs(Op::SExt)}), inst,
        /*onlyTrue=*/true);
    // What is left of it is nothing, as if there had been none.
    auto isZero = [&](unsigned node, unsigned width) {
      return add(Op::Eq, 1, 0, {node, constant(width, 0)});
    };
    ask(add(Op::And, 1, 0,
            {isZero(to, widthOf(narrow)),
             add(Op::Not, 1, 0, {isZero(from, widthOf(wide))})}),
        inst, /*onlyTrue=*/true);
  } else if (auto *call = dyn_cast<CallBase>(&inst)) {
    if (isa<InlineAsm>(call->getCalledOperand()))
      return visitAssembly(*call);
    if (!call->getType()->isIntegerTy() || widthOf(call) > 64)
      return;
    const unsigned node = translate(call);
    if (result.nodes[node].op == Op::Select)
      ask(result.nodes[node].operands[0], inst);
  } else if (auto *load = dyn_cast<LoadInst>(&inst)) {
    visitTable(*load);
  }
}

KernelConditions Collector::run() {
  result.kernel = function.getName().str();
  for (const Instruction &inst : instructions(function)) {
    if (auto *compare = dyn_cast<ICmpInst>(&inst))
      noteMark(*compare);
    else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&inst);
             exchange && isa<ConstantInt>(exchange->getCompareOperand()))
      marks[getObject(exchange->getPointerOperand())].insert(
          cast<ConstantInt>(exchange->getCompareOperand())->getZExtValue());
  }
  for (const Instruction &inst : instructions(function))
    visit(inst);
  return std::move(result);
}

KernelConditions evo::collectConditions(const Function &kernel, unsigned max) {
  return Collector(kernel, max).run();
}

static uint64_t mask(unsigned width) {
  return width >= 64 ? ~0ull : (1ull << width) - 1;
}

static int64_t extend(uint64_t value, unsigned width) {
  const unsigned shift = 64 - width;
  return static_cast<int64_t>(value << shift) >> shift;
}

/// Divisions by zero and shifts that are too far are zero.
static uint64_t compute(const KernelConditions &graph,
                        const KernelConditions::Node &node,
                        const std::vector<uint64_t> &values) {
  const unsigned first = node.operands[0];
  const unsigned from = graph.nodes[first].width;
  const uint64_t a = values[first];
  const uint64_t b = node.operands.size() > 1 ? values[node.operands[1]] : 0;
  const int64_t sa = extend(a, from), sb = extend(b, from);
  const bool divides = sb != 0 && !(sb == -1 && sa == INT64_MIN);
  switch (node.op) {
  case Op::Add:
    return a + b;
  case Op::Sub:
    return a - b;
  case Op::Mul:
    return a * b;
  case Op::UDiv:
    return b ? a / b : 0;
  case Op::URem:
    return b ? a % b : 0;
  case Op::SDiv:
    return divides ? static_cast<uint64_t>(sa / sb) : 0;
  case Op::SRem:
    return divides ? static_cast<uint64_t>(sa % sb) : 0;
  case Op::Shl:
    return b < from ? a << b : 0;
  case Op::LShr:
    return b < from ? a >> b : 0;
  case Op::AShr:
    return b < from ? static_cast<uint64_t>(sa >> b) : 0;
  case Op::And:
    return a & b;
  case Op::Or:
    return a | b;
  case Op::Xor:
    return a ^ b;
  case Op::Eq:
    return a == b;
  case Op::ULt:
    return a < b;
  case Op::SLt:
    return sa < sb;
  case Op::Not:
    return !a;
  case Op::SExt:
    return static_cast<uint64_t>(sa);
  case Op::Popcount:
    return static_cast<uint64_t>(popcount(a));
  case Op::Select:
    return a ? b : values[node.operands[2]];
  default:
    return a; // Trunc, ZExt
  }
}

std::vector<uint64_t> evo::evaluate(const KernelConditions &graph,
                                    const std::vector<uint64_t> &leaves) {
  std::vector<uint64_t> values(graph.nodes.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const KernelConditions::Node &node = graph.nodes[i];
    values[i] = node.op == Op::Constant  ? node.value
                : node.op <= Op::Unknown ? leaves[i]
                                         : compute(graph, node, values);
    values[i] &= mask(node.width);
  }
  return values;
}
