// Puts dialects, passes and backends into a registry: what evo-opt, the worker,
// the plugin and compilers that link libEvo (Compiler.h) have in common.
#ifndef EVO_DRIVER_REGISTRATION_H
#define EVO_DRIVER_REGISTRATION_H

#include "evo/Target/Arch.h"
#include "mlir/IR/DialectRegistry.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace evo {

struct RunRequest;
struct SearchSession;
namespace llm {
class Ledger;
struct DryRun;
} // namespace llm

/// Registers the evo dialect, upstream's dialects and the interfaces that the
/// stages need on them.
void registerDialects(mlir::DialectRegistry &registry);

/// Where parsed CUDA headers are kept: the folder that EVO_CACHE_DIR names,
/// else evo-opt in the user's cache directory (XDG_CACHE_HOME, or ~/.cache).
/// Empty, as EVO_CACHE_DIR may be: they are not kept.
std::string cacheDirectory();

/// Registers evo's passes and pipelines with MLIR's global pass registry.
void registerPasses();

/// How the backends of a context are set up. A worker gets the same by way of
/// its environment (see toEnvironment).
struct BackendOptions {
  std::string cudaPath; // empty: discover
  std::string cudaStandard = "c++17";
  std::string target = target::getDefaultArch();
  std::vector<std::string> includes, defines;
  std::string exchangeDirectory, recordDirectory, replayDirectory;
  bool replayByTask = false;
  /// Messages instead of chat completions.
  bool messagesForm = false;
  /// One model, or several with commas between.
  std::string model, baseURL;
  /// Environment variable of the model's key; empty: the usual ones.
  std::string keyVariable;
  /// File with the key; empty: none.
  std::string keyFile;
  /// Headers for the model's server: names, and variables with their values.
  std::vector<std::pair<std::string, std::string>> headers;
  /// Negative: the provider's default.
  double temperature = -1;
  /// Seconds to wait for one answer file; 0: a day.
  double exchangeTimeout = 0;
  /// Tokens that one answer may have; 0: the provider's default.
  unsigned answerTokens = 0;
  /// How often a request to a model is sent in all; 0: the usual number.
  unsigned attempts = 0;
  double answerSeconds = 0; ///< how long one answer may take; 0: the default
  /// Where requests to models are entered; null: nowhere.
  std::shared_ptr<llm::Ledger> ledger;
  /// If set, models are not asked, and the requests kept here.
  std::shared_ptr<llm::DryRun> dryRun;
  /// Seconds that one verification is given; 0: what the effort says.
  double verificationSeconds = 0;
  /// Evaluations at a time; 0: one per core.
  unsigned jobs = 0;
  /// GPUs that kernels are timed on.
  std::vector<int> devices = {0};
  /// Templates that replace built-in ones.
  std::string promptDirectory;
  /// Name or file of the strategy by which a model is asked.
  std::string strategy = "default";
  bool structured = false; ///< answers by the JSON schema
  /// File in which searches keep their steps; empty: none is kept.
  std::string journal;
  /// What its runs are kept as, which is read when a search begins; may be
  /// null.
  std::shared_ptr<const RunRequest> runRequest;
  /// Journal out of which kernels of other tasks are shown; empty: none.
  std::string archive;
  /// Called with the session of each search before it begins, by several
  /// threads where several kernels are searched; may be null. It may add who
  /// watches, and keep the session to read it afterwards.
  std::function<void(const std::shared_ptr<SearchSession> &)> onSession;
  /// Command of the worker; empty: this executable's own.
  std::vector<std::string> worker;
};

/// The command of the worker that a host other than evo-opt starts: evo-worker
/// beside libEvo, else in ../bin from there, whether there is one or not: what
/// cannot be started is then named by its path.
std::vector<std::string> findWorker();

/// Attaches the backends to the evo dialect of every context made from
/// `registry`. Directories and URLs are only looked at on use.
void attachBackends(mlir::DialectRegistry &registry,
                    const BackendOptions &options);

} // namespace evo

#endif
