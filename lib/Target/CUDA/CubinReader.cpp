// Reads resource facts from a cubin, which is an ELF file. Section names and
// the attribute records of `.nv.info` are the ones that `cuobjdump --dump-elf`
// prints; a record is {format byte, attribute byte, payload}, where the format
// says how long the payload is. The log says the same in words: having both
// lets a change of either format show up as an error, not as a wrong fact.
#include "evo/Target/CUDA/Assembler.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace llvm::object;

namespace evo::cuda {

namespace {
// Payload formats of an attribute record.
constexpr uint8_t formatNone = 1, formatByte = 2, formatHalf = 3,
                  formatSized = 4;
// Attributes.
constexpr uint8_t attrFrameSize = 0x11, attrCbankParamSize = 0x19,
                  attrRegCount = 0x2f;

/// Calls `visit(attribute, payload)` for each record; false if malformed.
bool forEachRecord(ArrayRef<uint8_t> bytes,
                   function_ref<void(uint8_t, ArrayRef<uint8_t>)> visit) {
  while (!bytes.empty()) {
    if (bytes.size() < 4)
      return false;
    uint8_t format = bytes[0], attribute = bytes[1];
    size_t length = 0;
    switch (format) {
    case formatNone:
    case formatByte:
    case formatHalf:
      visit(attribute, bytes.slice(2, 2));
      break;
    case formatSized:
      length = support::endian::read16le(&bytes[2]);
      if (bytes.size() < 4 + length)
        return false;
      visit(attribute, bytes.slice(4, length));
      break;
    default:
      return false;
    }
    bytes = bytes.drop_front(4 + length);
  }
  return true;
}
/// 90 for sm_90 and sm_90a. The place in the header's flags moved up a byte
/// with version 8 of the ABI (CUDA 13).
unsigned getArchNumber(const ELFFile<ELF64LE> &file) {
  const ELF64LE::Ehdr &header = file.getHeader();
  unsigned shift = header.e_ident[ELF::EI_ABIVERSION] >= 8 ? 8 : 0;
  return header.e_flags >> shift & 0xff;
}
} // namespace

Expected<std::vector<KernelResources>> readCubinResources(StringRef cubin) {
  auto file = ELFFile<ELF64LE>::create(cubin);
  if (!file)
    return file.takeError();
  auto sections = file->sections();
  if (!sections)
    return sections.takeError();

  // A kernel is a code section that has a constant bank 0 of the same name;
  // device functions of relocatable code share their caller's.
  MapVector<StringRef, KernelResources> kernels;
  struct Entry {
    StringRef name;
    const ELF64LE::Shdr *header;
  };
  std::vector<Entry> entries;
  const ELF64LE::Shdr *symbols = nullptr;
  for (const ELF64LE::Shdr &section : *sections) {
    auto name = file->getSectionName(section);
    if (!name)
      return name.takeError();
    entries.push_back({*name, &section});
    if (section.sh_type == ELF::SHT_SYMTAB)
      symbols = &section;
    StringRef kernel = *name;
    if (kernel.consume_front(".nv.constant0.")) {
      kernels[kernel].kernel = kernel.str();
      kernels[kernel].constBytes = section.sh_size;
    }
  }

  bool malformed = false;
  for (const Entry &entry : entries) {
    StringRef kernel = entry.name;
    if (kernel == ".nv.info") {
      auto bytes = file->getSectionContents(*entry.header);
      if (!bytes)
        return bytes.takeError();
      Error failure = Error::success();
      malformed |= !forEachRecord(
          *bytes, [&](uint8_t attribute, ArrayRef<uint8_t> payload) {
            if ((attribute != attrRegCount && attribute != attrFrameSize) ||
                payload.size() < 8 || !symbols || failure)
              return;
            uint32_t index = support::endian::read32le(&payload[0]);
            uint32_t value = support::endian::read32le(&payload[4]);
            auto symbol = file->getEntry<ELF64LE::Sym>(*symbols, index);
            if (!symbol) {
              failure = joinErrors(std::move(failure), symbol.takeError());
              return;
            }
            auto strings = file->getStringTableForSymtab(*symbols);
            if (!strings) {
              failure = joinErrors(std::move(failure), strings.takeError());
              return;
            }
            auto name = (*symbol)->getName(*strings);
            if (!name) {
              failure = joinErrors(std::move(failure), name.takeError());
              return;
            }
            auto it = kernels.find(*name);
            if (it == kernels.end())
              return;
            if (attribute == attrRegCount)
              it->second.registers = value;
            else
              it->second.stackBytes = value;
          });
      if (failure)
        return std::move(failure);
    } else if (kernel.consume_front(".nv.info.")) {
      auto it = kernels.find(kernel);
      if (it == kernels.end())
        continue;
      auto bytes = file->getSectionContents(*entry.header);
      if (!bytes)
        return bytes.takeError();
      malformed |= !forEachRecord(*bytes, [&](uint8_t attribute,
                                              ArrayRef<uint8_t> payload) {
        if (attribute == attrCbankParamSize && payload.size() >= 2)
          it->second.parameterBytes = support::endian::read16le(&payload[0]);
      });
    } else if (kernel.consume_front(".nv.shared.")) {
      auto it = kernels.find(kernel);
      if (it != kernels.end())
        it->second.staticSharedBytes = entry.header->sh_size;
    }
  }
  if (malformed)
    return createStringError("malformed .nv.info section in the cubin");

  // From sm_90 on a shared section begins with the system's reserved kilobyte.
  unsigned reserved = getArchNumber(*file) >= 90 ? 1024 : 0;
  std::vector<KernelResources> result;
  for (auto &[name, kernel] : kernels) {
    kernel.staticSharedBytes -= std::min(kernel.staticSharedBytes, reserved);
    result.push_back(kernel);
  }
  return result;
}

} // namespace evo::cuda
