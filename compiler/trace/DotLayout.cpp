// SPDX-License-Identifier: Apache-2.0
//
// Text for dot, the process, and its output cut into pictures.

#include "compiler/trace/DotLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

namespace minic::trace {

/// As a quoted string of dot's language; control characters become spaces.
static std::string inQuotes(llvm::StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
    }
    result += c == '\n' || static_cast<unsigned char>(c) >= ' ' ? c : ' ';
  }
  return result + "\"";
}

static size_t shownNodes(const DotGraph &graph) {
  size_t shown = graph.nodes.size();
  for (const RepeatedBlock &block : graph.repeats) {
    shown -= block.period * (block.count - 1);
  }
  return shown;
}

static std::string clusterHead(const RepeatedBlock &block) {
  return " subgraph cluster_" + std::to_string(block.begin) +
         " {\n  style=\"rounded,dashed\"; fontname=\"sans-serif\"; "
         "fontsize=12;\n  label=" +
         inQuotes(std::to_string(block.count) + " times") + ";\n";
}

std::string toDot(const DotGraph &graph) {
  auto shown = [&](size_t index) {
    return representative(graph.repeats, index);
  };
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "digraph " << inQuotes(graph.name)
     << " {\n rankdir=TB; bgcolor=transparent; ranksep=0.25; nodesep=0.2;\n"
        " node [shape=box, style=rounded, fontname=\"sans-serif\", "
        "fontsize=11, margin=\"0.12,0.05\", height=0.3];\n"
        " edge [arrowsize=0.6];\n";
  auto printNode = [&](size_t index) {
    std::string name = graph.name + "-" + std::to_string(index);
    os << "  " << index << " [id=" << inQuotes(name)
       << ", label=" << inQuotes(graph.nodes[index].label) << "];\n";
  };
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (llvm::none_of(graph.repeats, [&](const RepeatedBlock &block) {
          return block.contains(i);
        })) {
      printNode(i);
    }
  }
  for (const RepeatedBlock &block : graph.repeats) {
    os << clusterHead(block);
    for (size_t i = 0; i < block.period; ++i) {
      printNode(block.begin + i);
    }
    os << " }\n";
  }
  std::set<std::pair<size_t, size_t>> edges;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    for (size_t input : graph.nodes[i].inputs) {
      size_t from = shown(input), to = shown(i);
      if (!edges.insert({from, to}).second) {
        continue;
      }
      // From one repetition to the next.
      os << "  " << from << " -> " << to
         << (from >= to ? " [style=dashed, constraint=false]" : "") << ";\n";
    }
  }
  os << "}\n";
  return text;
}

/// The elements <svg>...</svg> of `output`, in their order.
static std::vector<std::string> splitSvgs(llvm::StringRef output) {
  std::vector<std::string> svgs;
  while (true) {
    size_t begin = output.find("<svg"), end = output.find("</svg>");
    if (begin == llvm::StringRef::npos || end == llvm::StringRef::npos) {
      return svgs;
    }
    end += 6;
    svgs.push_back(output.slice(begin, end).str());
    output = output.drop_front(end);
  }
}

/// What dot prints for `text`; empty with `error` set where it failed.
static std::string runDot(const std::string &program, const std::string &text,
                          std::string &error) {
  llvm::SmallString<128> input, output;
  int fd = -1;
  if (llvm::sys::fs::createTemporaryFile("minic", "dot", fd, input) ||
      llvm::sys::fs::createTemporaryFile("minic", "svg", output)) {
    error = "there is no place for temporary files";
    return "";
  }
  llvm::FileRemover removesInput(input), removesOutput(output);
  {
    llvm::raw_fd_ostream os(fd, /*shouldClose=*/true);
    os << text;
  }
  std::optional<llvm::StringRef> redirects[] = {input.str(), output.str(),
                                                llvm::StringRef("/dev/null")};
  int code =
      llvm::sys::ExecuteAndWait(program, {program, "-Tsvg"}, std::nullopt,
                                redirects, /*SecondsToWait=*/10, 0, &error);
  if (code != 0) {
    error = "Graphviz's dot failed" + (error.empty() ? "" : ": " + error);
    return "";
  }
  auto buffer = llvm::MemoryBuffer::getFile(output);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

DotPictures layOut(const std::vector<DotGraph> &graphs) {
  DotPictures pictures;
  pictures.svgs.resize(graphs.size());
  std::string text;
  std::vector<size_t> drawn;
  for (size_t i = 0; i < graphs.size(); ++i) {
    if (graphs[i].nodes.empty()) {
      continue;
    }
    if (shownNodes(graphs[i]) > mostNodesOfPicture) {
      pictures.missing = "a graph has more than " +
                         std::to_string(mostNodesOfPicture) +
                         " nodes that do not repeat; its table has them all";
      continue;
    }
    drawn.push_back(i);
    text += toDot(graphs[i]);
  }
  if (drawn.empty()) {
    return pictures;
  }
  auto program = llvm::sys::findProgramByName("dot");
  if (!program) {
    pictures.missing = "Graphviz's program dot was not found when this page "
                       "was written; install the package graphviz and write "
                       "it again for pictures of the graphs";
    return pictures;
  }
  std::string error;
  std::vector<std::string> svgs = splitSvgs(runDot(*program, text, error));
  if (svgs.size() != drawn.size()) {
    pictures.missing = error.empty() ? "Graphviz's dot failed" : error;
    return pictures;
  }
  for (size_t i = 0; i < drawn.size(); ++i) {
    pictures.svgs[drawn[i]] = std::move(svgs[i]);
  }
  return pictures;
}

} // namespace minic::trace
