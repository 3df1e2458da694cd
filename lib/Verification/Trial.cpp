// Drawing of inputs and running of one plan on them.
#include "Trial.h"
#include "evo/Simulator/Field.h"

using namespace mlir;
using namespace evo;

/// A buffer of the right extents, without contents.
static llvm::Expected<TrialInputs::Buffer>
makeBuffer(ArgumentAttr arg, const Bindings &sizes, uint64_t max,
           uint64_t &rowLength, Random &random) {
  TrialInputs::Buffer buffer;
  buffer.arg = arg;
  buffer.elements = rowLength = 1;
  for (const IntExpr &dim : arg.getExtents()) {
    llvm::Expected<int64_t> extent = dim.evaluate(sizes);
    if (!extent)
      return extent.takeError();
    if (*extent < 0 || *extent > (1 << 30))
      return llvm::createStringError("extent '" + dim.str() + "' of '" +
                                     arg.getName().str() + "' is " +
                                     llvm::Twine(*extent));
    buffer.elements *= *extent;
    rowLength = *extent;
  }
  if (buffer.elements > max)
    return llvm::createStringError("'" + arg.getName().str() +
                                   "' is too large to be sampled");
  buffer.alignmentOffset = arg.getAlign() * random.below(5);
  return buffer;
}

bool evo::anyIntegers(KernelOp kernel,
                      llvm::function_ref<bool(ArgumentAttr)> is) {
  return llvm::any_of(kernel.getArgsAttr().getAsRange<ArgumentAttr>(),
                      [&](ArgumentAttr arg) {
                        return arg.isBuffer() && is(arg) &&
                               isa<IntegerType>(arg.getElementType());
                      });
}

/// The max number of dimensions of an input of floats.
static size_t getMaxRank(KernelOp kernel) {
  size_t rank = 0;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (isReadBuffer(arg) && isa<FloatType>(arg.getElementType()))
      rank = std::max<size_t>(rank, arg.getExtents().size());
  return rank;
}

llvm::Expected<TrialInputs> evo::drawInputs(KernelOp kernel,
                                            const Bindings &sizes,
                                            Distribution distribution,
                                            ArrayRef<double> floatConstants,
                                            Random random, bool generic) {
  TrialInputs inputs;
  inputs.sizes = sizes;
  inputs.isIndependent = true;
  const size_t maxRank = getMaxRank(kernel);
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    Random own = random.split();
    // Only some trials give all buffers one distribution: weights are rarely
    // shaped as activations are.
    Distribution drawn = distribution;
    bool special = distribution == Distribution::Special;
    if (!generic &&
        ((special && !mayBeAny(arg)) || (!special && own.below(3) == 0)))
      drawn = static_cast<Distribution>(own.below(numDistributions - 1));
    if (!arg.isBuffer()) {
      if (isa<IntegerType>(arg.getElementType()))
        continue; // part of the sizes
      auto fixed = dyn_cast_or_null<FloatAttr>(arg.getDefaultValue());
      llvm::Expected<std::vector<char>> bytes =
          sampleValues(arg, 1, 1, sizes, drawn, own);
      if (!bytes)
        return bytes.takeError();
      inputs.floats[arg.getName().getValue()] =
          fixed && !generic && own.below(2)
              ? fixed.getValueAsDouble()
              : decodeFloat(arg.getElementType(), bytes->data());
      continue;
    }
    uint64_t rowLength;
    auto buffer = makeBuffer(arg, sizes, uint64_t(1) << 32, rowLength, own);
    if (!buffer)
      return buffer.takeError();
    if (arg.isRead()) {
      inputs.isIndependent &=
          drawn == Distribution::Normal || drawn == Distribution::Uniform;
      // One scale for each row: halves of the rows are to stay halves.
      if (drawn == Distribution::Halves && arg.getExtents().size() < maxRank)
        rowLength = 1;
      llvm::Expected<std::vector<char>> contents = sampleValues(
          arg, buffer->elements, rowLength, sizes, drawn, own, floatConstants);
      if (!contents)
        return contents.takeError();
      buffer->contents = std::move(*contents);
    }
    inputs.buffers.push_back(std::move(*buffer));
  }
  return inputs;
}

llvm::Expected<TrialInputs>
evo::makeBlankInputs(KernelOp kernel, const Bindings &sizes, Random random) {
  TrialInputs inputs;
  inputs.sizes = sizes;
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>()) {
    const bool isInteger = isa<IntegerType>(arg.getElementType());
    if (!arg.isBuffer()) {
      if (!isInteger) // the others are part of the sizes
        inputs.floats[arg.getName().getValue()] = 0;
      continue;
    }
    uint64_t rowLength;
    auto buffer = makeBuffer(arg, sizes, uint64_t(1) << 32, rowLength, random);
    if (!buffer)
      return buffer.takeError();
    if (arg.isRead() && isInteger) {
      llvm::Expected<std::vector<char>> contents =
          sampleValues(arg, buffer->elements, rowLength, sizes,
                       Distribution::Constant, random);
      if (!contents)
        return contents.takeError();
      buffer->contents = std::move(*contents);
    } else if (arg.isRead()) {
      buffer->contents.resize(buffer->elements *
                              getElementBytes(arg.getElementType()));
    }
    inputs.buffers.push_back(std::move(*buffer));
  }
  return inputs;
}

llvm::Expected<TrialInputs> evo::drawLiteralInputs(KernelOp kernel,
                                                   Bindings sizes,
                                                   LiteralSampler &sampler,
                                                   Random random) {
  TrialInputs inputs;
  auto arguments = kernel.getArgsAttr().getAsRange<ArgumentAttr>();
  for (ArgumentAttr arg : arguments)
    if (!arg.isBuffer() && isa<IntegerType>(arg.getElementType()))
      if (auto value = sampler.integer(arg, sizes, random))
        sizes[arg.getName().getValue()] = *value;
  inputs.sizes = sizes;
  unsigned ordinal = 0;
  for (ArgumentAttr arg : arguments) {
    Random own = random.split();
    if (!arg.isBuffer()) {
      if (isa<IntegerType>(arg.getElementType()))
        continue;
      llvm::Expected<std::vector<char>> bytes =
          sampleValues(arg, 1, 1, sizes, Distribution::Normal, own);
      if (!bytes)
        return bytes.takeError();
      inputs.floats[arg.getName().getValue()] =
          sampler.scalar(arg, own).value_or(
              decodeFloat(arg.getElementType(), bytes->data()));
      continue;
    }
    uint64_t rowLength;
    auto buffer = makeBuffer(arg, sizes, uint64_t(1) << 22, rowLength, own);
    if (!buffer)
      return buffer.takeError();
    if (arg.isRead()) {
      llvm::Expected<std::vector<char>> contents = sampler.sample(
          arg, buffer->elements, rowLength, sizes, ordinal++, own);
      if (!contents)
        return contents.takeError();
      buffer->contents = std::move(*contents);
    }
    inputs.buffers.push_back(std::move(*buffer));
  }
  return inputs;
}

/// Each element of a float input is a variable of its own.
static void drawFieldValues(const TrialInputs &inputs, TrialRun &run,
                            sim::Field &field) {
  for (auto [index, buffer] : llvm::enumerate(inputs.buffers)) {
    Type type = buffer.arg.getElementType();
    if (!buffer.arg.isRead() || !isa<FloatType>(type))
      continue;
    sim::BufferId id =
        run.values.buffers.lookup(buffer.arg.getName().getValue());
    for (uint64_t i = 0; i < buffer.elements; ++i) {
      sim::FieldValue value = field.input(index, i);
      value.type = getElementKind(type);
      run.memory->setFieldHandle(id, i * getElementBytes(type),
                                 field.store(value));
    }
  }
}

llvm::Expected<TrialRun> evo::setUpTrial(const TrialInputs &inputs,
                                         const sim::Options &options) {
  TrialRun run;
  run.memory = std::make_unique<sim::GlobalMemory>();
  run.values.sizes = inputs.sizes;
  run.values.floats = inputs.floats;
  for (const TrialInputs::Buffer &buffer : inputs.buffers) {
    sim::BufferSpec spec;
    spec.name = buffer.arg.getName().str();
    spec.bytes = buffer.elements * getElementBytes(buffer.arg.getElementType());
    spec.kind = getElementKind(buffer.arg.getElementType());
    spec.readOnly = !buffer.arg.isWritten();
    spec.alignmentOffset = buffer.alignmentOffset;
    sim::BufferId id = run.memory->addBuffer(spec);
    if (!run.memory->isMapped(id))
      return llvm::createStringError("out of memory for '" + spec.name + "'");
    run.values.buffers[spec.name] = id;
    if (buffer.arg.isRead())
      run.memory->write(id, 0, buffer.contents.data(), buffer.contents.size());
    else
      run.memory->poison(id, options.poison);
  }
  run.memory->enableShadow(options.shadow);
  if (options.field)
    drawFieldValues(inputs, run, *options.field);
  return run;
}

llvm::Expected<TrialRun> evo::runTrial(const ExecutablePlan &plan,
                                       const TrialInputs &inputs,
                                       const sim::Options &options,
                                       uint64_t orderSeed) {
  llvm::Expected<TrialRun> run = setUpTrial(inputs, options);
  if (!run)
    return run;
  llvm::Expected<sim::LaunchResult> result =
      plan.run(run->values, *run->memory, options, orderSeed);
  if (!result)
    return result.takeError();
  run->result = std::move(*result);
  return run;
}

llvm::Error evo::callAgain(const ExecutablePlan &plan,
                           const TrialInputs &inputs, TrialRun &run,
                           const sim::Options &options, uint64_t orderSeed) {
  run.values.floats = inputs.floats;
  for (const TrialInputs::Buffer &buffer : inputs.buffers) {
    sim::BufferId id =
        run.values.buffers.lookup(buffer.arg.getName().getValue());
    if (buffer.arg.isRead())
      run.memory->write(id, 0, buffer.contents.data(), buffer.contents.size());
    else
      run.memory->poison(id, options.poison);
  }
  plan.retireState(*run.memory);
  llvm::Expected<sim::LaunchResult> result =
      plan.run(run.values, *run.memory, options, orderSeed);
  if (!result)
    return result.takeError();
  run.result = std::move(*result);
  return llvm::Error::success();
}
