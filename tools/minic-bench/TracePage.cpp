// SPDX-License-Identifier: Apache-2.0
//
// The page has a script element for a run, with "null" in it at first.

#include "tools/minic-bench/TracePage.h"

#include "runtime/base/MappedFile.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

#include "nlohmann/json.hpp"

namespace minic::tools {

absl::StatusOr<std::string> putIntoPage(const std::string &path,
                                        const std::string &trace) {
  absl::StatusOr<runtime::MappedFile> file = runtime::MappedFile::open(path);
  if (!file.ok()) {
    return file.status();
  }
  std::string page(reinterpret_cast<const char *>(file->bytes().data()),
                   file->bytes().size());
  constexpr const char *begin = "<script type=\"application/json\" id=\"run\">";
  size_t place = page.find(begin);
  size_t end = place == page.npos ? page.npos : page.find("</script>", place);
  if (end == page.npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("--trace-page: '", path,
                     "': expected a page that minic --trace wrote"));
  }
  place += std::char_traits<char>::length(begin);
  // No text of the run may look like the element's end.
  std::string run = nlohmann::ordered_json::parse(trace).dump();
  page.replace(place, end - place,
               absl::StrReplaceAll(run, {{"<", "\\u003c"}}));
  return page;
}

} // namespace minic::tools
