// Record an exchange with a model, replay it. A run with a model can be
// repeated without it: each request's answer is kept in a file named by the
// hash of the request, and replay looks requests up by that hash alone. So a
// recording is a folder of independent files which can be merged, pruned and
// reviewed, and a changed prompt shows as a missing record and never as a wrong
// answer.
#ifndef EVO_LLM_RECORDING_H
#define EVO_LLM_RECORDING_H

#include "evo/LLM/ModelClient.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <mutex>

namespace evo::llm {

/// Passes requests on and writes `<folder>/<hash>-<n>.json` for each answer,
/// and for each failure that concerns the answer only (those are data of the
/// run). `n` counts equal requests; existing records are never overwritten.
/// All texts are redacted by the wrapped client. An answer whose record cannot
/// be written is an error: a run asked to record must not silently not.
class RecordingClient : public ModelClient {
public:
  RecordingClient(std::unique_ptr<ModelClient> inner, std::string folder);

  llvm::Expected<ModelAnswer> complete(const ModelRequest &request) override;
  std::string redact(llvm::StringRef text) const override;

private:
  llvm::Error write(llvm::StringRef hash, llvm::StringRef outcomeKey,
                    llvm::json::Value outcome, const ModelRequest &request);

  std::unique_ptr<ModelClient> inner;
  std::string folder;
};

/// What makes a record the answer to a request.
enum class ReplayMatch {
  Exact, ///< the request's hash: the same run again, or none
  /// The hash, else the request's `task`, `stage` and `id`, so that a recording
  /// outlives a change of prompts, schedules or facts of a GPU. Such answers
  /// are marked `reworded`.
  Task
};

/// Answers from a recorded folder: the n-th equal request of a run gets record
/// n. A
/// recorded failure fails again with the same kind and text. A request that is
/// numbered beyond all recorded ones of its task is an error of kind Exhausted;
/// one that was not recorded, of kind MissingRecord.
class ReplayClient : public ModelClient {
public:
  explicit ReplayClient(std::string folder,
                        ReplayMatch match = ReplayMatch::Exact,
                        EarlierAnswers earlierAnswers = nullptr);

  llvm::Expected<ModelAnswer> complete(const ModelRequest &request) override;

private:
  std::string folder;
  ReplayMatch match;
  EarlierAnswers earlierAnswers;
  std::mutex mutex;
  llvm::StringMap<unsigned> asked;
  /// Records in order of their names, by task and id; read on first need.
  std::optional<llvm::StringMap<std::vector<std::string>>> byTask;

  llvm::StringMap<uint64_t> lastSerial; ///< by task

  /// Reads the folder once. Call these with the mutex held.
  llvm::Error index();
  bool isBeyondRecording(const ModelRequest &request) const;
  /// The record, by task, of a request that nobody recorded in this form; empty
  /// where there is none.
  llvm::Expected<std::string> findByTask(const ModelRequest &request);
};

} // namespace evo::llm

#endif
