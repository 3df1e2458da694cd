// A small store of optimised modules: a list is fast enough, for it holds what
// one candidate needs.
#include "evo/Lowering/DeviceBuilder.h"
#include "evo/Support/Digest.h"

using namespace evo;

OptimizedModules::Key OptimizedModules::makeKey(llvm::StringRef inputBitcode,
                                                const CodegenOptions &options) {
  // A length keeps neighbouring fields apart.
  const llvm::StringRef arch = options.target.getArch();
  std::string fields = std::to_string(options.optLevel) + ' ' +
                       std::to_string(arch.size()) + ':' + arch.str();
  fields += inputBitcode;
  return codeKey(fields);
}

OptimizedModules::Entry OptimizedModules::find(const Key &key) {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto entry = entries.begin(); entry != entries.end(); ++entry)
    if (entry->first == key) {
      entries.splice(entries.begin(), entries, entry);
      return entries.front().second;
    }
  return {};
}

void OptimizedModules::insert(const Key &key, Entry entry) {
  std::lock_guard<std::mutex> lock(mutex);
  entries.emplace_front(key, std::move(entry));
  if (entries.size() > capacity)
    entries.pop_back();
}
