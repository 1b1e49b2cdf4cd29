// SPDX-License-Identifier: Apache-2.0
//
// Of protobuf's wire format only what says where a field ends
// (protobuf.dev/programming-guides/encoding).

#include "compiler/import/onnx/DetachData.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace minic {

using llvm::StringRef;

/// Fields of onnx.proto on the way to the bytes.
static constexpr uint64_t graphOfModel = 7, initializerOfGraph = 5,
                          rawDataOfTensor = 9;

static constexpr size_t leastBytes = 4096;

namespace {

/// One field: all of its bytes, and for a length-delimited one those inside.
struct Field {
  uint64_t number = 0;
  bool isDelimited = false;
  StringRef whole, content;
};

} // namespace

static bool readVarint(StringRef &bytes, uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    auto byte = static_cast<unsigned char>(bytes.front());
    bytes = bytes.drop_front();
    value |= uint64_t(byte & 0x7f) << shift;
    if (!(byte & 0x80)) {
      return true;
    }
  }
  return false;
}

static void writeVarint(uint64_t value, std::string &out) {
  for (; value >= 0x80; value >>= 7) {
    out.push_back(char(value | 0x80));
  }
  out.push_back(char(value));
}

/// Takes the first field of `bytes` away.
static bool readField(StringRef &bytes, Field &field) {
  StringRef start = bytes;
  uint64_t key = 0, size = 0;
  if (!readVarint(bytes, key)) {
    return false;
  }
  field.number = key >> 3;
  field.isDelimited = (key & 7) == 2;
  switch (key & 7) {
  case 0:
    if (!readVarint(bytes, size)) {
      return false;
    }
    size = 0;
    break;
  case 1:
    size = 8;
    break;
  case 2:
    if (!readVarint(bytes, size)) {
      return false;
    }
    break;
  case 5:
    size = 4;
    break;
  default:
    return false; // groups, which ONNX has none of
  }
  if (size > bytes.size()) {
    return false;
  }
  field.content = bytes.take_front(size);
  bytes = bytes.drop_front(size);
  field.whole = start.drop_back(bytes.size());
  return true;
}

/// Copies the fields of `message`; `replace` may write another content for one,
/// or refuse it.
enum class Copied { AsIs, Replaced, Refused };
using Replace = llvm::function_ref<Copied(const Field &, std::string &)>;

static bool copyFields(StringRef message, std::string &out, Replace replace) {
  while (!message.empty()) {
    Field field;
    if (!readField(message, field)) {
      return false;
    }
    std::string content;
    Copied copied = field.isDelimited ? replace(field, content) : Copied::AsIs;
    if (copied == Copied::Refused) {
      return false;
    }
    if (copied == Copied::AsIs) {
      out += field.whole;
      continue;
    }
    writeVarint(field.number << 3 | 2, out);
    writeVarint(content.size(), out);
    out += content;
  }
  return true;
}

bool detachData(StringRef model, std::string &rest, DetachedData &detached) {
  int graphs = 0, initializers = 0;
  auto tensorField = [&](const Field &field, std::string &) {
    if (field.number != rawDataOfTensor || field.content.size() < leastBytes) {
      return Copied::AsIs;
    }
    // What remains of it is empty, and nobody looks at it.
    bool isFirst =
        detached.initializers.try_emplace(initializers, field.content).second;
    return isFirst ? Copied::Replaced : Copied::Refused;
  };
  auto graphField = [&](const Field &field, std::string &content) {
    if (field.number != initializerOfGraph) {
      return Copied::AsIs;
    }
    bool isRead = copyFields(field.content, content, tensorField);
    ++initializers;
    return isRead ? Copied::Replaced : Copied::Refused;
  };
  auto modelField = [&](const Field &field, std::string &content) {
    if (field.number != graphOfModel) {
      return Copied::AsIs;
    }
    bool isRead =
        ++graphs == 1 && copyFields(field.content, content, graphField);
    return isRead ? Copied::Replaced : Copied::Refused;
  };
  return copyFields(model, rest, modelField);
}

} // namespace minic
