// SPDX-License-Identifier: Apache-2.0
//
// One JSON object grows; the page is made of it.

#include "compiler/trace/CompileTrace.h"

#include "compiler/trace/TracePage.h"
#include "runtime/measure/OutputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace minic::trace {

CompileTrace::CompileTrace(std::string folder, std::string model)
    : folder(std::move(folder)), data({{"format", "minic-trace"},
                                       {"version", 1},
                                       {"compiler", "minic " MINIC_VERSION},
                                       {"model", std::move(model)},
                                       {"phases", Json::array()},
                                       {"functions", Json::array()},
                                       {"tuning", Json::array()}}) {}

LogicalResult CompileTrace::makeFolder(MLIRContext &context) {
  SmallVector<std::string> missing; // innermost first
  SmallString<128> place(folder);
  while (!place.empty() && !llvm::sys::fs::exists(place)) {
    missing.push_back(place.str().str());
    llvm::sys::path::remove_filename(place);
  }
  for (const std::string &each : llvm::reverse(missing)) {
    if (std::error_code error = llvm::sys::fs::create_directory(each)) {
      return emitError(UnknownLoc::get(&context))
             << "cannot write to the folder '" << folder
             << "' of --trace: " << error.message();
    }
    made.push_back(each);
  }
  if (!llvm::sys::fs::is_directory(folder)) {
    return emitError(UnknownLoc::get(&context))
           << "cannot write to the folder '" << folder
           << "' of --trace: not a folder";
  }
  return success();
}

CompileTrace::~CompileTrace() {
  for (const std::string &each : llvm::reverse(made)) {
    (void)llvm::sys::fs::remove(each);
  }
}

std::string CompileTrace::fileOf(StringRef name) const {
  SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

Json *CompileTrace::functionOf(const std::string &name) {
  for (Json &function : data["functions"]) {
    if (function["name"] == name) {
      return &function;
    }
  }
  return nullptr;
}

void CompileTrace::captured(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    data["functions"].push_back({{"name", function.getName().str()},
                                 {"captured", captureGraph(function)},
                                 {"variants", Json::array()}});
  }
}

void CompileTrace::selected(ModuleOp module,
                            const std::vector<FunctionEvidence> &evidence,
                            const Target &target, const CompileOptions &options,
                            const TuningTrace &tuning) {
  size_t at = 0;
  for (auto function : module.getOps<func::FuncOp>()) {
    const FunctionEvidence &of = evidence[at++];
    Json *entry = functionOf(of.function);
    if (!entry) {
      continue;
    }
    Json fused = fuseGraph(function, of, options.fuse);
    Json offers = offersOf(function, target, options, fused);
    linkCaptured((*entry)["captured"], fused);
    (*entry)["variants"].push_back({{"target", nullptr},
                                    {"isa", nullptr},
                                    {"threads", of.threads},
                                    {"device", of.device},
                                    {"peak_gflops", of.peakGflops * of.threads},
                                    {"memory_gbs", of.memoryGBs},
                                    {"cache_bytes", of.cacheBytes},
                                    {"versions", of.versions},
                                    {"whole_model", of.verdict},
                                    {"graph", of.graph},
                                    {"layouts", linesOf(of.layouts)},
                                    {"hints", linesOf(of.hints)},
                                    {"offers", std::move(offers)},
                                    {"fused", std::move(fused)},
                                    {"planned", nullptr}});
  }
  if (!tuning.report.empty()) {
    data["tuning"].push_back(
        {{"report", Json::parse(tuning.report, nullptr, false)},
         {"costs", tuning.costs}});
  }
}

void CompileTrace::planned(ModuleOp plan) {
  for (auto function : plan.getOps<plan::FunctionOp>()) {
    Json *entry = functionOf(function.getSymName().str());
    if (!entry || (*entry)["variants"].empty()) {
      continue;
    }
    Json &traced = (*entry)["variants"].back();
    for (auto variant : function.getBody().getOps<plan::VariantOp>()) {
      traced["target"] = variant.getTarget().str();
      traced["isa"] = Json::array();
      for (auto feature : variant.getIsa().getAsRange<StringAttr>()) {
        traced["isa"].push_back(feature.getValue().str());
      }
      traced["planned"] = planGraph(variant, traced["fused"]);
    }
  }
}

void CompileTrace::phase(StringRef name, double ms) {
  data["phases"].push_back({{"phase", name.str()}, {"ms", ms}});
}

LogicalResult CompileTrace::write(MLIRContext &context) {
  std::string json =
      data.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  std::string page = renderPage(data);
  for (auto [name, text] :
       {std::pair(jsonName, &json), std::pair(pageName, &page)}) {
    if (absl::Status status = runtime::writeOutputFile(fileOf(name), {*text});
        !status.ok()) {
      return emitError(UnknownLoc::get(&context))
             << std::string(status.message());
    }
    made.clear();
  }
  return success();
}

} // namespace minic::trace
