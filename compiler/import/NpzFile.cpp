// SPDX-License-Identifier: Apache-2.0
//
// An .npz file is a zip archive of .npy files, one for each array.

#include "compiler/import/NpzFile.h"

#include "compiler/import/MappedFile.h"
#include "runtime/measure/NpyFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <minizip/unzip.h>

namespace minic {

using llvm::StringRef;

/// No byte of an archive unpacks to more: deflate's limit is 1032.
static constexpr uint64_t mostUnpackedPerByte = 1040;

/// What safetensors calls the dtype that NumPy calls `descr`; empty for one
/// that it has no name for. One byte has no order, the machine's is little.
static StringRef dtypeName(StringRef descr) {
  return llvm::StringSwitch<StringRef>(descr.drop_while([](char c) {
           return c == '<' || c == '=' || c == '|';
         }))
      .Case("b1", "BOOL")
      .Case("i1", "I8")
      .Case("u1", "U8")
      .Case("i2", "I16")
      .Cases({"u2", "V2"}, "BF16")
      .Case("i4", "I32")
      .Case("i8", "I64")
      .Case("f2", "F16")
      .Case("f4", "F32")
      .Case("f8", "F64")
      .Default("");
}

std::string NpzFile::addArray(StringRef entryName, std::vector<char> bytes) {
  StringRef name = entryName;
  if (!name.consume_back(".npy")) {
    return ("expected an archive of .npy files, as numpy.savez writes, got '" +
            entryName + "' in it")
        .str();
  }
  absl::StatusOr<runtime::NpyHeader> header =
      runtime::parseNpyHeader({bytes.data(), bytes.size()});
  if (!header.ok()) {
    return ("array '" + name + "': ").str() +
           std::string(header.status().message());
  }
  StringRef dtype = dtypeName(header->descr);
  if (dtype.empty()) {
    return ("array '" + name + "': minic has no dtype '" + header->descr + "'")
        .str();
  }
  int64_t size = header->descr.back() - '0';
  for (int64_t dim : header->dims) {
    if (__builtin_mul_overflow(size, dim, &size)) {
      return ("array '" + name + "': shape overflows 64 bits").str();
    }
  }
  size_t data = bytes.size() - header->dataOffset;
  if (uint64_t(size) != data) {
    return llvm::formatv("array '{0}': expected {1} bytes for its shape and "
                         "dtype, got {2}",
                         name, size, data)
        .str();
  }
  auto [it, isNew] = entries.try_emplace(name);
  if (!isNew) {
    return ("array '" + name + "' appears twice").str();
  }
  arrays.push_back(std::move(bytes));
  it->second.dtype = dtype.str();
  it->second.dims = header->dims;
  it->second.data =
      llvm::ArrayRef<char>(arrays.back()).drop_front(header->dataOffset);
  return {};
}

/// Reads the entry that `archive` is at; empty where it is damaged.
static std::vector<char> readEntry(unzFile archive, uint64_t size) {
  if (unzOpenCurrentFile(archive) != UNZ_OK) {
    return {};
  }
  std::vector<char> bytes(size);
  uint64_t done = 0;
  while (done < size) {
    unsigned step = unsigned(std::min<uint64_t>(size - done, 1u << 30));
    int got = unzReadCurrentFile(archive, bytes.data() + done, step);
    if (got <= 0) {
      break;
    }
    done += uint64_t(got);
  }
  // Closing checks the checksum of what was read whole.
  bool isRight = unzCloseCurrentFile(archive) == UNZ_OK && done == size;
  return isRight ? std::move(bytes) : std::vector<char>();
}

std::string NpzFile::readArchive() {
  unzFile archive = unzOpen64(filePath.c_str());
  if (!archive) {
    return "expected a zip archive of arrays, as numpy.savez writes: truncated "
           "or not an .npz file";
  }
  auto close = llvm::make_scope_exit([&] { unzClose(archive); });
  int state = unzGoToFirstFile(archive);
  for (; state == UNZ_OK; state = unzGoToNextFile(archive)) {
    unz_file_info64 info;
    std::string name(1 << 16, '\0'); // the format's longest
    if (unzGetCurrentFileInfo64(archive, &info, name.data(), name.size() - 1,
                                nullptr, 0, nullptr, 0) != UNZ_OK) {
      return "damaged or truncated: its list of arrays cannot be read";
    }
    name.resize(std::min<size_t>(info.size_filename, name.size()));
    uint64_t size = info.uncompressed_size;
    if (size == 0 || size / mostUnpackedPerByte > fileBytes) {
      return llvm::formatv("damaged: '{0}' claims {1} bytes in a file of {2}",
                           name, size, fileBytes)
          .str();
    }
    std::vector<char> bytes = readEntry(archive, size);
    if (bytes.empty()) {
      return "damaged or truncated: '" + name + "' cannot be unpacked";
    }
    if (std::string error = addArray(name, std::move(bytes)); !error.empty()) {
      return error;
    }
  }
  return state == UNZ_END_OF_LIST_OF_FILE
             ? ""
             : "damaged or truncated: its list of arrays cannot be read";
}

std::shared_ptr<const NpzFile> NpzFile::open(StringRef path,
                                             std::string &error) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) {
    error =
        ("cannot open '" + path + "': " + buffer.getError().message()).str();
    return nullptr;
  }
  std::shared_ptr<NpzFile> file(new NpzFile());
  file->filePath = path.str();
  file->fileBytes = (*buffer)->getBufferSize();
  file->fileHash = llvm::formatv("{0:x-16}", hashFile(**buffer)).str();
  error = file->readArchive();
  if (!error.empty()) {
    error = path.str() + ": " + error;
    return nullptr;
  }
  return file;
}

std::string NpzFile::hash() const { return fileHash; }

} // namespace minic
