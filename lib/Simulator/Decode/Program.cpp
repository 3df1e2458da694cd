// Decoding a module. Collects the module's globals with their initialisers,
// finds the kernels and runs the decoding steps on each.
#include "evo/Simulator/Program.h"
#include "Decoder.h"
#include "Simulator/Interp/Math.h"
#include "evo/DeviceOps/DeviceOps.h"
#include "evo/Target/AddressSpace.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Metadata.h"
#include <atomic>

using namespace llvm;

namespace evo::sim {

static bool isKernel(const Function &f) {
  if (f.isDeclaration())
    return false;
  if (f.getCallingConv() == CallingConv::PTX_Kernel ||
      f.hasFnAttribute(getName(device::LaunchAttribute::Kernel)))
    return true;
  const NamedMDNode *md = f.getParent()->getNamedMetadata("nvvm.annotations");
  if (!md)
    return false;
  for (const MDNode *n : md->operands()) {
    if (n->getNumOperands() < 3 ||
        mdconst::dyn_extract_or_null<Function>(n->getOperand(0)) != &f)
      continue;
    for (unsigned i = 1; i + 1 < n->getNumOperands(); i += 2)
      if (auto *s = dyn_cast<MDString>(n->getOperand(i)))
        if (s->getString() == "kernel")
          return true;
  }
  return false;
}

/// Writes an initialiser into bytes; addresses of other globals become fixups.
static bool flatten(const ModuleContext &ctx, const llvm::Constant *c,
                    GlobalVar &out, uint64_t offset) {
  Type *t = c->getType();
  if (isa<UndefValue>(c) || c->isNullValue())
    return true;
  auto put = [&](const APInt &v) {
    for (unsigned i = 0; i < (v.getBitWidth() + 7) / 8; ++i)
      out.init[offset + i] = static_cast<char>(v.extractBitsAsZExtValue(
          std::min(8u, v.getBitWidth() - i * 8), i * 8));
  };
  if (auto *i = dyn_cast<ConstantInt>(c); i && !t->isVectorTy())
    return put(i->getValue()), true;
  if (auto *f = dyn_cast<ConstantFP>(c); f && !t->isVectorTy())
    return put(f->getValueAPF().bitcastToAPInt()), true;
  if (t->isPointerTy()) {
    APInt disp(64, 0);
    const Value *base = c->stripPointerCasts();
    base = base->stripAndAccumulateConstantOffsets(ctx.layout, disp, true);
    base = base->stripPointerCasts();
    auto *g = dyn_cast<GlobalVariable>(base);
    auto it = g ? ctx.globals.find(g) : ctx.globals.end();
    if (it == ctx.globals.end())
      return true; // the address of something that no thread can reach
    out.fixups.push_back({offset, it->second, disp.getZExtValue()});
    return true;
  }
  if (auto *s = dyn_cast<StructType>(t)) {
    const StructLayout *l = ctx.layout.getStructLayout(s);
    for (unsigned i = 0; i < s->getNumElements(); ++i)
      if (!flatten(ctx, c->getAggregateElement(i), out,
                   offset + l->getElementOffset(i)))
        return false;
    return true;
  }
  uint64_t n = 0;
  Type *e = nullptr;
  if (auto *a = dyn_cast<ArrayType>(t)) {
    n = a->getNumElements();
    e = a->getElementType();
  } else if (auto *v = dyn_cast<FixedVectorType>(t)) {
    n = v->getNumElements();
    e = v->getElementType();
  } else {
    return false;
  }
  uint64_t size = ctx.layout.getTypeAllocSize(e);
  for (uint64_t i = 0; i < n; ++i)
    if (!flatten(ctx, c->getAggregateElement(i), out, offset + i * size))
      return false;
  return true;
}

Program::Program() : data(std::make_unique<ProgramImpl>()) {
  static std::atomic<uint64_t> next{1};
  data->serial = next++;
}
Program::~Program() = default;

Expected<std::unique_ptr<Program>> Program::decode(const Module &module) {
  std::unique_ptr<Program> program(new Program());
  ProgramImpl &p = *program->data;
  ModuleContext ctx{module, module.getDataLayout(), p,
                    DenseMap<const GlobalVariable *, unsigned>()};
  std::vector<const GlobalVariable *> order;
  for (const GlobalVariable &g : module.globals()) {
    if (g.getAddressSpace() == target::Shared ||
        g.getName().starts_with("llvm."))
      continue;
    ctx.globals[&g] = order.size();
    order.push_back(&g);
  }
  for (const GlobalVariable *g : order) {
    GlobalVar v;
    v.name = readableName(g->getName());
    v.constant = g->getAddressSpace() == target::Constant;
    v.readOnly = g->isConstant() || v.constant;
    // What the back end gives a variable that asks for nothing.
    v.align =
        ctx.layout.getValueOrABITypeAlignment(g->getAlign(), g->getValueType())
            .value();
    v.used = llvm::any_of(g->users(), [](const User *user) {
      return !isa<GlobalVariable>(user);
    });
    v.init.assign(ctx.layout.getTypeAllocSize(g->getValueType()), 0);
    if (g->hasInitializer() && !flatten(ctx, g->getInitializer(), v, 0))
      return createStringError("unsupported: initializer of global '" +
                               g->getName() + "'");
    p.globals.push_back(std::move(v));
  }
  for (const Function &f : module) {
    if (!isKernel(f))
      continue;
    KernelCode &k = p.kernels[f.getName().str()];
    k.name = f.getName().str();
    Decoder decoder(ctx, f, k);
    if (Error e = decoder.run())
      return std::move(e);
    removeUnused(k, decoder.slots);
    assignShadowValues(k, decoder.slots);
    allocateRegisters(k, decoder.slots);
  }
  return program;
}

static const KernelCode *lookup(const ProgramImpl &p, StringRef name) {
  auto it = p.kernels.find(name.str());
  return it == p.kernels.end() ? nullptr : &it->second;
}

std::vector<KernelParameter> Program::parameters(StringRef kernel) const {
  const KernelCode *k = lookup(*data, kernel);
  return k ? k->params : std::vector<KernelParameter>();
}

uint64_t Program::staticSharedBytes(StringRef kernel) const {
  const KernelCode *k = lookup(*data, kernel);
  uint64_t sum = 0;
  if (k)
    for (const Variable &v : k->shared)
      if (!v.reserved)
        sum = (sum + v.align - 1) / v.align * v.align + v.bytes;
  return sum;
}

bool Program::hasBarriers(StringRef kernel) const {
  const KernelCode *k = lookup(*data, kernel);
  return k && any_of(k->code, [](const Inst &i) { return i.op == Op::BAR; });
}

bool Program::exchangesLanes(StringRef kernel) const {
  const KernelCode *k = lookup(*data, kernel);
  return k && any_of(k->code, [](const Inst &i) {
           return has(i.op, fact::exchangesLanes);
         });
}

bool Program::multipliesMatrices() const {
  return any_of(data->kernels, [](const auto &kernel) {
    return any_of(kernel.second.code,
                  [](const Inst &i) { return i.op == Op::MMA; });
  });
}

static bool isApproximate(const Inst &inst, Op op, MathFn fn) {
  return inst.op == op && inst.sub == static_cast<uint8_t>(fn) &&
         inst.aux == static_cast<uint32_t>(Precision::Approximate);
}

/// Whether code makes zeros of subnormal reciprocals.
static bool flushesReciprocals(ArrayRef<Inst> code) {
  SmallDenseSet<int32_t> reciprocals;
  for (const Inst &inst : code) {
    if (isApproximate(inst, Op::MATH1_S, MathFn::Rcp))
      reciprocals.insert(inst.dst);
    else if (inst.op == Op::MATH1_S &&
             inst.sub == static_cast<uint8_t>(MathFn::FlushDenormal) &&
             reciprocals.contains(inst.a))
      return true;
  }
  return false;
}

bool Program::endsDivisionEarly() const {
  return any_of(data->kernels, [](const auto &kernel) {
    return flushesReciprocals(kernel.second.code) ||
           any_of(kernel.second.code, [](const Inst &inst) {
             return isApproximate(inst, Op::MATH2_S, MathFn::Fdivide);
           });
  });
}

const std::vector<std::string> &Program::notes() const { return data->notes; }

} // namespace evo::sim
