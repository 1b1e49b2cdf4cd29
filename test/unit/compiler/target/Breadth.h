// SPDX-License-Identifier: Apache-2.0
//
// Every legal schedule of a fusion beside those that a search is offered.

#ifndef MINIC_TEST_UNIT_COMPILER_TARGET_BREADTH_H
#define MINIC_TEST_UNIT_COMPILER_TARGET_BREADTH_H

#include "compiler/target/Candidates.h"
#include "test/unit/dialects/kernel/ParsedFusion.h"

#include "gtest/gtest.h"

#include <set>

namespace minic::testing {

using Names = std::set<std::string>;

inline Names namesOf(ParsedFusion &parsed, const Target &target,
                     Breadth breadth) {
  std::vector<std::string> why;
  Names names;
  for (const Candidate &candidate :
       enumerateCandidates(parsed.get(), target, {BackendLabel::Generated}, why,
                           NanPolicy::Mark, /*deterministic=*/false,
                           OperandLayouts::Any, breadth)) {
    EXPECT_TRUE(names.insert(candidate.name).second) << candidate.name;
  }
  return names;
}

/// How many schedules there are beyond those that a search is offered, which
/// are all among them.
inline size_t countOthers(ParsedFusion &&parsed, const Target &target) {
  Names offered = namesOf(parsed, target, Breadth::Promising),
        all = namesOf(parsed, target, Breadth::All);
  for (const std::string &name : offered) {
    EXPECT_EQ(all.count(name), 1u) << name;
  }
  return all.size() - offered.size();
}

inline ParsedFusion linear(const std::string &m, const std::string &n,
                           const std::string &k, const std::string &dtype) {
  auto type = [&](const std::string &dims) {
    return "tensor<" + dims + "x" + dtype + ">";
  };
  std::string x = type(m + "x" + k), w = type(n + "x" + k),
              y = type(m + "x" + n);
  return ParsedFusion({x, w}, y,
                      "%y = graph.linear %0, %1 : (" + x + ", " + w + ") -> " +
                          y + "\nkernel.yield %y : " + y);
}

inline ParsedFusion softmax(const std::string &type) {
  return ParsedFusion({type}, type,
                      "%y = graph.softmax %0 axis = 1 : " + type +
                          "\nkernel.yield %y : " + type);
}

inline ParsedFusion attention(const std::string &type) {
  return ParsedFusion({type, type, type}, type,
                      "%y = graph.attention %0, %1, %2 : (" + type + ", " +
                          type + ", " + type + ") -> " + type +
                          "\nkernel.yield %y : " + type);
}

inline ParsedFusion relu(const std::string &type) {
  return ParsedFusion({type}, type,
                      "%y = graph.relu %0 : " + type +
                          "\nkernel.yield %y : " + type);
}

} // namespace minic::testing

#endif // MINIC_TEST_UNIT_COMPILER_TARGET_BREADTH_H
