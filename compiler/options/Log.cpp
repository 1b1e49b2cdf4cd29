// SPDX-License-Identifier: Apache-2.0
//
// Topics of the log by name.

#include "compiler/options/Log.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace minic {

static constexpr llvm::StringRef topicNames[] = {
    "autotuning", "fusion", "perf-hints", "graphs",
    "phases",     "memory", "candidates", "code"};

/// What TORCH_LOGS calls a topic, or what an option prints; also in
/// docs/debugging.md.
struct TorchName {
  llvm::StringRef name, minic;
};
static constexpr TorchName torchNames[] = {
    {"benchmarking", "candidates"},
    {"cudagraphs", "graphs"},
    {"kernel_code", "code"},
    {"perf_hints", "perf-hints"},
    {"schedule", "fusion"},
    {"graph_code", "--compile-to=import"},
    {"ir_post_fusion", "--dump-ir-after=fuse"},
    {"ir_pre_fusion", "--dump-ir-after=simplify"},
    {"output_code", "--dump-kernels-to=DIR"},
    {"post_grad_graphs", "--dump-ir-after=simplify"}};

llvm::ArrayRef<llvm::StringRef> Log::topics() { return topicNames; }

std::optional<Log> Log::parse(llvm::StringRef text, std::string &error) {
  Log log;
  llvm::SmallVector<llvm::StringRef> words;
  text.split(words, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (llvm::StringRef word : words) {
    word = word.trim();
    if (word == "all") {
      log.bits = (1u << std::size(topicNames)) - 1;
      continue;
    }
    if (word == "none") {
      log.bits = 0;
      continue;
    }
    const auto *torch = llvm::find_if(
        torchNames, [&](const TorchName &each) { return each.name == word; });
    if (torch != std::end(torchNames)) {
      if (torch->minic.starts_with("--")) {
        error = (word + " of TORCH_LOGS is no topic, expected " + torch->minic)
                    .str();
        return std::nullopt;
      }
      word = torch->minic;
    }
    const auto *found = llvm::find(topicNames, word);
    if (found == std::end(topicNames)) {
      error = ("unknown log topic '" + word + "', expected all, none or " +
               llvm::join(topics(), ", "))
                  .str();
      return std::nullopt;
    }
    log.enable(static_cast<LogTopic>(found - topicNames));
  }
  return log;
}

void Log::line(LogTopic topic, const llvm::Twine &text) const {
  if (has(topic)) {
    llvm::errs() << "minic: " << text << '\n';
  }
}

void Log::block(LogTopic topic, llvm::StringRef text) const {
  if (has(topic)) {
    llvm::errs() << text;
  }
}

} // namespace minic
