// SPDX-License-Identifier: Apache-2.0

#include "runtime/base/SparePool.h"

#include <gtest/gtest.h>

namespace minic::runtime {
namespace {

struct Counted : Spare {
  explicit Counted(int &alive) : alive(alive) { ++alive; }
  ~Counted() override { --alive; }
  int &alive;
};

TEST(SparePool, WhatIsTakenIsNotGivenTwice) {
  int alive = 0;
  SparePool pool(4);
  EXPECT_EQ(pool.take("a"), nullptr);
  auto first = std::make_unique<Counted>(alive);
  Spare *address = first.get();
  pool.give("a", std::move(first));
  EXPECT_EQ(pool.take("b"), nullptr);
  std::unique_ptr<Spare> taken = pool.take("a");
  EXPECT_EQ(taken.get(), address);
  EXPECT_EQ(pool.take("a"), nullptr);
  EXPECT_EQ(alive, 1);
  pool.give("a", std::move(taken));
  EXPECT_EQ(pool.take("a").get(), address);
  EXPECT_EQ(pool.counters().taken, 2);
  EXPECT_EQ(pool.counters().missed, 3);
  EXPECT_EQ(pool.counters().held, 0u);
}

TEST(SparePool, TheOldestGoesFirst) {
  int alive = 0;
  {
    SparePool pool(2);
    for (const char *key : {"a", "a", "b"}) {
      pool.give(key, std::make_unique<Counted>(alive));
    }
    EXPECT_EQ(alive, 2);
    EXPECT_EQ(pool.counters().held, 2u);
    EXPECT_NE(pool.take("a"), nullptr);
    EXPECT_EQ(pool.take("a"), nullptr);
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

} // namespace
} // namespace minic::runtime
