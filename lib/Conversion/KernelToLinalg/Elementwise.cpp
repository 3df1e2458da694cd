// A walk over the structured form of a kernel, with each value in terms of the
// element at hand. Values that have no such terms (thread ids, what loops
// carry) are left out, and matter only where something that is stored needs
// them.
#include "evo/Conversion/KernelToLinalg/Elementwise.h"
#include "KernelArguments.h"
#include "evo/Conversion/KernelToLinalg/Guesses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace evo;

namespace {
class ElementwiseForm {
public:
  ElementwiseForm(KernelOp kernel, const StructuredLaunch &launch)
      : kernel(kernel), launch(launch), device(launch.device) {}

  /// Whether the kernel may have this form: finds where it stores, and what it
  /// loads.
  bool match();
  func::FuncOp create(OpBuilder b);

private:
  /// An input of the op: an argument, as its elements go with the outputs'.
  struct Input {
    unsigned argument;
    AffineMap map;
    bool operator==(const Input &other) const {
      return argument == other.argument && map == other.map;
    }
  };

  KernelOp kernel;
  StructuredLaunch launch;
  gpu::GPUFuncOp device;
  SmallVector<StringRef> dims;   // of every output
  SmallVector<Value> place;      // the indices of every store
  SmallVector<unsigned> outputs; // positions in the contract, in its order
  SmallVector<Input> inputs;

  // While the body is written:
  IRMapping values;
  SmallVector<Value> inputValues;
  SmallVector<Value> sizes; // of the outputs; the first is not needed
  DenseMap<unsigned, Value> outputValues; // as the kernel found them
  DenseMap<unsigned, Value> stored;
  bool writeBlock(OpBuilder &b, Block &block);
  bool writeBranch(OpBuilder &b, scf::IfOp branch);
  bool writeLoad(memref::LoadOp load);
  bool writePure(OpBuilder &b, Operation &op);
  void nameSizes(OpBuilder &b, func::FuncOp function);
  void namePlace(OpBuilder &b);
  bool writeBody(OpBuilder &b, Location loc, ValueRange args);

  /// Position in the contract of the buffer that `memref` is.
  std::optional<unsigned> argumentOf(Value memref);
  ArgumentAttr argument(unsigned position) {
    return cast<ArgumentAttr>(kernel.getArgsAttr()[position]);
  }
  std::optional<AffineMap> mapOf(memref::LoadOp load, ArgumentAttr argument);
  bool matchStores();
  bool matchLoads();
};
} // namespace

std::optional<unsigned> ElementwiseForm::argumentOf(Value memref) {
  StringRef name = launch.getBuffer(memref);
  for (unsigned i = 0; i < kernel.getArgsAttr().size(); ++i)
    if (argument(i).getName() == name)
      return i;
  return std::nullopt;
}

bool ElementwiseForm::matchStores() {
  llvm::SmallDenseSet<unsigned> written;
  WalkResult result = device.walk([&](memref::StoreOp store) {
    std::optional<unsigned> position = argumentOf(store.getMemRef());
    if (!position || !argument(*position).isWritten())
      return WalkResult::interrupt();
    SmallVector<StringRef> own = argument(*position).getDimStrings();
    SmallVector<Value> indices(store.getIndices());
    if (written.empty()) {
      dims = own;
      place = indices;
    }
    written.insert(*position);
    return own == dims && indices == place ? WalkResult::advance()
                                           : WalkResult::interrupt();
  });
  if (result.wasInterrupted() || written.empty() || dims.empty() ||
      (place.size() != dims.size() && place.size() != 1))
    return false;
  for (unsigned i = 0; i < kernel.getArgsAttr().size(); ++i)
    if (argument(i).isWritten())
      outputs.push_back(i);
  return outputs.size() == written.size();
}

std::optional<AffineMap> ElementwiseForm::mapOf(memref::LoadOp load,
                                                ArgumentAttr argument) {
  MLIRContext *context = kernel.getContext();
  SmallVector<StringRef> own = argument.getDimStrings();
  SmallVector<Value> indices(load.getIndices());
  if (own == dims)
    return indices == place ? std::optional(AffineMap::getMultiDimIdentityMap(
                                  dims.size(), context))
                            : std::nullopt;
  // Rows, columns and the like: told by the index, or, where the kernel counts
  // elements in one go, by the names of the dimensions.
  SmallVector<AffineExpr> results;
  bool isFlat = place.size() != dims.size();
  for (auto [i, dim] : llvm::enumerate(own)) {
    int64_t at;
    if (isFlat) {
      if (llvm::count(dims, dim) != 1)
        return std::nullopt;
      at = llvm::find(dims, dim) - dims.begin();
    } else {
      if (own.size() != indices.size() || llvm::count(place, indices[i]) != 1)
        return std::nullopt;
      at = llvm::find(place, indices[i]) - place.begin();
    }
    results.push_back(getAffineDimExpr(at, context));
  }
  return AffineMap::get(dims.size(), 0, results, context);
}

bool ElementwiseForm::matchLoads() {
  WalkResult result = device.walk([&](memref::LoadOp load) {
    std::optional<unsigned> position = argumentOf(load.getMemRef());
    if (!position)
      return WalkResult::interrupt();
    std::optional<AffineMap> map = mapOf(load, argument(*position));
    if (!map)
      return WalkResult::interrupt();
    if (llvm::is_contained(outputs, *position))
      return map->isIdentity() ? WalkResult::advance()
                               : WalkResult::interrupt();
    if (Input input{*position, *map}; !llvm::is_contained(inputs, input))
      inputs.push_back(input);
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

bool ElementwiseForm::match() { return matchStores() && matchLoads(); }

// The body.

/// The kernel's scalars: sizes of the contract, and what it hands on.
void ElementwiseForm::nameSizes(OpBuilder &b, func::FuncOp function) {
  for (auto [parameter, text] : llvm::zip(
           device.getArguments(), launch.op.getArgs().getAsRange<ExprAttr>())) {
    if (isa<MemRefType>(parameter.getType()))
      continue;
    for (unsigned i = 0; i < kernel.getArgsAttr().size(); ++i) {
      Value whole = function.getArgument(i);
      if (!argument(i).isBuffer()) {
        if (argument(i).getName() == text.getText() &&
            whole.getType() == parameter.getType())
          values.map(parameter, whole);
        continue;
      }
      SmallVector<StringRef> names = argument(i).getDimStrings();
      auto at = llvm::find(names, text.getText());
      if (at == names.end() || values.contains(parameter))
        continue;
      Value size =
          tensor::DimOp::create(b, device.getLoc(), whole, at - names.begin());
      if (isa<IntegerType>(parameter.getType()))
        size = arith::IndexCastOp::create(b, device.getLoc(),
                                          parameter.getType(), size);
      if (size.getType() == parameter.getType())
        values.map(parameter, size);
    }
  }
}

/// The indices that the kernel stores at, which it may compute with.
void ElementwiseForm::namePlace(OpBuilder &b) {
  Location loc = device.getLoc();
  auto index = [&](unsigned dim) -> Value {
    return linalg::IndexOp::create(b, loc, dim);
  };
  if (place.size() == dims.size()) {
    for (auto [dim, value] : llvm::enumerate(place))
      values.map(value, index(dim));
    return;
  }
  Value position = index(0);
  for (unsigned dim = 1; dim < dims.size(); ++dim) {
    position = arith::MulIOp::create(b, loc, position, sizes[dim]);
    position = arith::AddIOp::create(b, loc, position, index(dim));
  }
  values.map(place.front(), position);
}

bool ElementwiseForm::writeLoad(memref::LoadOp load) {
  unsigned position = *argumentOf(load.getMemRef());
  if (Value value = stored.lookup(position)) {
    values.map(load.getResult(), value);
  } else if (Value found = outputValues.lookup(position)) {
    values.map(load.getResult(), found);
  } else if (llvm::is_contained(outputs, position)) {
    return false; // read before it is written: nothing is there
  } else {
    Input input{position, *mapOf(load, argument(position))};
    values.map(load.getResult(),
               inputValues[llvm::find(inputs, input) - inputs.begin()]);
  }
  return true;
}

bool ElementwiseForm::writeBranch(OpBuilder &b, scf::IfOp branch) {
  DenseMap<unsigned, Value> before = stored;
  if (!writeBlock(b, *branch.thenBlock()))
    return false;
  DenseMap<unsigned, Value> taken = std::move(stored);
  stored = before;
  if (branch.elseBlock() && !writeBlock(b, *branch.elseBlock()))
    return false;
  Value condition = values.lookupOrNull(branch.getCondition());
  // What one side alone stores is taken for stored: the branch may be a guard.
  for (auto [position, value] : taken) {
    Value &other = stored[position];
    if (!other || other == value || other == before.lookup(position))
      other = value;
    else if (condition)
      other =
          arith::SelectOp::create(b, branch.getLoc(), condition, value, other);
    else
      return false;
  }
  if (branch.getNumResults() == 0 || !condition)
    return true;
  for (auto [result, yes, no] :
       llvm::zip(branch.getResults(), branch.thenYield().getOperands(),
                 branch.elseYield().getOperands())) {
    Value lhs = values.lookupOrNull(yes), rhs = values.lookupOrNull(no);
    if (lhs && rhs)
      values.map(result, arith::SelectOp::create(b, branch.getLoc(), condition,
                                                 lhs, rhs));
  }
  return true;
}

static bool storesInside(Operation &op) {
  return op.walk([](memref::StoreOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Whether an integer is computed as an index is: raising keeps both where one
/// addresses and the other is a number to the kernel.
static bool areTwins(Value number, Value index) {
  auto cast = number.getDefiningOp<arith::IndexCastOp>();
  if (cast && cast.getIn() == index)
    return true;
  if (auto back = index.getDefiningOp<arith::IndexCastOp>())
    return back.getIn() == number;
  Operation *lhs = number.getDefiningOp(), *rhs = index.getDefiningOp();
  if (!lhs || !rhs || lhs->getName() != rhs->getName() ||
      lhs->getNumOperands() != rhs->getNumOperands())
    return false;
  IntegerAttr own, other;
  if (matchPattern(number, m_Constant(&own)) &&
      matchPattern(index, m_Constant(&other)))
    return own.getInt() == other.getInt();
  return isa<arith::AddIOp, arith::MulIOp>(lhs) &&
         llvm::all_of(llvm::zip(lhs->getOperands(), rhs->getOperands()),
                      [](auto pair) {
                        return areTwins(std::get<0>(pair), std::get<1>(pair));
                      });
}

/// Ops without effects, where all operands have terms.
bool ElementwiseForm::writePure(OpBuilder &b, Operation &op) {
  if (!isMemoryEffectFree(&op))
    return false;
  if (op.getNumResults() == 1 && isa<IntegerType>(op.getResult(0).getType()))
    for (Value index : place)
      if (areTwins(op.getResult(0), index)) {
        values.map(op.getResult(0),
                   arith::IndexCastOp::create(b, op.getLoc(),
                                              op.getResult(0).getType(),
                                              values.lookup(index)));
        return true;
      }
  bool isKnown = llvm::all_of(
      op.getOperands(), [&](Value value) { return values.contains(value); });
  bool isNamed = llvm::any_of(
      op.getResults(), [&](Value value) { return values.contains(value); });
  if (isKnown && !isNamed && !isa<gpu::GPUDialect>(op.getDialect()))
    b.clone(op, values);
  return true;
}

bool ElementwiseForm::writeBlock(OpBuilder &b, Block &block) {
  for (Operation &op : block) {
    if (op.hasTrait<OpTrait::IsTerminator>())
      break;
    bool isWritten = true;
    if (auto store = dyn_cast<memref::StoreOp>(op)) {
      Value value = values.lookupOrNull(store.getValueToStore());
      isWritten = value != nullptr;
      stored[*argumentOf(store.getMemRef())] = value;
    } else if (auto load = dyn_cast<memref::LoadOp>(op)) {
      isWritten = writeLoad(load);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      isWritten = writeBranch(b, branch);
    } else if (auto loop = dyn_cast<scf::ForOp>(op);
               loop && loop.getNumResults() == 0) {
      isWritten = writeBlock(b, *loop.getBody());
    } else if (op.getNumRegions() > 0) {
      isWritten = !storesInside(op);
    } else {
      isWritten = writePure(b, op);
    }
    if (!isWritten)
      return false;
  }
  return true;
}

/// All ops of `block` are without effects.
static void eraseUnused(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (!op.hasTrait<OpTrait::IsTerminator>() && op.use_empty())
      op.erase();
}

bool ElementwiseForm::writeBody(OpBuilder &b, Location loc, ValueRange args) {
  ValueRange found = args.drop_front(inputs.size());
  inputValues = llvm::to_vector(args.take_front(inputs.size()));
  for (auto [position, value] : llvm::zip_equal(outputs, found))
    if (argument(position).isRead())
      outputValues[position] = value;
  bool isWritten = writeBlock(b, device.getBody().front());
  SmallVector<Value> results;
  for (unsigned position : outputs)
    if (Value value = stored.lookup(position))
      results.push_back(value);
  isWritten &= results.size() == outputs.size();
  if (!isWritten)
    results.assign(found.begin(), found.end());
  linalg::YieldOp::create(b, loc, results);
  // Guards and addresses have no use here.
  eraseUnused(*b.getInsertionBlock());
  return isWritten;
}

func::FuncOp ElementwiseForm::create(OpBuilder b) {
  func::FuncOp function = createTensorFunction(b, kernel);
  b.setInsertionPointToStart(&function.getBody().front());
  nameSizes(b, function);
  if (place.size() != dims.size())
    for (unsigned dim = 0; dim < dims.size(); ++dim)
      sizes.push_back(tensor::DimOp::create(
          b, kernel.getLoc(), function.getArgument(outputs.front()), dim));
  SmallVector<Value> ins, outs;
  SmallVector<AffineMap> maps;
  for (const Input &input : inputs) {
    ins.push_back(function.getArgument(input.argument));
    maps.push_back(input.map);
  }
  for (unsigned position : outputs) {
    outs.push_back(function.getArgument(position));
    maps.push_back(b.getMultiDimIdentityMap(dims.size()));
  }
  SmallVector<utils::IteratorType> iterators(dims.size(),
                                             utils::IteratorType::parallel);
  bool isWritten = false;
  auto op = linalg::GenericOp::create(
      b, kernel.getLoc(), ValueRange(outs).getTypes(), ins, outs, maps,
      iterators, [&](OpBuilder &inner, Location loc, ValueRange args) {
        namePlace(inner);
        isWritten = writeBody(inner, loc, args);
      });
  func::ReturnOp::create(b, kernel.getLoc(), op.getResults());
  eraseUnused(function.getBody().front());
  if (isWritten)
    return function;
  function.erase();
  return {};
}

func::FuncOp evo::createElementwise(OpBuilder builder, KernelOp kernel,
                                    VariantOp structured) {
  SmallVector<StructuredLaunch> launches = getLaunches(structured);
  if (launches.size() != 1)
    return {};
  ElementwiseForm form(kernel, launches.front());
  return form.match() ? form.create(builder) : func::FuncOp();
}
