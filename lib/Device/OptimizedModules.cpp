// A small store of optimised modules: a list is fast enough, for it holds what
// one candidate needs.
#include "evo/Device/DeviceBuilder.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/BLAKE3.h"

using namespace evo;

OptimizedModules::Key OptimizedModules::makeKey(const llvm::Module &input,
                                                const CodegenOptions &options) {
  llvm::SmallVector<char, 0> bitcode;
  llvm::raw_svector_ostream os(bitcode);
  llvm::WriteBitcodeToFile(input, os);
  // A length keeps neighbouring fields apart.
  std::string fields = std::to_string(options.optLevel) + ' ' +
                       std::to_string(options.target.size()) + ':' +
                       options.target;
  llvm::BLAKE3 hasher;
  hasher.update(fields);
  hasher.update(llvm::StringRef(bitcode.data(), bitcode.size()));
  Key key;
  hasher.final(key);
  return key;
}

std::string OptimizedModules::find(const Key &key) {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto entry = entries.begin(); entry != entries.end(); ++entry)
    if (entry->first == key) {
      entries.splice(entries.begin(), entries, entry);
      return entries.front().second;
    }
  return {};
}

void OptimizedModules::insert(const Key &key, std::string bitcode) {
  std::lock_guard<std::mutex> lock(mutex);
  entries.emplace_front(key, std::move(bitcode));
  if (entries.size() > capacity)
    entries.pop_back();
}
