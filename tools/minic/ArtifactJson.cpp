// SPDX-License-Identifier: Apache-2.0
//
// Fields in the order of the printed text; null for what is not known.

#include "tools/minic/ArtifactJson.h"

#include "compiler/driver/StoredNumerics.h"
#include "compiler/explain/Evidence.h"
#include "runtime/base/Tensor.h"
#include "runtime/format/CallReader.h"

#include <nlohmann/json.hpp>

namespace minic {

using Json = nlohmann::ordered_json;

static std::string print(const Json &json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

static Json head(const char *format, const format::Artifact &metadata) {
  return {{"format", format},
          {"version", 1},
          {"compiler", metadata.compiler()->str()}};
}

static Json orNull(double value, bool isKnown) {
  return isKnown ? Json(value) : Json(nullptr);
}

static Json orNull(const std::string &text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

/// Its lines.
static Json linesOf(const std::string &text) {
  Json lines = Json::array();
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

static Json toJson(
    const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>> *list) {
  Json result = Json::array();
  for (size_t i = 0; list && i < list->size(); ++i) {
    result.push_back((*list)[i]->str());
  }
  return result;
}

//===----------------------------------------------------------------------===//
// explain
//===----------------------------------------------------------------------===//

static Json toJson(const FunctionEvidence &function,
                   const FusionEvidence &fusion) {
  double roofline = fusion.rooflineUs;
  Json json = {{"fusion", fusion.label},
               {"implementation", fusion.choice},
               {"parts", fusion.parts},
               {"candidate", orNull(fusion.candidate)},
               {"problem", orNull(fusion.problem)},
               {"chosen_by", fusion.origin},
               {"reason", fusion.reason},
               {"flops", fusion.flops},
               {"bytes", fusion.bytes},
               {"time_us", orNull(fusion.timeUs, fusion.timeUs > 0)},
               {"roofline_us", orNull(roofline, roofline > 0)},
               {"verified", nullptr},
               {"runner_up", nullptr}};
  if (fusion.maxAbsoluteError >= 0) {
    json["verified"] = {{"max_absolute_error", fusion.maxAbsoluteError},
                        {"error_over_tolerance", fusion.errorOverTolerance}};
  }
  if (!fusion.runnerUp.empty()) {
    json["runner_up"] = {{"candidate", fusion.runnerUp},
                         {"time_ratio", fusion.runnerUpRatio}};
  }
  return json;
}

static Json explain(const format::Variant &variant) {
  Json json = {{"target", variant.target()->str()},
               {"isa", toJson(variant.isa())},
               {"threads", variant.threads()},
               {"evidence", nullptr}};
  std::optional<FunctionEvidence> evidence;
  if (variant.evidence()) {
    evidence = parseEvidence(variant.evidence()->str());
  }
  if (!evidence) {
    return json;
  }
  Json fusions = Json::array();
  for (const FusionEvidence &fusion : evidence->fusions) {
    fusions.push_back(toJson(*evidence, fusion));
  }
  json["evidence"] = {{"device", evidence->device},
                      {"versions", evidence->versions},
                      {"fusions", std::move(fusions)},
                      {"whole_model", orNull(evidence->verdict)},
                      {"graph", orNull(evidence->graph)},
                      {"changed_pointers", linesOf(evidence->pointers)},
                      {"padding", linesOf(evidence->padding)},
                      {"layouts", linesOf(evidence->layouts)},
                      {"hints", linesOf(evidence->hints)}};
  return json;
}

std::string explainJson(const format::Artifact &metadata) {
  Json json = head("minic-explain", metadata);
  json["functions"] = Json::array();
  for (const format::Function *function : *metadata.functions()) {
    Json variants = Json::array();
    for (const format::Variant *variant : *function->variants()) {
      variants.push_back(explain(*variant));
    }
    json["functions"].push_back(
        {{"name", function->name()->str()}, {"variants", std::move(variants)}});
  }
  return print(json);
}

//===----------------------------------------------------------------------===//
// inspect
//===----------------------------------------------------------------------===//

static Json dimsOf(const flatbuffers::Vector<int64_t> &dims) {
  return Json(std::vector<int64_t>(dims.begin(), dims.end()));
}

static Json toJson(const format::TensorSpec &spec) {
  return {{"name", spec.name()->str()},
          {"dtype", format::EnumNameDType(spec.dtype())},
          {"dims", dimsOf(*spec.dims())},
          {"alignment", spec.alignment()}};
}

static Json toJson(const format::Command &command) {
  const flatbuffers::String *label = command.label();
  Json json = {{"command", nullptr}, {"label", label ? label->str() : ""}};
  if (const format::Launch *launch = command.operation_as_Launch()) {
    json["command"] = "launch";
    json["kernel"] = launch->entry()->str();
    json["grid"] = dimsOf(*launch->grid());
  } else if (const format::Call *call = command.operation_as_Call()) {
    json["command"] = "call";
    json["library_call"] = format::callName(*call);
  } else if (const format::Copy *copy = command.operation_as_Copy()) {
    json["command"] = "copy";
    json["bytes"] = copy->bytes();
  } else {
    json["command"] = "fill";
    json["bytes"] = command.operation_as_Fill()->bytes();
  }
  return json;
}

static Json inspect(const format::Variant &variant) {
  Json commands = Json::array();
  for (const format::Command *command : *variant.run()) {
    commands.push_back(toJson(*command));
  }
  return {{"target", variant.target()->str()},
          {"isa", toJson(variant.isa())},
          {"threads", variant.threads()},
          {"arena_bytes", variant.arena_bytes()},
          {"live_bytes", variant.live_bytes()},
          {"commands", std::move(commands)}};
}

static Json inspect(const format::Function &function) {
  Json json = {{"name", function.name()->str()},
               {"inputs", Json::array()},
               {"outputs", Json::array()},
               {"flops", function.flops()},
               {"variants", Json::array()}};
  for (const format::TensorSpec *spec : *function.inputs()) {
    json["inputs"].push_back(toJson(*spec));
    if (auto values = runtime::toOperandValues(spec->values())) {
      json["inputs"].back()["values"] = {
          {"kind", format::EnumNameValuesKind(values->kind)},
          {"lower", values->lower},
          {"upper", values->upper}};
    }
  }
  for (const format::TensorSpec *spec : *function.outputs()) {
    json["outputs"].push_back(toJson(*spec));
    if (spec->in_place()) {
      json["outputs"].back()["in_place"] = *spec->in_place();
    }
  }
  for (const format::Variant *variant : *function.variants()) {
    json["variants"].push_back(inspect(*variant));
  }
  return json;
}

static Json inspect(const format::Entry &entry,
                    const format::Artifact &metadata) {
  Json json = {{"name", entry.name()->str()},
               {"dims", Json::array()},
               {"buckets", Json::array()}};
  for (const format::EntryDim *dim : *entry.dims()) {
    json["dims"].push_back(dim->name()->str());
  }
  for (const format::Bucket *bucket : *entry.buckets()) {
    json["buckets"].push_back(
        {{"sizes", dimsOf(*bucket->sizes())},
         {"function",
          metadata.functions()->Get(bucket->function())->name()->str()}});
  }
  return json;
}

std::string inspectJson(const format::ArtifactReader &artifact) {
  using format::SectionKind;
  const format::Artifact &metadata = artifact.metadata();
  Json json = head("minic-inspect", metadata);
  json["weights"] = nullptr;
  if (metadata.weights_path() && metadata.weights_path()->size()) {
    json["weights"] = {{"path", metadata.weights_path()->str()},
                       {"xxh3", metadata.weights_hash()->str()}};
  }
  json["cast_weights"] = orNull(storedCastWeights(artifact));
  for (auto [kind, name] : {std::pair(SectionKind::metadata, "metadata"),
                            std::pair(SectionKind::binaries, "binaries"),
                            std::pair(SectionKind::constants, "constants"),
                            std::pair(SectionKind::model, "model")}) {
    json["section_bytes"][name] = artifact.section(kind).size();
  }
  json["constants"] = Json::array();
  for (const format::Constant *constant : *metadata.constants()) {
    json["constants"].push_back(
        {{"name", constant->name()->str()},
         {"dtype", format::EnumNameDType(constant->dtype())},
         {"dims", dimsOf(*constant->dims())},
         {"packed", constant->layout() != nullptr},
         {"external", bool(constant->external())},
         {"bytes", constant->bytes()}});
  }
  json["binaries"] = Json::array();
  for (const format::Binary *binary : *metadata.binaries()) {
    json["binaries"].push_back(
        {{"kind", format::EnumNameBinaryKind(binary->kind())},
         {"arch", binary->arch()->str()},
         {"bytes", binary->bytes()}});
  }
  json["entries"] = Json::array();
  for (uint32_t i = 0; metadata.entries() && i < metadata.entries()->size();
       ++i) {
    json["entries"].push_back(inspect(*metadata.entries()->Get(i), metadata));
  }
  json["functions"] = Json::array();
  for (const format::Function *function : *metadata.functions()) {
    json["functions"].push_back(inspect(*function));
  }
  return print(json);
}

} // namespace minic
