// SPDX-License-Identifier: Apache-2.0
//
// An artifact as the runtime opens it, and all that it reads of it before any
// of its code runs. Nothing is loaded: the kernels inside are code.

#include "runtime/base/Tensor.h"
#include "runtime/format/ArtifactReader.h"
#include "runtime/format/CallReader.h"
#include "runtime/format/CallTable.h"
#include "test/fuzz/readers/InputFile.h"
#include "test/fuzz/readers/MutateArtifact.h"

using namespace minic;
using namespace minic::format;

/// Reads every byte; AddressSanitizer watches.
static void touch(absl::Span<const std::byte> bytes) {
  volatile std::byte last = {};
  for (std::byte byte : bytes) {
    last = byte;
  }
  (void)last;
}

static void readCall(const Call &call) {
  const CallRule *rule = findCall(toView(*call.library()), toView(*call.op()));
  if (!rule) {
    fuzz::reportFinding("a call that the table does not have");
  }
  CallReader reader(call);
  callTitle(call);
  for (const RoleRule &role : rule->roles) {
    const TensorView *view = reader.view(role.name);
    if (role.isRequired && !view) {
      fuzz::reportFinding("a call without a required operand");
    }
    if (view && view->dims()->size() != view->strides()->size()) {
      fuzz::reportFinding("a view whose strides do not fit its rank");
    }
  }
  for (const AttributeRule &attribute : rule->attributes) {
    if (attribute.kind == AttributeKind::integer) {
      reader.integer(attribute.name);
    } else if (attribute.kind == AttributeKind::integers) {
      for (int64_t value : reader.integers(attribute.name)) {
        if (value < attribute.min || value > attribute.max) {
          fuzz::reportFinding("an attribute outside of its range");
        }
      }
    } else if (attribute.kind == AttributeKind::text) {
      reader.text(attribute.name);
    }
  }
  reader.activation();
  reader.algorithm();
  forEachAddress(call, [](const Address &address) {
    if (address.base() > Base::MAX) {
      fuzz::reportFinding("an address without a base");
    }
  });
}

static void
readCommands(const flatbuffers::Vector<flatbuffers::Offset<Command>> *commands,
             const ArtifactReader &reader) {
  for (uint32_t i = 0; commands && i < commands->size(); ++i) {
    const Command *command = commands->Get(i);
    if (const Launch *launch = command->operation_as_Launch()) {
      touch(reader.binary(launch->binary()).first(0));
      launch->entry()->str();
    } else if (const Call *call = command->operation_as_Call()) {
      readCall(*call);
    }
  }
}

static void readAll(const ArtifactReader &reader) {
  const Artifact &metadata = reader.metadata();
  for (uint32_t i = 0; i < metadata.binaries()->size(); ++i) {
    touch(reader.binary(i));
  }
  for (uint32_t i = 0; i < metadata.constants()->size(); ++i) {
    if (!metadata.constants()->Get(i)->external()) {
      touch(reader.constant(i));
    }
  }
  for (const Function *function : *metadata.functions()) {
    for (const auto *specs : {function->inputs(), function->outputs()}) {
      for (const TensorSpec *spec : *specs) {
        runtime::toOperandValues(spec->values());
        runtime::elementBytes(spec->dtype());
      }
    }
    for (const Variant *variant : *function->variants()) {
      readCommands(variant->prepare(), reader);
      readCommands(variant->run(), reader);
    }
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static fuzz::InputFile file;
  absl::StatusOr<ArtifactReader> reader =
      ArtifactReader::open(file.write(data, size));
  if (reader.ok()) {
    readAll(*reader);
  } else {
    fuzz::expectMessage(reader.status().message().empty());
  }
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  std::mt19937 random(seed);
  return fuzz::mutateArtifact(data, size, maxSize, random);
}
