// SPDX-License-Identifier: Apache-2.0
//
// One function per table of plan.fbs, in its order.

#include "runtime/format/MetadataChecker.h"

#include "runtime/base/Tensor.h"
#include "runtime/format/CallChecker.h"
#include "runtime/format/EntryChecker.h"
#include "runtime/format/GraphChecker.h"
#include "runtime/format/LaunchChecker.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>

namespace minic::format {

// 2^47 bytes are all a process can address.
static constexpr uint64_t kMaxBytes = uint64_t(1) << 47;
static constexpr uint32_t kMaxThreads = 4096;
static constexpr uint64_t kStatusBytes = 4;

/// Names are bytes of the file: what they have beside text must not end lines.
static std::string onOneLine(std::string text) {
  for (char &c : text) {
    c = static_cast<unsigned char>(c) < ' ' ? '?' : c;
  }
  return text;
}

template <typename... Args> static absl::Status damaged(const Args &...args) {
  return absl::DataLossError(
      onOneLine(absl::StrCat("damaged artifact: ", args...)));
}

#define RETURN_IF_ERROR(expression)                                            \
  if (absl::Status status = (expression); !status.ok()) {                      \
    return status;                                                             \
  }

absl::Status checkedBytes(const flatbuffers::Vector<int64_t> &dims, DType dtype,
                          const std::string &what, uint64_t &bytes) {
  if (dtype > DType::MAX) {
    return damaged(what, ": unknown dtype ", int(dtype));
  }
  if (!isAligned(dims)) {
    return damaged(what, ": dimensions are not aligned");
  }
  bytes = runtime::elementBytes(dtype);
  bool empty = false;
  for (int64_t dim : dims) {
    if (dim < 0) {
      return damaged(what, ": negative dimension ", dim);
    }
    empty |= dim == 0;
  }
  for (int64_t dim : dims) {
    if (!empty && bytes > kMaxBytes / uint64_t(dim)) {
      return damaged(what, ": dimensions overflow");
    }
    bytes *= uint64_t(dim);
  }
  return absl::OkStatus();
}

/// Values that a tensor of `dtype` can hold.
static absl::Status checkValues(const Values *values, DType dtype,
                                const std::string &what) {
  if (values == nullptr) {
    return absl::OkStatus();
  }
  if (values->kind() > ValuesKind::MAX) {
    return damaged(what, ": unknown kind of values ", int(values->kind()));
  }
  int64_t least = 0, greatest = 0; // of floats: none
  switch (dtype) {
  case DType::i1:
    greatest = 1;
    break;
  case DType::i8:
    least = INT8_MIN, greatest = INT8_MAX;
    break;
  case DType::u8:
    greatest = UINT8_MAX;
    break;
  case DType::i32:
    least = INT32_MIN, greatest = INT32_MAX;
    break;
  case DType::i64:
    least = INT64_MIN, greatest = INT64_MAX;
    break;
  default:
    return damaged(what, ": has values and is of floats");
  }
  if ((values->kind() == ValuesKind::mask) != (dtype == DType::i1)) {
    return damaged(what, ": values of a mask are those of i1");
  }
  if (values->lower() > values->upper() || values->lower() < least ||
      values->upper() > greatest) {
    return damaged(what, ": values ", values->lower(), " to ", values->upper());
  }
  return absl::OkStatus();
}

static absl::Status
checkSpecs(const flatbuffers::Vector<flatbuffers::Offset<TensorSpec>> &specs,
           const std::string &what) {
  std::set<std::string> names;
  for (const TensorSpec *spec : specs) {
    std::string name = absl::StrCat(what, " '", spec->name()->str(), "'");
    uint64_t bytes;
    RETURN_IF_ERROR(checkedBytes(*spec->dims(), spec->dtype(), name, bytes));
    uint32_t alignment = spec->alignment();
    if (alignment == 0 || (alignment & (alignment - 1)) != 0 ||
        alignment > 4096) {
      return damaged(name, ": alignment ", alignment,
                     " is not a power of two up to 4096");
    }
    if (!names.insert(spec->name()->str()).second) {
      return damaged(name, ": name used twice");
    }
    RETURN_IF_ERROR(checkValues(spec->values(), spec->dtype(), name));
  }
  return absl::OkStatus();
}

/// An output that is an input updated in place is of its type, and of no other
/// output's.
static absl::Status checkInPlace(const Function &function) {
  for (const TensorSpec *spec : *function.inputs()) {
    if (spec->in_place()) {
      return damaged("input '", spec->name()->str(),
                     "': in_place is an output's");
    }
  }
  std::set<uint32_t> taken;
  for (const TensorSpec *spec : *function.outputs()) {
    if (!spec->in_place()) {
      continue;
    }
    uint32_t index = *spec->in_place();
    std::string what = absl::StrCat("output '", spec->name()->str(),
                                    "': in place of input ", index);
    if (index >= function.inputs()->size()) {
      return damaged(what, ": only ", function.inputs()->size(), " exist");
    }
    if (!taken.insert(index).second) {
      return damaged(what, ": another output is, too");
    }
    const TensorSpec &input = *function.inputs()->Get(index);
    if (input.dtype() != spec->dtype() ||
        !std::equal(input.dims()->begin(), input.dims()->end(),
                    spec->dims()->begin(), spec->dims()->end())) {
      return damaged(what, ": expected its dtype and dimensions");
    }
  }
  return absl::OkStatus();
}

/// `bytes` of memory that the layout needs.
static absl::Status checkLayout(const Layout &layout,
                                const flatbuffers::Vector<int64_t> &dims,
                                DType dtype, const std::string &what,
                                uint64_t &bytes) {
  const auto &order = *layout.order();
  const auto &padded = *layout.padded();
  const auto &blockDims = *layout.block_dims();
  const auto &blockSizes = *layout.block_sizes();
  if (order.size() != dims.size() || padded.size() != dims.size() ||
      blockDims.size() != blockSizes.size()) {
    return damaged(what, ": layout's rank is not ", dims.size());
  }
  if (!isAligned(order) || !isAligned(blockDims) || !isAligned(blockSizes)) {
    return damaged(what, ": layout is not aligned");
  }
  std::vector<bool> seen(dims.size());
  for (int64_t dim : order) {
    if (dim < 0 || uint64_t(dim) >= dims.size() || seen[dim]) {
      return damaged(what, ": layout order is not a permutation");
    }
    seen[dim] = true;
  }
  RETURN_IF_ERROR(checkedBytes(padded, dtype, what, bytes));
  std::vector<int64_t> rest(padded.begin(), padded.end());
  for (uint32_t i = 0; i < blockDims.size(); ++i) {
    int64_t dim = blockDims[i], size = blockSizes[i];
    if (dim < 0 || uint64_t(dim) >= dims.size() || size <= 0 ||
        rest[dim] % size != 0) {
      return damaged(what, ": layout block [", dim, ", ", size,
                     "] does not divide its dimension");
    }
    rest[dim] /= size;
  }
  for (uint32_t i = 0; i < dims.size(); ++i) {
    if (padded[i] < dims[i]) {
      return damaged(what, ": layout pads dimension ", i, " of ", dims[i],
                     " to ", padded[i]);
    }
  }
  return absl::OkStatus();
}

static absl::Status checkConstant(const Constant &constant,
                                  uint64_t sectionBytes) {
  std::string what = absl::StrCat("constant '", constant.name()->str(), "'");
  uint64_t needed;
  RETURN_IF_ERROR(
      checkedBytes(*constant.dims(), constant.dtype(), what, needed));
  if (constant.layout()) {
    RETURN_IF_ERROR(checkLayout(*constant.layout(), *constant.dims(),
                                constant.dtype(), what, needed));
  }
  if (constant.bytes() < needed || constant.bytes() > kMaxBytes) {
    return damaged(what, ": expected ", needed, " bytes, got ",
                   constant.bytes());
  }
  if (!constant.external() &&
      (constant.offset() % 64 != 0 || constant.offset() > sectionBytes ||
       constant.bytes() > sectionBytes - constant.offset())) {
    return damaged(what, ": offset ", constant.offset(), " and size ",
                   constant.bytes(), " do not lie at a multiple of 64 within ",
                   sectionBytes, " bytes of constants");
  }
  return absl::OkStatus();
}

static absl::Status checkBinary(const Binary &binary, uint32_t index,
                                uint64_t sectionBytes) {
  if (binary.kind() > BinaryKind::MAX) {
    return damaged("binary ", index, ": unknown kind ", int(binary.kind()));
  }
  if (binary.offset() > sectionBytes ||
      binary.bytes() > sectionBytes - binary.offset()) {
    return damaged("binary ", index, ": offset ", binary.offset(), " and size ",
                   binary.bytes(), " do not lie within ", sectionBytes,
                   " bytes of binaries");
  }
  return absl::OkStatus();
}

AddressSpace::AddressSpace(const Artifact &artifact, const Function &function,
                           const Variant &variant, bool prepare)
    : prepare_(prepare) {
  for (const Constant *constant : *artifact.constants()) {
    sizes_[int(Base::constant)].push_back(constant->bytes());
  }
  sizes_[int(Base::persistent)] = {variant.persistent_bytes()};
  if (prepare) {
    return; // an arena, inputs and outputs belong to a Context
  }
  sizes_[int(Base::arena)] = {variant.arena_bytes()};
  auto add = [&](Base base, const auto &specs) {
    for (const TensorSpec *spec : specs) {
      uint64_t bytes = 0;
      // Specs were checked before; this only multiplies.
      checkedBytes(*spec->dims(), spec->dtype(), "", bytes).IgnoreError();
      sizes_[int(base)].push_back(bytes);
    }
  };
  add(Base::input, *function.inputs());
  add(Base::output, *function.outputs());
  for (uint32_t i = 0; i < function.outputs()->size(); ++i) {
    if (auto input = function.outputs()->Get(i)->in_place()) {
      inPlace_.insert({Base::output, i});
      inPlace_.insert({Base::input, *input});
    }
  }
}

bool AddressSpace::isInPlace(const Address &address) const {
  return inPlace_.count({address.base(), address.index()}) != 0;
}

absl::Status AddressSpace::check(const Address &address, uint64_t bytes,
                                 bool writes, const std::string &what) const {
  if (address.base() > Base::MAX) {
    return damaged(what, ": unknown address base ", int(address.base()));
  }
  const char *base = EnumNameBase(address.base());
  const std::vector<uint64_t> &sizes = sizes_[int(address.base())];
  if (address.index() >= sizes.size()) {
    return damaged(what, ": ", base, " ", address.index(),
                   prepare_ && sizes.empty() ? " in prepare" : "", ": only ",
                   sizes.size(), " exist");
  }
  uint64_t size = sizes[address.index()];
  if (address.offset() > size || bytes > size - address.offset()) {
    return damaged(what, ": ", bytes, " bytes at offset ", address.offset(),
                   " do not lie within ", size, " bytes of ", base, " ",
                   address.index());
  }
  bool writable = prepare_ ? address.base() == Base::persistent
                           : address.base() == Base::arena ||
                                 address.base() == Base::output;
  if (writes && !writable) {
    return damaged(what, ": ", base, " memory is read-only here");
  }
  return absl::OkStatus();
}

static absl::Status checkCommand(const Command &command,
                                 const Artifact &artifact,
                                 const Variant &variant,
                                 const AddressSpace &space) {
  if (const Launch *launch = command.operation_as_Launch()) {
    return checkLaunch(*launch, artifact, variant, space);
  }
  if (const Call *call = command.operation_as_Call()) {
    return checkCall(*call, variant.target()->string_view(), space);
  }
  if (const Copy *copy = command.operation_as_Copy()) {
    RETURN_IF_ERROR(
        space.check(*copy->source(), copy->bytes(), false, "copy source"));
    return space.check(*copy->destination(), copy->bytes(), true,
                       "copy destination");
  }
  if (const Fill *fill = command.operation_as_Fill()) {
    return space.check(*fill->destination(), fill->bytes(), true,
                       "fill destination");
  }
  return damaged("command: unknown operation ", int(command.operation_type()));
}

static absl::Status
checkCommands(const flatbuffers::Vector<flatbuffers::Offset<Command>> &commands,
              const Artifact &artifact, const Function &function,
              const Variant &variant, bool prepare) {
  AddressSpace space(artifact, function, variant, prepare);
  for (uint32_t i = 0; i < commands.size(); ++i) {
    const Command *command = commands[i];
    absl::Status status = checkCommand(*command, artifact, variant, space);
    if (command->depends()) {
      for (uint32_t dependency : *command->depends()) {
        if (status.ok() && dependency >= i) {
          status = damaged("depends on ", dependency,
                           ", which is not an earlier command");
        }
      }
    }
    if (!status.ok()) {
      return absl::DataLossError(absl::StrCat(
          status.message(), " (", prepare ? "prepare" : "run", " command ", i,
          " of function '", onOneLine(function.name()->str()), "')"));
    }
  }
  return absl::OkStatus();
}

/// A word that the runtime writes, or has the kernels write.
static bool isZeroedWord(const Variant &variant, uint64_t offset) {
  return offset % kStatusBytes == 0 && variant.zeroed_bytes() >= kStatusBytes &&
         offset <= variant.zeroed_bytes() - kStatusBytes;
}

/// Each is of a dimension of its own, which EntryChecker looks up, at a place
/// of its own.
static absl::Status checkSizeWords(const Variant &variant) {
  int64_t before = -1;
  std::set<uint64_t> taken;
  if (variant.status()) {
    taken.insert(*variant.status());
  }
  for (uint32_t i = 0; variant.sizes() && i < variant.sizes()->size(); ++i) {
    const SizeWord &word = *variant.sizes()->Get(i);
    if (!isZeroedWord(variant, word.offset())) {
      return damaged("variant size word: offset ", word.offset(),
                     " is not a multiple of ", kStatusBytes, " within ",
                     variant.zeroed_bytes(), " zeroed bytes");
    }
    if (word.dim() <= before || !taken.insert(word.offset()).second) {
      return damaged("variant size word: dimension ", word.dim(),
                     " does not ascend, or has the place of another word");
    }
    before = word.dim();
  }
  return absl::OkStatus();
}

static absl::Status checkVariant(const Variant &variant,
                                 const Artifact &artifact,
                                 const Function &function) {
  if (variant.threads() == 0 || variant.threads() > kMaxThreads) {
    return damaged("variant threads: expected 1 to ", kMaxThreads, ", got ",
                   variant.threads());
  }
  for (uint64_t bytes : {variant.arena_bytes(), variant.persistent_bytes()}) {
    if (bytes % 64 != 0 || bytes > kMaxBytes) {
      return damaged("variant memory: ", bytes,
                     " bytes are not a multiple of 64 in range");
    }
  }
  if (variant.zeroed_bytes() > variant.arena_bytes()) {
    return damaged("variant memory: ", variant.zeroed_bytes(),
                   " zeroed bytes in an arena of ", variant.arena_bytes());
  }
  if (variant.status() && !isZeroedWord(variant, *variant.status())) {
    return damaged("variant status word: offset ", *variant.status(),
                   " is not a multiple of ", kStatusBytes, " within ",
                   variant.zeroed_bytes(), " zeroed bytes");
  }
  RETURN_IF_ERROR(checkSizeWords(variant));
  if (variant.graph()) {
    RETURN_IF_ERROR(checkGraph(*variant.graph()));
  }
  if (variant.prepare()) {
    RETURN_IF_ERROR(
        checkCommands(*variant.prepare(), artifact, function, variant, true));
  }
  return checkCommands(*variant.run(), artifact, function, variant, false);
}

absl::Status checkMetadata(const Artifact &artifact, SectionBytes sections) {
  for (const Constant *constant : *artifact.constants()) {
    RETURN_IF_ERROR(checkConstant(*constant, sections.constants));
  }
  for (uint32_t i = 0; i < artifact.binaries()->size(); ++i) {
    RETURN_IF_ERROR(
        checkBinary(*artifact.binaries()->Get(i), i, sections.binaries));
  }
  std::set<std::string> names;
  for (const Function *function : *artifact.functions()) {
    if (!names.insert(function->name()->str()).second) {
      return damaged("function '", function->name()->str(),
                     "': name used twice");
    }
    RETURN_IF_ERROR(checkSpecs(*function->inputs(), "input"));
    RETURN_IF_ERROR(checkSpecs(*function->outputs(), "output"));
    RETURN_IF_ERROR(checkInPlace(*function));
    for (const Variant *variant : *function->variants()) {
      RETURN_IF_ERROR(checkVariant(*variant, artifact, *function));
    }
  }
  return checkEntries(artifact);
}

} // namespace minic::format
