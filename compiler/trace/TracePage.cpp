// SPDX-License-Identifier: Apache-2.0
//
// The page's parts lie in page/ and are embedded when minic is built.

#include "compiler/trace/TracePage.h"

#include "compiler/trace/DotLayout.h"
#include "compiler/trace/PageParts.h"

#include <nlohmann/json.hpp>

namespace minic::trace {

using Json = nlohmann::ordered_json;

/// In a <script>, no text may look like its end.
static std::string embedded(const Json &data) {
  std::string result;
  for (char c : data.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    result += c == '<' ? "\\u003c" : std::string(1, c);
  }
  return result;
}

static DotGraph graphOf(const std::string &name, const Json &graph) {
  DotGraph result;
  result.name = name;
  for (const Json &node : graph["nodes"]) {
    result.nodes.push_back({node["label"], node["inputs"]});
  }
  for (const Json &block : graph["repeats"]) {
    result.repeats.push_back({block["begin"], block["period"], block["count"]});
  }
  return result;
}

/// By the name that page.js looks for.
static std::vector<DotGraph> graphsOf(const Json &data) {
  std::vector<DotGraph> graphs;
  if (!data.contains("functions")) {
    return graphs;
  }
  size_t f = 0;
  for (const Json &function : data["functions"]) {
    std::string name = "f" + std::to_string(f++);
    graphs.push_back(graphOf(name + "-captured", function["captured"]));
    size_t v = 0;
    for (const Json &variant : function["variants"]) {
      std::string in = name + "v" + std::to_string(v++);
      graphs.push_back(graphOf(in + "-fused", variant["fused"]));
      graphs.push_back(graphOf(in + "-planned", variant["planned"]));
    }
  }
  return graphs;
}

static void replace(std::string &page, const std::string &mark,
                    const std::string &text) {
  page.replace(page.find(mark), mark.size(), text);
}

std::string renderPage(const Json &data) {
  std::vector<DotGraph> graphs = graphsOf(data);
  DotPictures pictures = layOut(graphs);
  std::string svgs;
  for (size_t i = 0; i < graphs.size(); ++i) {
    svgs += "<template id=\"picture-" + graphs[i].name + "\">" +
            pictures.svgs[i] + "</template>\n";
  }
  Json shown = data;
  shown["missing_pictures"] =
      pictures.missing.empty() ? Json(nullptr) : Json(pictures.missing);
  std::string page(pageHtml);
  // The data last: they may contain anything.
  replace(page, "/*CSS*/", std::string(pageCss));
  replace(page, "/*JS*/", std::string(pageJs));
  replace(page, "<!--PICTURES-->", svgs);
  replace(page, "\"DATA\"", embedded(shown));
  return page;
}

} // namespace minic::trace
