// Checks the device runtime on a machine with a GPU: the helper kernels do what
// they do on the host, bit for bit; two forms of saxpy, one
// and four elements per thread, are run from PTX held here, their outputs
// compared with the host's, then timed against each other at a small size
// (graphs) and a large one (events); last, a kernel that reads out of bounds
// has to come back as an error. Prints one JSON object. Exit status: 0 all is
// well, 1 something is wrong, 4 no device.
#include "evo/Runtime/CUDA/OutputCheck.h"
#include "evo/Runtime/CUDA/Session.h"
#include "evo/Target/Arch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <cstring>

using namespace evo::cuda;
using namespace llvm;

namespace {
// y[i] = a * x[i] + y[i] for i < n; saxpy4 takes four at a time, n % 4 == 0.
// `stray` writes far outside of y.
constexpr const char kernels[] = R"ptx(
.address_size 64

.visible .entry saxpy(.param .u64 y, .param .u64 x, .param .f32 a,
                      .param .u32 n) {
  .reg .pred %p; .reg .b32 %r<5>; .reg .b64 %d<6>; .reg .f32 %f<4>;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r1, %r1, %r2, %r3;
  ld.param.u32 %r4, [n];
  setp.ge.u32 %p, %r1, %r4;
  @%p ret;
  ld.param.u64 %d1, [y]; ld.param.u64 %d2, [x]; ld.param.f32 %f1, [a];
  mul.wide.u32 %d3, %r1, 4;
  add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3;
  ld.global.f32 %f2, [%d2]; ld.global.f32 %f3, [%d1];
  fma.rn.f32 %f3, %f1, %f2, %f3;
  st.global.f32 [%d1], %f3;
  ret;
}

.visible .entry saxpy4(.param .u64 y, .param .u64 x, .param .f32 a,
                       .param .u32 n) {
  .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %d<6>; .reg .f32 %f<10>;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r1, %r1, %r2, %r3;
  ld.param.u32 %r4, [n];
  shl.b32 %r5, %r1, 2;
  setp.ge.u32 %p, %r5, %r4;
  @%p ret;
  ld.param.u64 %d1, [y]; ld.param.u64 %d2, [x]; ld.param.f32 %f1, [a];
  mul.wide.u32 %d3, %r1, 16;
  add.u64 %d1, %d1, %d3; add.u64 %d2, %d2, %d3;
  ld.global.v4.f32 {%f2, %f3, %f4, %f5}, [%d2];
  ld.global.v4.f32 {%f6, %f7, %f8, %f9}, [%d1];
  fma.rn.f32 %f6, %f1, %f2, %f6; fma.rn.f32 %f7, %f1, %f3, %f7;
  fma.rn.f32 %f8, %f1, %f4, %f8; fma.rn.f32 %f9, %f1, %f5, %f9;
  st.global.v4.f32 [%d1], {%f6, %f7, %f8, %f9};
  ret;
}

.visible .entry stray(.param .u64 y, .param .u64 x, .param .f32 a,
                      .param .u32 n) {
  .reg .b64 %d<3>;
  ld.param.u64 %d1, [y];
  add.u64 %d2, %d1, 1099511627776;
  st.global.u64 [%d2], %d1;
  ret;
}
)ptx";

constexpr float factor = 2.5f;

DevicePlan makePlan(const char *kernel, unsigned n, unsigned perThread) {
  DevicePlan plan;
  plan.name = kernel;
  plan.image = ".version 7.0\n.target " + evo::target::Arch{70}.str() + kernels;
  plan.buffers = {{"x", 4ull * n, BufferRole::In, "f32"},
                  {"y", 4ull * n, BufferRole::InOut, "f32"}};
  plan.buffers[1].tolerance.relative = 1e-6;
  PlanLaunch launch;
  launch.kernel = kernel;
  launch.block = {256, 1, 1};
  launch.grid = {(n / perThread + 255) / 256, 1, 1};
  launch.arguments = {PlanArgument::ofBuffer(1), PlanArgument::ofBuffer(0),
                      PlanArgument::ofScalar(factor),
                      PlanArgument::ofScalar(n)};
  plan.launches = {launch};
  return plan;
}

// no diagnostics: what is run by hand, where there is a GPU
struct Check {
  json::Array problems;
  json::Object result;

  void problem(const Twine &text) { problems.push_back(text.str()); }
  void problem(StringRef what, Error error) {
    problem(what + ": " + toString(std::move(error)));
  }

  void compareHelpers(Session &session) {
    if (Error error = session.checkHelpers())
      problem("helpers", std::move(error));
  }

  void runOnce(Session &session) {
    DevicePlan plan = makePlan("saxpy", 1000, 1);
    std::vector<BufferData> inputs;
    for (unsigned index : {0u, 1u}) {
      std::string bytes(plan.buffers[index].bytes, '\0');
      generateValues(plan.buffers[index].values, index,
                     {bytes.data(), bytes.size()});
      inputs.push_back({index, bytes});
    }
    auto run = session.run(plan, inputs);
    if (!run)
      return problem("run", run.takeError());
    for (unsigned i = 0; i < 1000; ++i) {
      auto at = [i](const std::string &bytes) {
        float value;
        memcpy(&value, &bytes[4 * i], 4);
        return value;
      };
      if (at(run->outputs[0].bytes) !=
          std::fma(factor, at(inputs[0].bytes), at(inputs[1].bytes)))
        return problem("run: element " + Twine(i) + " is wrong");
    }
    if (!run->writtenInputs.empty() || run->wroteLate)
      problem("run: inputs written, or outputs written late");
    result["run"] =
        json::Object{{"load_micros", run->loadMicros},
                     {"first_launch_micros", run->firstLaunchMicros}};
  }

  void measure(Session &session, unsigned n, TimingMethod method) {
    std::string what = "measure " + std::to_string(n);
    DevicePlan wide = makePlan("saxpy4", n, 4), plain = makePlan("saxpy", n, 1);
    MeasurePolicy policy;
    policy.budgetSeconds = 5;
    policy.checkShare = 0.02;
    // Three accesses of four bytes per element at 10 TB/s: no GPU is faster.
    double floorMicros = 12.0 * n / 10e12 * 1e6;
    auto report = session.measure(
        {{&wide, floorMicros, 0}, {&plain, floorMicros, 0}}, policy);
    if (!report)
      return problem(what, report.takeError());
    for (const Measurement &plan : report->plans) {
      for (const Defect &defect : plan.defects)
        problem(what + ": " + getName(defect.kind) + ": " + defect.text);
      if (plan.cold.method != method)
        problem(what + ": not the expected timing method");
      if (plan.checkedCalls == 0)
        problem(what + ": no timed call was checked");
    }
    json::Value text = report->toJSON();
    (*text.getAsObject())["bytes_per_second_cold"] =
        12.0 * n / (report->plans[0].cold.micros.median * 1e-6);
    result[what] = std::move(text);
  }

  /// Last: the context is lost with it.
  void runStray(Session &session) {
    std::string bytes(4000, '\0');
    auto run =
        session.run(makePlan("stray", 1000, 1), {{0, bytes}, {1, bytes}});
    if (run)
      return problem("stray: a write out of bounds went unnoticed");
    bool fatal = false;
    std::string text;
    handleAllErrors(run.takeError(), [&](const ErrorInfoBase &info) {
      text = info.message();
      if (info.isA<DriverError>())
        fatal = static_cast<const DriverError &>(info).isFatal();
    });
    if (!fatal)
      problem("stray: not a fatal driver error: " + text);
    result["stray"] = text;
  }
};
} // namespace

int main() {
  Check check;
  auto session = Session::open();
  int status = 0;
  if (!session) {
    check.problem("open", session.takeError());
    status = 4;
  } else {
    const DeviceFacts &device = (*session)->getDevice();
    check.result["device"] =
        json::Object{{"name", device.name},
                     {"capability", device.capability},
                     {"sms", device.numSMs},
                     {"l2_bytes", static_cast<int64_t>(device.l2Bytes)},
                     {"memory_bytes", static_cast<int64_t>(device.memoryBytes)},
                     {"driver", device.driverVersion}};
    check.compareHelpers(**session);
    check.runOnce(**session);
    check.measure(**session, 1 << 14, TimingMethod::Graph);
    check.measure(**session, 1 << 26, TimingMethod::Events);
    check.runStray(**session);
    status = check.problems.empty() ? 0 : 1;
  }
  check.result["problems"] = std::move(check.problems);
  outs() << formatv("{0:2}", json::Value(std::move(check.result))) << "\n";
  return status;
}
