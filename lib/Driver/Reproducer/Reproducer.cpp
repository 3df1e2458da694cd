// Buffers in NumPy's format (NEP 1), and a CUDA program that loads them.
#include "Reproducer.h"
#include "Driver/Diagnostics.h"
#include "evo/Interfaces/AsJSON.h"
#include "evo/Simulator/Plan/ExecutablePlan.h"
#include "evo/Support/Files.h"
#include "evo/Verification/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace evo;

/// NumPy's name of an element type; of those that it lacks that of their bits.
static std::string getNumPyType(Type type) {
  const unsigned bytes = getElementBytes(type);
  char kind = 'u';
  if (type.isInteger(1))
    kind = 'b';
  else if (type.isF16() || type.isF32() || type.isF64())
    kind = 'f';
  else if (isa<IntegerType>(type) && !type.isUnsignedInteger())
    kind = 'i';
  return (bytes == 1 ? "|" : "<") + std::string(1, kind) +
         std::to_string(bytes);
}

static std::vector<int64_t> getShape(ArgumentAttr arg, const Bindings &sizes) {
  std::vector<int64_t> shape;
  for (const IntExpr &extent : arg.getExtents())
    if (auto value = extent.evaluate(sizes))
      shape.push_back(*value);
    else // unreachable: the verifier evaluated it
      llvm::consumeError(value.takeError());
  return shape;
}

static int64_t countElements(ArgumentAttr arg, const Bindings &sizes) {
  int64_t count = 1;
  for (int64_t extent : getShape(arg, sizes))
    count *= extent;
  return count;
}

static std::string toNumPy(ArgumentAttr arg, const Bindings &sizes,
                           DenseElementsAttr bytes) {
  std::string shape;
  for (int64_t extent : getShape(arg, sizes))
    shape += std::to_string(extent) + ", ";
  std::string header = llvm::formatv(
      "{{'descr': '{0}', 'fortran_order': False, 'shape': ({1}), }",
      getNumPyType(arg.getElementType()), shape);
  constexpr size_t preamble = 10, alignment = 64;
  header.append(alignment - 1 - (preamble + header.size()) % alignment, ' ');
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  if (bytes.isSplat())
    file.append(bytes.getNumElements(),
                static_cast<char>(bytes.getSplatValue<int8_t>()));
  else
    file.append(bytes.getRawData().data(), bytes.getRawData().size());
  return file;
}

static constexpr StringLiteral programHead = R"(#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

struct Buffer {
  char *at = nullptr;
  size_t bytes = 0;
  template <class T> operator T *() const { return (T *)at; }
};

static void check(cudaError_t status, const char *what) {
  if (status == cudaSuccess)
    return;
  std::printf("%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

static std::vector<char> load(const std::string &name, size_t bytes) {
  std::vector<char> result(bytes);
  FILE *file = std::fopen((name + ".npy").c_str(), "rb");
  unsigned char head[10];
  if (!file || std::fread(head, 1, 10, file) != 10 ||
      std::fseek(file, 10 + head[8] + 256 * head[9], SEEK_SET) ||
      std::fread(result.data(), 1, bytes, file) != bytes) {
    std::printf("cannot read %s.npy\n", name.c_str());
    std::exit(2);
  }
  std::fclose(file);
  return result;
}

static Buffer make(size_t bytes) {
  Buffer buffer;
  buffer.bytes = bytes;
  check(cudaMalloc(&buffer.at, bytes + 1), "cudaMalloc");
  check(cudaMemset(buffer.at, 0xcb, bytes), "cudaMemset");
  return buffer;
}

static Buffer makeFrom(const char *name, size_t bytes) {
  Buffer buffer = make(bytes);
  check(cudaMemcpy(buffer.at, load(name, bytes).data(), bytes,
                   cudaMemcpyHostToDevice),
        "cudaMemcpy");
  return buffer;
}

static void print(const char *bytes, size_t size, bool isFloat) {
  float narrow;
  double wide;
  if (isFloat && size == 4)
    std::printf(" %.9g", (std::memcpy(&narrow, bytes, 4), narrow));
  else if (isFloat && size == 8)
    std::printf(" %.17g", (std::memcpy(&wide, bytes, 8), wide));
  else
    for (size_t i = size; i-- > 0;)
      std::printf("%s%02x", i + 1 == size ? " 0x" : "",
                  (unsigned char)bytes[i]);
}

static bool differs(const char *name, const Buffer &buffer, size_t size,
                    bool isFloat) {
  std::vector<char> found(buffer.bytes),
      expected = load(std::string("expected_") + name, buffer.bytes);
  check(cudaMemcpy(found.data(), buffer.at, buffer.bytes,
                   cudaMemcpyDeviceToHost),
        "cudaMemcpy");
  size_t count = 0, first = 0;
  for (size_t i = buffer.bytes / size; i-- > 0;)
    if (std::memcmp(&found[i * size], &expected[i * size], size)) {
      ++count;
      first = i;
    }
  std::printf("%s: %zu of %zu elements have other bits", name, count,
              buffer.bytes / size);
  if (count) {
    std::printf("; the first is %zu: expected", first);
    print(&expected[first * size], size, isFloat);
    std::printf(", found");
    print(&found[first * size], size, isFloat);
  }
  std::printf("\n");
  return count != 0;
}
)";

static std::string join(ArrayAttr exprs) {
  return llvm::join(
      llvm::map_range(exprs.getAsRange<ExprAttr>(),
                      [](ExprAttr expr) { return expr.getText(); }),
      ", ");
}

/// The program; empty where the plan is not only launches of kernels that the
/// candidate's text names.
static std::string makeProgram(KernelOp kernel, VariantOp variant,
                               const Bindings &sizes, DictionaryAttr floats,
                               StringRef reason) {
  LaunchPlanOpInterface plan = variant;
  SmallVector<LaunchOp> launches(plan.getLaunches());
  ArrayAttr names = plan.getKernelSpellings();
  if (!names || names.size() != launches.size())
    return "";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "// The candidate on data that refute it (" << reason << "):\n"
     << "//   nvcc -std=c++17 -o reproduce reproduce.cu && ./reproduce\n"
     << "// Exit code 1: a result has other bits than the reference's, or the "
        "device fails.\n#include \"candidate.cu\"\n"
     << programHead << "\nint main() {\n";
  for (StringRef helper : {"min", "max"})
    os << "  [[maybe_unused]] auto " << helper
       << " = [](long long a, long long b) { return "
       << (helper == "min" ? "b < a" : "a < b") << " ? b : a; };\n";
  os << "  [[maybe_unused]] auto ceildiv = [](long long a, long long b) { "
        "return a / b + (a % b "
        "!= 0); };\n";
  for (const auto &size : sizes)
    os << "  const long long " << size.first() << " = " << size.second << ";\n";
  for (NamedAttribute scalar : floats) {
    ArgumentAttr arg = kernel.lookupArgument(scalar.getName());
    if (!arg || !(arg.getElementType().isF32() || arg.getElementType().isF64()))
      return "";
    const double value = cast<FloatAttr>(scalar.getValue()).getValueAsDouble();
    os << "  const " << (arg.getElementType().isF32() ? "float " : "double ")
       << scalar.getName().getValue() << " = " << llvm::format("%a", value)
       << ";\n";
  }
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (arg.isBuffer())
      os << "  Buffer " << arg.getName().getValue() << " = "
         << (arg.isRead()
                 ? "makeFrom(\"" + arg.getName().getValue().str() + "\", "
                 : "make(")
         << countElements(arg, sizes) * getElementBytes(arg.getElementType())
         << ");\n";
  for (ScratchOp scratch : plan.getScratches()) {
    os << "  Buffer " << scratch.getName() << " = make("
       << getElementBytes(scratch.getElementType());
    for (StringRef dim : scratch.getDimStrings())
      os << " * (" << dim << ')';
    os << ");\n";
  }
  for (auto [launch, name] : llvm::zip(launches, names)) {
    os << "  " << cast<StringAttr>(name).getValue() << "<<<dim3("
       << join(launch.getGrid()) << "), dim3(" << join(launch.getBlock())
       << "), " << (launch.getShared() ? launch.getShared()->getText() : "0")
       << ">>>(" << join(launch.getArgs()) << ");\n";
    os << "  check(cudaGetLastError(), \"launch\");\n";
  }
  os << "  check(cudaDeviceSynchronize(), \"run\");\n  bool isOther = false;\n";
  for (auto arg : kernel.getArgsAttr().getAsRange<ArgumentAttr>())
    if (arg.isWritten())
      os << "  isOther |= differs(\"" << arg.getName().getValue() << "\", "
         << arg.getName().getValue() << ", "
         << getElementBytes(arg.getElementType()) << ", "
         << (isa<FloatType>(arg.getElementType()) ? "true" : "false") << ");\n";
  os << "  return isOther;\n}\n";
  return text;
}

LogicalResult evo::writeReproducer(KernelOp kernel, VariantOp variant,
                                   const VerbOptions &options) {
  EvidenceAttr evidence = variant.getEvidenceAttr();
  if (evidence.getGrade() != Grade::Refuted)
    return success();
  std::vector<FileContents> files;
  llvm::json::Object summary{
      {"kernel", kernel.getSymName()},
      {"evidence", describeAttribute(evidence.getDetails())}};
  auto data = variant->getAttrOfType<DictionaryAttr>(counterexampleAttr);
  if (!data) {
    summary["data"] = "not kept: they are too many, or of a check that has "
                      "none; the evidence names the sizes";
  } else {
    Bindings sizes;
    auto part = [&](StringRef name) {
      return data.getAs<DictionaryAttr>(name);
    };
    for (NamedAttribute size : part("sizes"))
      sizes[size.getName()] = cast<IntegerAttr>(size.getValue()).getInt();
    for (StringRef name : {"sizes", "floats"})
      summary[name] = describeAttribute(part(name));
    for (StringRef name : {"inputs", "expected", "found"})
      for (NamedAttribute buffer : part(name))
        if (ArgumentAttr arg = kernel.lookupArgument(buffer.getName()))
          files.push_back(
              {(name == "inputs" ? "" : name.str() + "_") +
                   buffer.getName().str() + ".npy",
               toNumPy(arg, sizes,
                       cast<DenseElementsAttr>(buffer.getValue()))});
    if (auto source = variant.getSource()) {
      files.push_back({"candidate.cu", source->str()});
      std::string program = makeProgram(kernel, variant, sizes, part("floats"),
                                        evidence.getDetail(evidence::reason));
      if (!program.empty())
        files.push_back({"reproduce.cu", std::move(program)});
    }
  }
  files.push_back(
      {"counterexample.json",
       llvm::formatv("{0:2}\n", llvm::json::Value(std::move(summary))).str()});
  llvm::Error error = prepareFolder(options.reproducer);
  if (!error)
    error = writeFilesAtomically(options.reproducer, files);
  if (!error)
    return success();
  reportError(options, llvm::toString(std::move(error)));
  return failure();
}
