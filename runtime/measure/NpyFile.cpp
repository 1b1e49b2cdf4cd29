// SPDX-License-Identifier: Apache-2.0
//
// NpyFile: magic, version, length, and a header that is the text of a Python
// dict such as {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), },
// padded so that the data begins at a multiple of 64 bytes.

#include "runtime/measure/NpyFile.h"

#include "runtime/base/MappedFile.h"
#include "runtime/measure/OutputFile.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace minic::runtime {
namespace {

constexpr absl::string_view magic("\x93NUMPY", 6);

const char *descrOf(DType dtype) {
  switch (dtype) {
  case DType::i1:
    return "|b1";
  case DType::i8:
    return "|i1";
  case DType::u8:
    return "|u1";
  case DType::i32:
    return "<i4";
  case DType::i64:
    return "<i8";
  case DType::f16:
    return "<f2";
  case DType::bf16:
    return "<u2";
  case DType::f32:
    return "<f4";
  }
  return "";
}

/// "2x3xf32" is what people read in models; "(2, 3)" is what NumPy writes.
std::string shapeText(absl::Span<const int64_t> dims) {
  return dims.size() == 1 ? absl::StrCat("(", dims[0], ",)")
                          : absl::StrCat("(", absl::StrJoin(dims, ", "), ")");
}

/// Parses the dict of the header, of which only the three keys may be there.
class HeaderParser {
public:
  explicit HeaderParser(absl::string_view text) : rest(text) {}

  bool parse(NpyHeader &header) {
    bool descr = false, order = false, shape = false;
    if (!take("{")) {
      return false;
    }
    while (!take("}")) {
      std::string key;
      if (!string(key) || !take(":")) {
        return false;
      }
      if (key == "descr" && !descr) {
        descr = string(header.descr);
      } else if (key == "fortran_order" && !order) {
        header.fortranOrder = take("True");
        order = header.fortranOrder || take("False");
      } else if (key == "shape" && !shape) {
        shape = tuple(header.dims);
      } else {
        return false;
      }
      if (!take(",") && !next("}")) {
        return false;
      }
    }
    rest = absl::StripAsciiWhitespace(rest);
    return descr && order && shape && rest.empty();
  }

private:
  bool next(absl::string_view token) {
    rest = absl::StripLeadingAsciiWhitespace(rest);
    return rest.substr(0, token.size()) == token;
  }
  bool take(absl::string_view token) {
    if (!next(token)) {
      return false;
    }
    rest.remove_prefix(token.size());
    return true;
  }
  bool string(std::string &value) {
    if (!next("'") && !next("\"")) {
      return false;
    }
    size_t end = rest.find(rest[0], 1);
    if (end == absl::string_view::npos) {
      return false;
    }
    value = std::string(rest.substr(1, end - 1));
    rest.remove_prefix(end + 1);
    return true;
  }
  bool tuple(std::vector<int64_t> &values) {
    if (!take("(")) {
      return false;
    }
    while (!take(")")) {
      size_t digits = 0;
      next("");
      while (digits < rest.size() && absl::ascii_isdigit(rest[digits])) {
        ++digits;
      }
      int64_t value = 0;
      if (!absl::SimpleAtoi(rest.substr(0, digits), &value)) {
        return false;
      }
      values.push_back(value);
      rest.remove_prefix(digits);
      if (!take(",") && !next(")")) {
        return false;
      }
    }
    return true;
  }

  absl::string_view rest;
};

/// Finds the dtype of a descr, or why it is none.
absl::StatusOr<DType> dtypeOf(const std::string &descr, bool bf16) {
  if (descr == "<u2" || descr == "|V2" || descr == "<V2") {
    if (bf16) {
      return DType::bf16;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "dtype '", descr, "' is read only as bf16, with --dtype=bf16"));
  }
  for (DType dtype : {DType::i1, DType::i8, DType::u8, DType::i32, DType::i64,
                      DType::f16, DType::f32}) {
    // One byte has no order, and little-endian is the native one.
    std::string native = absl::StrCat("=", descrOf(dtype) + 1);
    if (descr == descrOf(dtype) || descr == native) {
      return dtype;
    }
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "dtype '", descr,
      "' is none of bool, int8, uint8, int32, int64, float16, float32 "
      "(little-endian)"));
}

std::optional<int64_t> byteCount(const std::vector<int64_t> &dims,
                                 DType dtype) {
  int64_t bytes = elementBytes(dtype);
  for (int64_t dim : dims) {
    if (__builtin_mul_overflow(bytes, dim, &bytes)) {
      return std::nullopt;
    }
  }
  return bytes;
}

} // namespace

absl::StatusOr<NpyHeader> parseNpyHeader(std::string_view file) {
  auto refuse = [](auto... what) {
    return absl::InvalidArgumentError(absl::StrCat(what...));
  };
  absl::string_view bytes(file.data(), file.size());
  if (bytes.size() < 10 || !absl::ConsumePrefix(&bytes, magic)) {
    return refuse("not a .npy file");
  }
  int major = uint8_t(bytes[0]);
  if (major < 1 || major > 3) {
    return refuse("version ", major, " of .npy is not 1, 2 or 3");
  }
  size_t lengthBytes = major == 1 ? 2 : 4;
  uint32_t length = 0;
  if (bytes.size() < 2 + lengthBytes) {
    return refuse("truncated header");
  }
  std::memcpy(&length, bytes.data() + 2, lengthBytes);
  bytes.remove_prefix(2 + lengthBytes);
  if (length > bytes.size()) {
    return refuse("truncated header");
  }
  NpyHeader header;
  if (!HeaderParser(bytes.substr(0, length)).parse(header)) {
    return refuse("malformed header");
  }
  if (header.fortranOrder && header.dims.size() > 1) {
    return refuse("column-major (fortran_order) arrays are not read; save "
                  "numpy.ascontiguousarray(x)");
  }
  header.dataOffset = file.size() - bytes.size() + length;
  return header;
}

absl::StatusOr<NpyArray> readNpy(const std::string &path, bool bf16) {
  absl::StatusOr<MappedFile> file = MappedFile::open(path);
  if (!file.ok()) {
    return file.status();
  }
  auto refuse = [&](absl::string_view what) {
    return absl::InvalidArgumentError(absl::StrCat("'", path, "': ", what));
  };
  absl::string_view bytes(reinterpret_cast<const char *>(file->bytes().data()),
                          file->bytes().size());
  absl::StatusOr<NpyHeader> parsed =
      parseNpyHeader({bytes.data(), bytes.size()});
  if (!parsed.ok()) {
    return refuse(parsed.status().message());
  }
  NpyHeader &header = *parsed;
  bytes.remove_prefix(header.dataOffset);
  absl::StatusOr<DType> dtype = dtypeOf(header.descr, bf16);
  if (!dtype.ok()) {
    return refuse(dtype.status().message());
  }
  std::optional<int64_t> size = byteCount(header.dims, *dtype);
  if (!size || uint64_t(*size) != bytes.size()) {
    return absl::DataLossError(
        absl::StrCat("'", path, "': shape ", shapeText(header.dims), " of ",
                     toString(*dtype), " does not fit its ", bytes.size(),
                     " bytes of data"));
  }
  absl::StatusOr<AlignedBuffer> data = AlignedBuffer::create(bytes.size());
  if (!data.ok()) {
    return data.status();
  }
  if (!bytes.empty()) {
    std::memcpy(data->data(), bytes.data(), bytes.size());
  }
  return NpyArray{*dtype, std::move(header.dims), std::move(*data)};
}

absl::Status writeNpy(const std::string &path, const Tensor &tensor) {
  std::string dict = absl::StrCat(
      "{'descr': '", descrOf(tensor.dtype),
      "', 'fortran_order': False, 'shape': ", shapeText(tensor.dims), ", }");
  constexpr size_t prefix = 10; // magic, version, length
  dict.append(63 - (prefix + dict.size()) % 64, ' ');
  dict += '\n';
  // A rank that needs more than 65535 characters does not exist here.
  uint16_t length = uint16_t(dict.size());
  std::string header(magic.data(), magic.size());
  header += '\x01';
  header += '\0';
  header.append(reinterpret_cast<const char *>(&length), 2);
  header += dict;
  int64_t bytes = elementBytes(tensor.dtype);
  for (int64_t dim : tensor.dims) {
    bytes *= dim;
  }
  return writeOutputFile(
      path, {header, std::string_view(static_cast<const char *>(tensor.data),
                                      size_t(bytes))});
}

} // namespace minic::runtime
