// SPDX-License-Identifier: Apache-2.0
//
// The text that dot gets; the program itself is tried by trace.test.

#include "compiler/trace/DotLayout.h"

#include <gtest/gtest.h>

namespace minic::trace {
namespace {

TEST(DotLayoutTest, quotesLabels) {
  DotGraph graph;
  graph.name = "g";
  graph.nodes = {{"a\"];b\\\n<script>\x01", {}}};
  std::string text = toDot(graph);
  EXPECT_NE(text.find("label=\"a\\\"];b\\\\\n<script> \""), std::string::npos)
      << text;
}

TEST(DotLayoutTest, drawsARepetitionOnce) {
  DotGraph graph;
  graph.name = "g";
  for (size_t i = 0; i < 10; ++i) {
    graph.nodes.push_back(
        {"op", i ? std::vector<size_t>{i - 1} : std::vector<size_t>{}});
  }
  graph.repeats = {{1, 4, 2}};
  std::string text = toDot(graph);
  EXPECT_NE(text.find("4 [id=\"g-4\""), std::string::npos) << text;
  EXPECT_EQ(text.find("5 [id=\"g-5\""), std::string::npos) << text;
  // From its last op on to the first, and out.
  EXPECT_NE(text.find("4 -> 1 [style=dashed"), std::string::npos) << text;
  EXPECT_NE(text.find("4 -> 9;"), std::string::npos) << text;
  EXPECT_NE(text.find("2 times"), std::string::npos) << text;
}

TEST(DotLayoutTest, drawsEachStretchOfLayersOnce) {
  DotGraph graph;
  graph.name = "g";
  for (size_t i = 0; i < 21; ++i) {
    graph.nodes.push_back(
        {"op", i ? std::vector<size_t>{i - 1} : std::vector<size_t>{}});
  }
  graph.repeats = {{0, 4, 2}, {9, 4, 3}};
  std::string text = toDot(graph);
  EXPECT_EQ(text.find("5 [id=\"g-5\""), std::string::npos) << text;
  EXPECT_NE(text.find("8 [id=\"g-8\""), std::string::npos) << text;
  EXPECT_NE(text.find("12 [id=\"g-12\""), std::string::npos) << text;
  EXPECT_EQ(text.find("13 [id=\"g-13\""), std::string::npos) << text;
  // Out of the first, into the second and on in it.
  EXPECT_NE(text.find(" 3 -> 8;"), std::string::npos) << text;
  EXPECT_NE(text.find(" 8 -> 9;"), std::string::npos) << text;
  EXPECT_NE(text.find(" 12 -> 9 [style=dashed"), std::string::npos) << text;
  EXPECT_NE(text.find("2 times"), std::string::npos) << text;
  EXPECT_NE(text.find("3 times"), std::string::npos) << text;
}

TEST(DotLayoutTest, leavesOutWhatTakesTooLong) {
  DotGraph graph;
  graph.name = "g";
  graph.nodes.resize(mostNodesOfPicture + 1);
  DotPictures pictures = layOut({graph});
  ASSERT_EQ(pictures.svgs.size(), 1u);
  EXPECT_TRUE(pictures.svgs[0].empty());
  EXPECT_NE(pictures.missing.find("its table has them all"), std::string::npos);
}

} // namespace
} // namespace minic::trace
