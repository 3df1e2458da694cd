// What the tests of the model side share. Temporary folders that vanish, a
// clock that only waiting moves, and the text of an error with its kind, which
// is what most of these tests are about.
#ifndef EVO_UNITTESTS_LLM_TESTSUPPORT_H
#define EVO_UNITTESTS_LLM_TESTSUPPORT_H

#include "evo/LLM/Clock.h"
#include "evo/LLM/ModelClient.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <functional>

namespace evo::llm::test {

class TempFolder {
public:
  TempFolder() {
    std::error_code code =
        llvm::sys::fs::createUniqueDirectory("evo-llm-test", path);
    EXPECT_FALSE(code) << code.message();
  }
  ~TempFolder() { (void)llvm::sys::fs::remove_directories(path); }
  std::string str() const { return path.str().str(); }
  std::string file(const llvm::Twine &name) const {
    llvm::SmallString<128> full(path);
    llvm::sys::path::append(full, name);
    return full.str().str();
  }
  std::vector<std::string> list() const {
    std::vector<std::string> names;
    std::error_code code;
    for (llvm::sys::fs::directory_iterator entry(path, code), end;
         !code && entry != end; entry.increment(code))
      names.push_back(llvm::sys::path::filename(entry->path()).str());
    std::sort(names.begin(), names.end());
    return names;
  }

private:
  llvm::SmallString<128> path;
};

/// Time passes only where it is waited for.
class FakeClock : public Clock {
public:
  Instant now() const override { return Instant(elapsed); }
  void sleep(std::chrono::milliseconds duration) override {
    elapsed += duration;
    if (onSleep)
      onSleep();
  }
  std::chrono::milliseconds elapsed{0};
  /// What others do meanwhile.
  std::function<void()> onSleep;
};

inline void writeFile(llvm::StringRef path, llvm::StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  ASSERT_FALSE(code) << code.message();
  os << text;
}

inline std::string readFile(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (buffer)
    return (*buffer)->getBuffer().str();
  ADD_FAILURE() << "cannot read " << path.str();
  return "";
}

/// Kind and text of a failure.
struct Failed {
  std::optional<ModelError::Kind> kind;
  std::string text;
};

inline Failed failed(llvm::Error error) {
  Failed result;
  llvm::handleAllErrors(
      std::move(error),
      [&](const ModelError &model) {
        result.kind = model.getKind();
        result.text = model.message();
      },
      [&](const llvm::ErrorInfoBase &other) { result.text = other.message(); });
  return result;
}

template <typename T> Failed failed(llvm::Expected<T> value) {
  if (value) {
    ADD_FAILURE() << "expected a failure";
    return {};
  }
  return failed(value.takeError());
}

inline ModelRequest ask(llvm::StringRef text) {
  ModelRequest request;
  request.messages = {{Role::System, "be brief"}, {Role::User, text.str()}};
  request.temperature = 0.5;
  request.maxTokens = 100;
  return request;
}

/// Fails with the text of the error, else hands out the value.
#define EVO_TAKE(name, expression)                                             \
  auto name##OrError = (expression);                                           \
  ASSERT_TRUE(static_cast<bool>(name##OrError))                                \
      << llvm::toString(name##OrError.takeError());                            \
  [[maybe_unused]] auto &name = *name##OrError

#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_NE(std::string(text).find(part), std::string::npos) << "in: " << (text)
#define EXPECT_LACKS(text, part)                                               \
  EXPECT_EQ(std::string(text).find(part), std::string::npos) << "in: " << (text)

} // namespace evo::llm::test

#endif
