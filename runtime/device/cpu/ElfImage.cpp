// SPDX-License-Identifier: Apache-2.0
//
// Reads headers from the file with every offset checked, copies the segments,
// and from then on reads only the image (dynamic section, symbols, names), with
// every address checked against the segments.

#include "runtime/device/cpu/ElfImage.h"

#include "absl/strings/str_cat.h"

#include <elf.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace minic::runtime {

namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kMaxImage = uint64_t(1) << 30;

template <typename... Args> absl::Status refused(const Args &...args) {
  return absl::DataLossError(absl::StrCat("kernel object: ", args...));
}

uint64_t pageDown(uint64_t address) { return address / kPage * kPage; }
uint64_t pageUp(uint64_t address) { return pageDown(address + kPage - 1); }

struct Headers {
  std::vector<Elf64_Phdr> loads; // ascending, on disjoint pages
  Elf64_Phdr dynamic = {};
  uint64_t imageBytes = 0;
};

absl::Status checkLoad(const Elf64_Phdr &load, uint64_t fileBytes,
                       uint64_t previousEnd) {
  if (load.p_offset > fileBytes || load.p_filesz > fileBytes - load.p_offset) {
    return refused("segment lies outside the file");
  }
  if (load.p_filesz > load.p_memsz || load.p_memsz > kMaxImage ||
      load.p_vaddr > kMaxImage) {
    return refused("segment size is out of range");
  }
  if (pageDown(load.p_vaddr) < previousEnd) {
    return refused("segments overlap or share a page");
  }
  if ((load.p_flags & PF_W) && (load.p_flags & PF_X)) {
    return refused("segment is both writable and executable");
  }
  return absl::OkStatus();
}

absl::StatusOr<Headers> readHeaders(absl::Span<const std::byte> bytes) {
  Elf64_Ehdr elf;
  if (bytes.size() < sizeof(elf)) {
    return refused("too short for an ELF header");
  }
  std::memcpy(&elf, bytes.data(), sizeof(elf));
  if (std::memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
      elf.e_ident[EI_CLASS] != ELFCLASS64 ||
      elf.e_ident[EI_DATA] != ELFDATA2LSB || elf.e_type != ET_DYN ||
      elf.e_machine != EM_X86_64) {
    return refused("not an x86-64 shared object");
  }
  if (elf.e_phentsize != sizeof(Elf64_Phdr) || elf.e_phoff > bytes.size() ||
      elf.e_phnum > (bytes.size() - elf.e_phoff) / sizeof(Elf64_Phdr)) {
    return refused("program headers lie outside the file");
  }
  Headers headers;
  for (int i = 0; i < elf.e_phnum; ++i) {
    Elf64_Phdr header;
    std::memcpy(&header, bytes.data() + elf.e_phoff + i * sizeof(Elf64_Phdr),
                sizeof(header));
    switch (header.p_type) {
    case PT_LOAD:
      if (absl::Status status =
              checkLoad(header, bytes.size(), headers.imageBytes);
          !status.ok()) {
        return status;
      }
      headers.imageBytes = pageUp(header.p_vaddr + header.p_memsz);
      headers.loads.push_back(header);
      break;
    case PT_DYNAMIC:
      headers.dynamic = header;
      break;
    case PT_TLS:
      return refused("has thread-local storage");
    case PT_INTERP:
      return refused("asks for an interpreter");
    }
  }
  if (headers.loads.empty() || headers.dynamic.p_memsz == 0) {
    return refused("has no loadable segment or no dynamic section");
  }
  return headers;
}

/// Checked reads of the copied image.
class Image {
public:
  Image(std::byte *memory, const Headers &headers)
      : memory(memory), headers(headers) {}

  bool holds(uint64_t address, uint64_t bytes) const {
    return segmentOf(address, bytes) != nullptr;
  }
  const Elf64_Phdr *segmentOf(uint64_t address, uint64_t bytes) const {
    for (const Elf64_Phdr &load : headers.loads) {
      if (address >= load.p_vaddr && address - load.p_vaddr <= load.p_memsz &&
          bytes <= load.p_memsz - (address - load.p_vaddr)) {
        return &load;
      }
    }
    return nullptr;
  }
  template <typename T> bool read(uint64_t address, T &value) const {
    if (!holds(address, sizeof(T))) {
      return false;
    }
    std::memcpy(&value, memory + address, sizeof(T));
    return true;
  }

  std::byte *const memory;
  const Headers &headers;
};

struct Dynamic {
  uint64_t symbols = 0, names = 0, namesBytes = 0, gnuHash = 0;
  uint64_t relocations = 0, relocationsBytes = 0;
};

absl::StatusOr<Dynamic> readDynamic(const Image &image) {
  Dynamic dynamic;
  const Elf64_Phdr &segment = image.headers.dynamic;
  for (uint64_t at = 0;; at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry;
    if (at + sizeof(entry) > segment.p_memsz ||
        !image.read(segment.p_vaddr + at, entry)) {
      return refused("dynamic section has no end");
    }
    uint64_t value = entry.d_un.d_val;
    switch (entry.d_tag) {
    case DT_NULL:
      return dynamic;
    case DT_SYMTAB:
      dynamic.symbols = value;
      break;
    case DT_STRTAB:
      dynamic.names = value;
      break;
    case DT_STRSZ:
      dynamic.namesBytes = value;
      break;
    case DT_GNU_HASH:
      dynamic.gnuHash = value;
      break;
    case DT_RELA:
      dynamic.relocations = value;
      break;
    case DT_RELASZ:
      dynamic.relocationsBytes = value;
      break;
    case DT_SYMENT:
      if (value != sizeof(Elf64_Sym)) {
        return refused("symbol size: expected ", sizeof(Elf64_Sym), ", got ",
                       value);
      }
      break;
    case DT_RELAENT:
      if (value != sizeof(Elf64_Rela)) {
        return refused("relocation size: expected ", sizeof(Elf64_Rela),
                       ", got ", value);
      }
      break;
    case DT_NEEDED:
      return refused("needs another library");
    case DT_JMPREL:
    case DT_PLTREL:
    case DT_PLTRELSZ:
    case DT_REL:
    case DT_RELR:
    case DT_TEXTREL:
      return refused("has relocations other than RELATIVE (dynamic tag ",
                     entry.d_tag, ")");
    case DT_INIT:
    case DT_FINI:
    case DT_INIT_ARRAY:
    case DT_FINI_ARRAY:
    case DT_PREINIT_ARRAY:
      return refused("has constructors or destructors");
    }
  }
}

absl::Status relocate(const Image &image, const Dynamic &dynamic) {
  for (uint64_t at = 0; at < dynamic.relocationsBytes;
       at += sizeof(Elf64_Rela)) {
    Elf64_Rela entry;
    if (!image.read(dynamic.relocations + at, entry)) {
      return refused("relocations lie outside the image");
    }
    if (ELF64_R_TYPE(entry.r_info) != R_X86_64_RELATIVE) {
      return refused("relocation type ", ELF64_R_TYPE(entry.r_info),
                     " is not RELATIVE");
    }
    if (!image.holds(entry.r_offset, sizeof(uint64_t)) ||
        !image.holds(entry.r_addend, 0)) {
      return refused("relocation lies outside the image");
    }
    uint64_t value = reinterpret_cast<uint64_t>(image.memory) + entry.r_addend;
    std::memcpy(image.memory + entry.r_offset, &value, sizeof(value));
  }
  return absl::OkStatus();
}

/// Symbols in the table: DT_GNU_HASH lists buckets of first symbols; the last
/// chain ends at the first odd hash.
absl::StatusOr<uint64_t> countSymbols(const Image &image, uint64_t table) {
  uint32_t head[4]; // buckets, first hashed symbol, Bloom words, shift
  if (!image.read(table, head)) {
    return refused("symbol hash table lies outside the image");
  }
  uint64_t buckets = table + sizeof(head) + uint64_t(head[2]) * 8;
  uint64_t chains = buckets + uint64_t(head[0]) * 4;
  uint64_t last = 0;
  for (uint32_t i = 0; i < head[0]; ++i) {
    uint32_t first;
    if (!image.read(buckets + i * uint64_t(4), first)) {
      return refused("symbol hash table lies outside the image");
    }
    last = std::max<uint64_t>(last, first);
  }
  if (last < head[1]) {
    return uint64_t(head[1]); // nothing exported
  }
  for (uint32_t hash = 0; (hash & 1) == 0; ++last) {
    if (!image.read(chains + (last - head[1]) * 4, hash)) {
      return refused("symbol hash table lies outside the image");
    }
  }
  return last;
}

absl::Status
readSymbols(const Image &image, const Dynamic &dynamic,
            std::unordered_map<std::string_view, void *> &functions) {
  if (!dynamic.gnuHash || !image.holds(dynamic.names, dynamic.namesBytes)) {
    return refused("has no symbol hash table (DT_GNU_HASH) or names");
  }
  absl::StatusOr<uint64_t> count = countSymbols(image, dynamic.gnuHash);
  if (!count.ok()) {
    return count.status();
  }
  const char *names =
      reinterpret_cast<const char *>(image.memory + dynamic.names);
  for (uint64_t i = 1; i < *count; ++i) {
    Elf64_Sym symbol;
    if (!image.read(dynamic.symbols + i * sizeof(symbol), symbol) ||
        symbol.st_name >= dynamic.namesBytes) {
      return refused("symbol ", i, " lies outside the image");
    }
    uint64_t limit = dynamic.namesBytes - symbol.st_name;
    std::string_view name(names + symbol.st_name,
                          strnlen(names + symbol.st_name, limit));
    if (name.size() == limit) {
      return refused("symbol ", i, " has an unterminated name");
    }
    if (symbol.st_shndx == SHN_UNDEF) {
      return refused("imports '", absl::string_view(name.data(), name.size()),
                     "'");
    }
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) {
      continue;
    }
    const Elf64_Phdr *segment =
        image.segmentOf(symbol.st_value, std::max<uint64_t>(symbol.st_size, 1));
    if (!segment || !(segment->p_flags & PF_X)) {
      return refused("function '", absl::string_view(name.data(), name.size()),
                     "' lies outside the executable segments");
    }
    functions.emplace(name, image.memory + symbol.st_value);
  }
  return absl::OkStatus();
}

absl::Status protect(const Image &image) {
  for (const Elf64_Phdr &load : image.headers.loads) {
    int protection = (load.p_flags & PF_R ? PROT_READ : 0) |
                     (load.p_flags & PF_W ? PROT_WRITE : 0) |
                     (load.p_flags & PF_X ? PROT_EXEC | PROT_READ : 0);
    uint64_t start = pageDown(load.p_vaddr);
    if (mprotect(image.memory + start,
                 pageUp(load.p_vaddr + load.p_memsz) - start,
                 protection) != 0) {
      return absl::FailedPreconditionError(absl::StrCat(
          "this system does not allow executable memory for kernels: ",
          std::strerror(errno), "; try MINIC_DLOPEN_KERNELS=1"));
    }
  }
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<ElfImage> ElfImage::load(absl::Span<const std::byte> bytes) {
  absl::StatusOr<Headers> headers = readHeaders(bytes);
  if (!headers.ok()) {
    return headers.status();
  }
  void *map = mmap(nullptr, headers->imageBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot map ", headers->imageBytes, " bytes for kernels"));
  }
  ElfImage result;
  result.memory_ = static_cast<std::byte *>(map);
  result.bytes_ = headers->imageBytes;
  for (const Elf64_Phdr &load : headers->loads) {
    std::memcpy(result.memory_ + load.p_vaddr, bytes.data() + load.p_offset,
                load.p_filesz);
  }
  Image image(result.memory_, *headers);
  absl::StatusOr<Dynamic> dynamic = readDynamic(image);
  if (!dynamic.ok()) {
    return dynamic.status();
  }
  absl::Status status = relocate(image, *dynamic);
  if (status.ok()) {
    status = readSymbols(image, *dynamic, result.functions_);
  }
  if (status.ok()) {
    status = protect(image);
  }
  if (!status.ok()) {
    return status;
  }
  return result;
}

ElfImage::ElfImage(ElfImage &&other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_),
      functions_(std::move(other.functions_)) {}

ElfImage::~ElfImage() {
  if (memory_) {
    munmap(memory_, bytes_);
  }
}

void *ElfImage::find(std::string_view symbol) const {
  auto found = functions_.find(symbol);
  return found == functions_.end() ? nullptr : found->second;
}

} // namespace minic::runtime
