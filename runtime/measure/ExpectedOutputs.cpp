// SPDX-License-Identifier: Apache-2.0
//
// ExpectedOutputs: the file. Little-endian 8-byte words (strings padded to
// them): magic, number of outputs, for each its name, dtype, dims, rows,
// values, tolerances and alternatives as counted arrays; last the XXH3 of all
// before.

#include "runtime/measure/ExpectedOutputs.h"

#include "runtime/base/MappedFile.h"
#include "runtime/measure/OutputFile.h"

#include "absl/strings/str_cat.h"

#define XXH_INLINE_ALL
#include "xxhash.h"

#include <bit>
#include <cstring>

namespace minic::runtime {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr uint64_t magic = 0x3150584543494e4d; // "MNICEXP1"

class Writer {
public:
  void word(uint64_t value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
  }
  void string(const std::string &value) {
    word(value.size());
    bytes += value;
    bytes.append((8 - value.size() % 8) % 8, '\0');
  }
  template <typename T> void array(const std::vector<T> &values) {
    static_assert(sizeof(T) == 8);
    word(values.size());
    bytes.append(reinterpret_cast<const char *>(values.data()),
                 values.size() * 8);
  }
  std::string bytes;
};

/// Every read is bounded by what is left; after the first that is not, `failed`
/// stays set and all reads give nothing.
class Reader {
public:
  explicit Reader(absl::Span<const std::byte> bytes) : rest(bytes) {}

  uint64_t word() {
    uint64_t value = 0;
    take(&value, 8);
    return value;
  }
  std::string string() {
    uint64_t size = word();
    if (size > rest.size()) {
      failed = true;
      return {};
    }
    std::string value(size, '\0');
    take(value.data(), size);
    char padding[8];
    take(padding, (8 - size % 8) % 8);
    return value;
  }
  template <typename T> std::vector<T> array() {
    static_assert(sizeof(T) == 8);
    uint64_t size = word();
    if (size > rest.size() / 8) {
      failed = true;
      return {};
    }
    std::vector<T> values(size);
    take(values.data(), size * 8);
    return values;
  }
  bool atEnd() const { return rest.empty(); }

  bool failed = false;

private:
  void take(void *destination, size_t size) {
    if (failed || size > rest.size()) {
      failed = true;
      return;
    }
    if (size != 0) {
      std::memcpy(destination, rest.data(), size);
      rest.remove_prefix(size);
    }
  }

  absl::Span<const std::byte> rest;
};

/// Product of non-negative dims, -1 where one is negative or it overflows.
int64_t checkedProduct(absl::Span<const int64_t> dims) {
  int64_t product = 1;
  for (int64_t dim : dims) {
    if (dim < 0 || __builtin_mul_overflow(product, dim, &product)) {
      return -1;
    }
  }
  return product;
}

/// The field that contradicts the others, or null.
const char *inconsistency(const ExpectedOutput &output, uint64_t dtype) {
  if (dtype > uint64_t(DType::MAX)) {
    return "dtype";
  }
  if (checkedProduct(output.dims) < 0) {
    return "dims";
  }
  int64_t rows = rowCount(output.dims);
  int64_t previous = -1;
  for (int64_t row : output.rows) {
    if (row <= previous || row >= rows) {
      return "rows";
    }
    previous = row;
  }
  int64_t given = output.rows.empty() ? rows : int64_t(output.rows.size());
  int64_t elements = 0;
  if (__builtin_mul_overflow(given, rowElements(output.dims), &elements) ||
      int64_t(output.values.size()) != elements) {
    return "values";
  }
  if (output.tolerances.size() != output.values.size()) {
    return "tolerances";
  }
  if (!output.alternatives.empty() &&
      output.alternatives.size() != output.values.size()) {
    return "alternatives";
  }
  return nullptr;
}

} // namespace

int64_t rowElements(absl::Span<const int64_t> dims) {
  return dims.empty() ? 1 : dims.back();
}

int64_t rowCount(absl::Span<const int64_t> dims) {
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < dims.size(); ++i) {
    rows *= dims[i];
  }
  return rows;
}

absl::Status writeExpectedOutputs(const std::string &path,
                                  const std::vector<ExpectedOutput> &outputs) {
  Writer writer;
  writer.word(magic);
  writer.word(outputs.size());
  for (const ExpectedOutput &output : outputs) {
    writer.string(output.name);
    writer.word(uint64_t(output.dtype));
    writer.array(output.dims);
    writer.array(output.rows);
    writer.array(output.values);
    writer.array(output.tolerances);
    writer.array(output.alternatives);
  }
  writer.word(XXH3_64bits(writer.bytes.data(), writer.bytes.size()));
  return writeOutputFile(path, {writer.bytes});
}

absl::StatusOr<std::vector<ExpectedOutput>>
readExpectedOutputs(const std::string &path) {
  absl::StatusOr<MappedFile> file = MappedFile::open(path);
  if (!file.ok()) {
    return file.status();
  }
  auto damaged = [&](absl::string_view what) {
    return absl::DataLossError(
        absl::StrCat("expected outputs '", path, "': ", what));
  };
  absl::Span<const std::byte> bytes = file->bytes();
  if (bytes.size() < 24 || bytes.size() % 8 != 0 ||
      Reader(bytes).word() != magic) {
    return damaged("not a file of expected outputs");
  }
  absl::Span<const std::byte> body = bytes.subspan(0, bytes.size() - 8);
  if (Reader(bytes.last(8)).word() != XXH3_64bits(body.data(), body.size())) {
    return damaged("checksum does not match");
  }
  Reader reader(body.subspan(8));
  std::vector<ExpectedOutput> outputs;
  uint64_t count = reader.word();
  for (uint64_t i = 0; i < count && !reader.failed; ++i) {
    ExpectedOutput output;
    output.name = reader.string();
    uint64_t dtype = reader.word();
    output.dtype = DType(dtype);
    output.dims = reader.array<int64_t>();
    output.rows = reader.array<int64_t>();
    output.values = reader.array<double>();
    output.tolerances = reader.array<double>();
    output.alternatives = reader.array<double>();
    if (const char *field = inconsistency(output, dtype);
        !reader.failed && field != nullptr) {
      return damaged(absl::StrCat("output ", i, ": inconsistent ", field));
    }
    outputs.push_back(std::move(output));
  }
  if (reader.failed || !reader.atEnd()) {
    return damaged("truncated or overlong");
  }
  return outputs;
}

} // namespace minic::runtime
