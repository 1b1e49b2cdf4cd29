// SPDX-License-Identifier: Apache-2.0
//
// Reads the header: 8 bytes of little-endian length, that many bytes of JSON
// {"name": {"dtype", "shape", "data_offsets": [begin, end]}}, then the data
// that the offsets count from.

#include "compiler/import/SafetensorsFile.h"

#include "compiler/import/MappedFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"

#include <nlohmann/json.hpp>

#include <set>

namespace minic {

using nlohmann::json;

/// Bytes of one element; 0 for a dtype that the format does not have.
static int64_t dtypeBytes(llvm::StringRef dtype) {
  return llvm::StringSwitch<int64_t>(dtype)
      .Cases({"BOOL", "U8", "I8", "F8_E4M3", "F8_E5M2", "F8_E8M0"}, 1)
      .Cases({"I16", "U16", "F16", "BF16"}, 2)
      .Cases({"I32", "U32", "F32"}, 4)
      .Cases({"I64", "U64", "F64", "C64"}, 8)
      .Default(0);
}

/// An entry has lists, which is depth 3. What is deeper is dropped as it is
/// read: the library calls itself to print it.
static constexpr int maxDepth = 8;

/// Parses the JSON header, keeping the first duplicate name, which the library
/// would silently let win over the earlier one.
static json parseHeader(llvm::StringRef header, std::string &duplicate) {
  std::set<std::string> seen;
  auto onEvent = [&](int depth, json::parse_event_t event, json &parsed) {
    if (depth > maxDepth) {
      return false;
    }
    if (depth == 1 && event == json::parse_event_t::key &&
        !seen.insert(parsed.get<std::string>()).second && duplicate.empty()) {
      duplicate = parsed.get<std::string>();
    }
    return true;
  };
  return json::parse(header.begin(), header.end(), onEvent,
                     /*allow_exceptions=*/false);
}

/// Reads a list of non-negative integers; false if it is anything else.
static bool readInts(const json &value, std::vector<int64_t> &out) {
  if (!value.is_array()) {
    return false;
  }
  for (const json &item : value) {
    if (!item.is_number_unsigned() ||
        item.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) {
      return false;
    }
    out.push_back(item.get<int64_t>());
  }
  return true;
}

/// Reads one entry; returns what is wrong with it, or nothing.
static std::string readEntry(const json &value, llvm::ArrayRef<char> data,
                             SafetensorsFile::Entry &entry) {
  if (!value.is_object() || !value.contains("dtype") ||
      !value.contains("shape") || !value.contains("data_offsets") ||
      !value["dtype"].is_string()) {
    return "expected dtype, shape and data_offsets, got " +
           value.dump(-1, ' ', false, json::error_handler_t::replace)
               .substr(0, 80);
  }
  entry.dtype = value["dtype"].get<std::string>();
  int64_t bytes = dtypeBytes(entry.dtype);
  if (bytes == 0) {
    return "unknown dtype '" + entry.dtype + "'";
  }
  if (!readInts(value["shape"], entry.dims)) {
    return "expected a shape of non-negative integers, got " +
           value["shape"]
               .dump(-1, ' ', false, json::error_handler_t::replace)
               .substr(0, 80);
  }
  for (int64_t dim : entry.dims) {
    if (__builtin_mul_overflow(bytes, dim, &bytes)) {
      return "shape overflows 64 bits";
    }
  }
  std::vector<int64_t> offsets;
  if (!readInts(value["data_offsets"], offsets) || offsets.size() != 2 ||
      offsets[0] > offsets[1]) {
    return "expected data_offsets [begin, end], got " +
           value["data_offsets"]
               .dump(-1, ' ', false, json::error_handler_t::replace)
               .substr(0, 80);
  }
  if (offsets[1] - offsets[0] != bytes) {
    return llvm::formatv("expected {0} bytes for its shape and dtype, got {1}",
                         bytes, offsets[1] - offsets[0])
        .str();
  }
  if (offsets[1] > static_cast<int64_t>(data.size())) {
    return llvm::formatv("ends at byte {0} of the data, but the file has only "
                         "{1}: truncated?",
                         offsets[1], data.size())
        .str();
  }
  entry.data = data.slice(offsets[0], bytes);
  return {};
}

std::string SafetensorsFile::readEntries(llvm::StringRef header,
                                         llvm::ArrayRef<char> data) {
  std::string duplicate;
  json parsed = parseHeader(header, duplicate);
  if (!parsed.is_object()) {
    return "not a safetensors file: its header is not a JSON object";
  }
  if (!duplicate.empty()) {
    return "tensor '" + duplicate + "' appears twice";
  }
  struct Range {
    const char *begin, *end;
    std::string name;
  };
  std::vector<Range> ranges;
  for (const auto &[name, value] : parsed.items()) {
    if (name == "__metadata__") {
      continue;
    }
    Entry &entry = entries[name];
    if (std::string error = readEntry(value, data, entry); !error.empty()) {
      return "tensor '" + name + "': " + error;
    }
    if (!entry.data.empty()) {
      ranges.push_back({entry.data.begin(), entry.data.end(), name});
    }
  }
  llvm::sort(ranges,
             [](const Range &a, const Range &b) { return a.begin < b.begin; });
  for (size_t i = 1; i < ranges.size(); ++i) {
    if (ranges[i].begin < ranges[i - 1].end) {
      return "tensor '" + ranges[i].name + "' overlaps tensor '" +
             ranges[i - 1].name + "'";
    }
  }
  return {};
}

std::string SafetensorsFile::readHeader() {
  llvm::StringRef bytes = buffer->getBuffer();
  if (bytes.size() < 8) {
    return llvm::formatv("not a safetensors file: expected at least 8 bytes, "
                         "got {0}",
                         bytes.size())
        .str();
  }
  uint64_t length = llvm::support::endian::read64le(bytes.data());
  if (length > bytes.size() - 8) {
    return llvm::formatv("expected a header of {0} bytes, got {1}: truncated "
                         "or not a safetensors file",
                         length, bytes.size() - 8)
        .str();
  }
  llvm::StringRef data = bytes.drop_front(8 + length);
  return readEntries(bytes.substr(8, length),
                     llvm::ArrayRef<char>(data.data(), data.size()));
}

std::shared_ptr<const SafetensorsFile>
SafetensorsFile::open(llvm::StringRef path, std::string &error) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) {
    error =
        ("cannot open '" + path + "': " + buffer.getError().message()).str();
    return nullptr;
  }
  std::shared_ptr<SafetensorsFile> file(new SafetensorsFile());
  file->filePath = path.str();
  file->buffer = std::move(*buffer);
  error = file->readHeader();
  if (!error.empty()) {
    error = path.str() + ": " + error;
    return nullptr;
  }
  return file;
}

void SafetensorsFile::dropPages() const { minic::dropPages(*buffer); }

std::string SafetensorsFile::hash() const {
  return llvm::formatv("{0:x-16}", hashFile(*buffer)).str();
}

} // namespace minic
