// SPDX-License-Identifier: Apache-2.0
//
// Every row of the table, by its own rules: what each requires is missed, and
// what none has is refused.

#include "test/unit/runtime/format/SoundCalls.h"

#include <set>

namespace minic::format {
namespace {

using namespace ::minic::testing;

/// What the reader says of a call of `rule` after `change`.
std::string refusal(const CallRule &rule,
                    const std::function<void(CallT &)> &change) {
  TestArtifact artifact = soundArtifact(rule);
  change(lastCall(artifact));
  auto reader = ArtifactReader::copy(artifact.bytes(), "test");
  return reader.ok() ? "accepted" : std::string(reader.status().message());
}

template <typename List>
void erase(List &list, const std::string &name,
           std::string List::value_type::element_type::*key) {
  std::erase_if(list, [&](const auto &each) { return (*each).*key == name; });
}

std::string named(const CallRule &rule, const std::string &what) {
  return std::string(rule.library) + " " + rule.op + ": " + what;
}

TEST(CallTableTest, rowsAreOfOneOpEachAndNameEachThingOnce) {
  std::set<std::pair<std::string, std::string>> ops;
  for (const CallRule &rule : callTable()) {
    EXPECT_TRUE(ops.insert({rule.library, rule.op}).second);
    EXPECT_EQ(findCall(rule.library, rule.op), &rule);
    std::set<std::string> roles, attributes;
    for (const RoleRule &role : rule.roles) {
      EXPECT_TRUE(roles.insert(role.name).second) << role.name;
      EXPECT_LE(role.minRank, role.maxRank) << role.name;
    }
    for (const RoleRule &role : rule.roles) {
      EXPECT_TRUE(!role.dtypeOf || roles.count(role.dtypeOf)) << role.name;
    }
    for (const AttributeRule &attribute : rule.attributes) {
      EXPECT_TRUE(attributes.insert(attribute.name).second) << attribute.name;
    }
  }
  EXPECT_EQ(findCall("cublas", "matmul"), nullptr);
}

TEST(CallTableTest, soundCallsAreAccepted) {
  for (const CallRule &rule : callTable()) {
    EXPECT_EQ(refusal(rule, [](CallT &) {}), "accepted") << rule.library;
  }
}

TEST(CallTableTest, missesWhatIsRequiredAndNothingElse) {
  for (const CallRule &rule : callTable()) {
    for (const RoleRule &role : rule.roles) {
      std::string said = refusal(rule, [&](CallT &call) {
        erase(call.operands, role.name, &CallOperandT::role);
      });
      if (role.isRequired) {
        EXPECT_THAT(said, ::testing::HasSubstr(named(
                              rule, std::string("expected the operand '") +
                                        role.name + "', got none")));
      } else {
        EXPECT_EQ(said, "accepted") << role.name;
      }
    }
    for (const AttributeRule &attribute : rule.attributes) {
      std::string said = refusal(rule, [&](CallT &call) {
        erase(call.attributes, attribute.name, &CallAttributeT::name);
      });
      if (attribute.isRequired) {
        EXPECT_THAT(said, ::testing::HasSubstr(named(
                              rule, std::string("expected the attribute '") +
                                        attribute.name + "', got none")));
      } else {
        EXPECT_EQ(said, "accepted") << attribute.name;
      }
    }
  }
}

TEST(CallTableTest, refusesWhatARowDoesNotHave) {
  for (const CallRule &rule : callTable()) {
    struct Case {
      const char *message;
      std::function<void(CallT &)> change;
    } cases[] = {
        {"unknown operand 'third\\n'; known: ",
         [](CallT &call) {
           setOperand(call, "third\n", arenaView(0, {1, 1}));
         }},
        {"given twice",
         [](CallT &call) {
           call.operands.push_back(
               std::make_unique<CallOperandT>(*call.operands[0]));
         }},
        {"unknown attribute 'fast'; known: ",
         [](CallT &call) { setInteger(call, "fast", 1); }},
        {"unknown library call", [](CallT &call) { call.op = "svd"; }},
    };
    for (const Case &each : cases) {
      EXPECT_THAT(refusal(rule, each.change),
                  ::testing::HasSubstr(each.message));
    }
  }
}

TEST(CallTableTest, checksEveryOperandsView) {
  for (const CallRule &rule : callTable()) {
    for (const RoleRule &role : rule.roles) {
      struct Case {
        const char *message;
        std::function<void(TensorViewT &)> change;
      } cases[] = {
          {": unknown dtype 100",
           [](TensorViewT &view) { view.dtype = DType(100); }},
          {" strides", [](TensorViewT &view) { view.strides.pop_back(); }},
          {": stride -1 is out of range",
           [](TensorViewT &view) { view.strides[0] = -1; }},
          {": dimension -1 is out of range",
           [](TensorViewT &view) { view.dims[0] = -1; }},
          {": offset 2 is not a multiple of the element size",
           [](TensorViewT &view) {
             view.address = address(view.address->base(), 0, 2);
           }},
          {"bytes at offset 32764 do not lie within",
           [](TensorViewT &view) {
             view.address = address(Base::arena, 0, 32764);
           }},
      };
      for (const Case &each : cases) {
        std::string said = refusal(rule, [&](CallT &call) {
          // What is packed is in a constant of 2048 bytes.
          erase(call.attributes, role.packedBy ? role.packedBy : "",
                &CallAttributeT::name);
          each.change(operandOf(call, role.name));
        });
        EXPECT_THAT(said, ::testing::AllOf(::testing::HasSubstr(each.message),
                                           ::testing::HasSubstr(role.name)));
      }
    }
  }
}

TEST(CallTableTest, checksEveryAttributesTypeAndRange) {
  for (const CallRule &rule : callTable()) {
    for (const AttributeRule &attribute : rule.attributes) {
      std::string name = attribute.name;
      bool isText = attribute.kind == AttributeKind::text;
      EXPECT_THAT(refusal(rule,
                          [&](CallT &call) {
                            if (isText) {
                              setInteger(call, name, 1);
                            } else {
                              setText(call, name, "one");
                            }
                          }),
                  ::testing::HasSubstr(name + ": expected "));
      EXPECT_THAT(refusal(rule,
                          [&](CallT &call) {
                            int64_t beyond = attribute.max + 1;
                            if (isText) {
                              setText(call, name, "none of them");
                            } else if (attribute.kind ==
                                       AttributeKind::integer) {
                              setInteger(call, name, beyond);
                            } else {
                              setIntegers(call, name, {beyond, 1});
                            }
                          }),
                  ::testing::HasSubstr(name + ": expected "));
    }
  }
}

TEST(CallTableTest, aPackedOperandIsAConstant) {
  for (const CallRule &rule : callTable()) {
    for (const RoleRule &role : rule.roles) {
      if (role.packedBy) {
        EXPECT_THAT(refusal(rule,
                            [&](CallT &call) {
                              operandOf(call, role.name).address =
                                  address(Base::arena, 0, 0);
                            }),
                    ::testing::HasSubstr("packed " + std::string(role.name) +
                                         ": expected a constant"));
      }
    }
  }
}

TEST(CallTableTest, noCallTakesATensorThatIsUpdatedInPlace) {
  for (const CallRule &rule : callTable()) {
    for (Base base : {Base::input, Base::output}) {
      TestArtifact artifact = soundArtifact(rule);
      artifact.input("x", {512});
      artifact.output("y", {512});
      artifact.function().outputs[0]->in_place = 0;
      TensorViewT &view =
          operandOf(lastCall(artifact),
                    base == Base::input ? rule.roles[0].name : "result");
      view.address = address(base, 0, 0);
      auto reader = ArtifactReader::copy(artifact.bytes(), "test");
      EXPECT_THAT(
          std::string(reader.status().message()),
          ::testing::HasSubstr("takes a tensor that is updated in place"));
    }
  }
}

} // namespace
} // namespace minic::format
