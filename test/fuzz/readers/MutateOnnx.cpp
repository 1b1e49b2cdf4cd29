// SPDX-License-Identifier: Apache-2.0
//
// One function per kind of change, and a table of them.

#include "test/fuzz/readers/MutateOnnx.h"

#include "compiler/import/onnx/OpTable.h"

#include <cstdint>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

namespace minic::fuzz {

using namespace ::onnx;
using Random = std::mt19937;

/// Numbers at which code decides: axes, sizes, limits of types.
static int64_t interesting(Random &random) {
  static constexpr int64_t small[] = {0,  1,   2,   3,  4,  5,  7,  8, 16,
                                      64, 255, 256, -1, -2, -3, -4, -5};
  static constexpr int64_t large[] = {
      1 << 16,          1 << 24,   INT32_MAX, INT32_MIN,     UINT32_MAX,
      INT64_C(1) << 32, INT64_MAX, INT64_MIN, INT64_MAX - 1, INT64_C(1) << 47};
  // Small ones mostly: others are refused early.
  return random() % 4 ? small[random() % std::size(small)]
                      : large[random() % std::size(large)];
}

/// A random element; null where there is none.
template <typename List> static auto *pick(List *list, Random &random) {
  return list->empty() ? nullptr : list->Mutable(int(random() % list->size()));
}

static const std::vector<const OpEntry *> &allOps() {
  static const std::vector<const OpEntry *> ops = [] {
    std::vector<const OpEntry *> all;
    for (const OpKind &kind : opKinds()) {
      for (const OpEntry &entry : kind.ops) {
        all.push_back(&entry);
      }
    }
    return all;
  }();
  return ops;
}

/// Names of attributes, and texts that they have.
static const char *attributeName(Random &random) {
  static const char *const names[] = {"axes",
                                      "axis",
                                      "alpha",
                                      "auto_pad",
                                      "beta",
                                      "blocksize",
                                      "ceil_mode",
                                      "count_include_pad",
                                      "dilations",
                                      "direction",
                                      "epsilon",
                                      "exclusive",
                                      "group",
                                      "hidden_size",
                                      "input_forget",
                                      "interleaved",
                                      "is_causal",
                                      "k",
                                      "keepdims",
                                      "kernel_shape",
                                      "kv_num_heads",
                                      "largest",
                                      "layout",
                                      "local_window_size",
                                      "mode",
                                      "num_groups",
                                      "num_heads",
                                      "num_outputs",
                                      "output_padding",
                                      "output_shape",
                                      "p",
                                      "pads",
                                      "perm",
                                      "q_num_heads",
                                      "reverse",
                                      "rotary_embedding_dim",
                                      "scale",
                                      "select_last_index",
                                      "softcap",
                                      "split",
                                      "stash_type",
                                      "storage_order",
                                      "strides",
                                      "to",
                                      "transA",
                                      "transB",
                                      "unidirectional",
                                      "upper",
                                      "value",
                                      "value_ints"};
  return names[random() % std::size(names)];
}
static const char *attributeText(Random &random) {
  static const char *const texts[] = {"SAME_UPPER",
                                      "SAME_LOWER",
                                      "VALID",
                                      "NOTSET",
                                      "constant",
                                      "edge",
                                      "reflect",
                                      "wrap",
                                      "linear",
                                      "cubic",
                                      "nearest",
                                      "half_pixel",
                                      "align_corners",
                                      "asymmetric",
                                      "pytorch_half_pixel",
                                      "tf_crop_and_resize",
                                      "floor",
                                      "ceil",
                                      "forward",
                                      "reverse",
                                      "bidirectional",
                                      "none",
                                      "tanh",
                                      "add",
                                      "mul",
                                      "min",
                                      "max",
                                      "mean",
                                      "sum",
                                      "DCR",
                                      "CRD",
                                      "zeros",
                                      "border",
                                      "ij,jk->ik",
                                      "...ii->...i",
                                      "i,i->",
                                      "b...,b...->...b"};
  return texts[random() % std::size(texts)];
}

/// A dtype that is there, or one that is not.
static int dtype(Random &random) { return int(random() % 24); }

/// A value that the graph has; "", an absent operand, now and then.
static std::string valueName(const GraphProto &graph, Random &random) {
  std::vector<const std::string *> names;
  for (const auto &input : graph.input()) {
    names.push_back(&input.name());
  }
  for (const auto &tensor : graph.initializer()) {
    names.push_back(&tensor.name());
  }
  for (const auto &node : graph.node()) {
    for (const auto &output : node.output()) {
      names.push_back(&output);
    }
  }
  return names.empty() || random() % 16 == 0 ? ""
                                             : *names[random() % names.size()];
}

static void changeBytes(std::string &bytes, Random &random) {
  size_t size = bytes.size(), maxSize = size + 8;
  bytes.resize(maxSize);
  bytes.resize(
      LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(bytes.data()), size,
                       random() % 4 ? std::max<size_t>(size, 1) : maxSize));
}

template <typename List> static void changeInts(List *list, Random &random) {
  switch (random() % 4) {
  case 0:
    list->Add(typename List::value_type(interesting(random)));
    break;
  case 1:
    if (!list->empty()) {
      list->RemoveLast();
    }
    break;
  default:
    if (!list->empty()) {
      list->Set(int(random() % list->size()),
                typename List::value_type(interesting(random)));
    }
  }
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static void changeTensor(TensorProto &tensor, Random &random) {
  switch (random() % 8) {
  case 0:
    tensor.set_data_type(dtype(random));
    break;
  case 1:
  case 2:
    changeInts(tensor.mutable_dims(), random);
    break;
  case 3:
    changeInts(tensor.mutable_int64_data(), random);
    break;
  case 4: {
    // A list of integers that fits its shape: axes, pads, a shape.
    int count = int(random() % 5);
    tensor.Clear();
    tensor.set_data_type(random() % 2 ? TensorProto::INT64
                                      : TensorProto::INT32);
    tensor.add_dims(count);
    for (int i = 0; i < count; ++i) {
      int64_t value = interesting(random);
      tensor.data_type() == TensorProto::INT64
          ? tensor.add_int64_data(value)
          : tensor.add_int32_data(int32_t(value));
    }
    break;
  }
  case 5: {
    tensor.set_data_location(TensorProto::EXTERNAL);
    tensor.clear_raw_data();
    tensor.clear_external_data();
    auto add = [&](const char *key, const std::string &value) {
      auto *entry = tensor.add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    };
    add("location", random() % 4 ? "weights.bin" : "../weights.bin");
    add("offset", std::to_string(interesting(random)));
    add("length", std::to_string(interesting(random)));
    break;
  }
  default:
    changeBytes(*tensor.mutable_raw_data(), random);
  }
}

static void changeInitializer(ModelProto &model, Random &random) {
  GraphProto &graph = *model.mutable_graph();
  if (TensorProto *tensor = pick(graph.mutable_initializer(), random)) {
    std::string name = tensor->name();
    changeTensor(*tensor, random);
    tensor->set_name(name);
  }
}

/// An input that becomes known, as a list of integers.
static void makeKnown(ModelProto &model, Random &random) {
  GraphProto &graph = *model.mutable_graph();
  if (graph.input().empty()) {
    return;
  }
  int i = int(random() % graph.input_size());
  TensorProto *tensor = graph.add_initializer();
  tensor->set_name(graph.input(i).name());
  tensor->set_data_type(TensorProto::INT64);
  int rank = int(random() % 3), count = 1;
  for (int axis = 0; axis < rank; ++axis) {
    int dim = 1 + int(random() % 3);
    tensor->add_dims(dim);
    count *= dim;
  }
  for (int element = 0; element < count; ++element) {
    tensor->add_int64_data(interesting(random));
  }
  graph.mutable_input()->DeleteSubrange(i, 1);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static void changeOp(ModelProto &model, Random &random) {
  if (NodeProto *node = pick(model.mutable_graph()->mutable_node(), random)) {
    const OpEntry &entry = *allOps()[random() % allOps().size()];
    node->set_op_type(entry.name.str());
    node->set_domain(entry.domain.str());
  }
}

static void changeOperand(ModelProto &model, Random &random) {
  GraphProto &graph = *model.mutable_graph();
  NodeProto *node = pick(graph.mutable_node(), random);
  if (!node) {
    return;
  }
  switch (random() % 4) {
  case 0:
    node->add_input(valueName(graph, random));
    break;
  case 1:
    if (node->input_size()) {
      node->mutable_input()->RemoveLast();
    }
    break;
  default:
    if (node->input_size()) {
      node->set_input(int(random() % node->input_size()),
                      valueName(graph, random));
    }
  }
}

static void changeResults(ModelProto &model, Random &random) {
  NodeProto *node = pick(model.mutable_graph()->mutable_node(), random);
  if (!node) {
    return;
  }
  if (random() % 2) {
    node->add_output("more" + std::to_string(random() % 1000));
  } else if (node->output_size()) {
    node->mutable_output()->RemoveLast();
  }
}

static void changeAttribute(ModelProto &model, Random &random) {
  GraphProto &graph = *model.mutable_graph();
  NodeProto *node = pick(graph.mutable_node(), random);
  AttributeProto *attribute =
      node ? pick(node->mutable_attribute(), random) : nullptr;
  if (!attribute) {
    return;
  }
  switch (random() % 8) {
  case 0:
    node->mutable_attribute()->RemoveLast();
    return;
  case 1:
    // That of another node.
    if (const NodeProto *other = pick(graph.mutable_node(), random);
        other && other->attribute_size()) {
      *node->add_attribute() =
          other->attribute(int(random() % other->attribute_size()));
    }
    return;
  case 2:
    attribute->set_f(random() % 2 ? float(interesting(random)) : 0.5f);
    return;
  case 3:
    attribute->set_s(attributeText(random));
    return;
  default:
    break;
  }
  if (attribute->has_t()) {
    changeTensor(*attribute->mutable_t(), random);
  } else if (attribute->has_s()) {
    changeBytes(*attribute->mutable_s(), random);
  } else if (attribute->ints_size()) {
    changeInts(attribute->mutable_ints(), random);
  } else {
    attribute->set_i(random() % 4 ? interesting(random) : dtype(random));
  }
}

static void addAttribute(ModelProto &model, Random &random) {
  NodeProto *node = pick(model.mutable_graph()->mutable_node(), random);
  if (!node) {
    return;
  }
  AttributeProto &attribute = *node->add_attribute();
  attribute.set_name(attributeName(random));
  attribute.set_i(interesting(random));
  attribute.set_f(random() % 2 ? float(interesting(random)) : 0.5f);
  if (random() % 2) {
    attribute.set_s(attributeText(random));
  }
  for (uint32_t count = random() % 6; count > 0; --count) {
    attribute.add_ints(interesting(random));
  }
}

static void moveNodes(ModelProto &model, Random &random) {
  auto &nodes = *model.mutable_graph()->mutable_node();
  if (nodes.empty()) {
    return;
  }
  int i = int(random() % nodes.size());
  switch (random() % 3) {
  case 0:
    nodes.DeleteSubrange(i, 1);
    break;
  case 1:
    nodes.SwapElements(i, int(random() % nodes.size()));
    break;
  default: {
    // A second one after it, of the first one's results.
    NodeProto copy = nodes.Get(i);
    for (int k = 0; k < copy.input_size() && k < nodes.Get(i).output_size();
         ++k) {
      copy.set_input(k, nodes.Get(i).output(k));
    }
    for (std::string &output : *copy.mutable_output()) {
      output += "'";
    }
    *nodes.Add() = copy;
  }
  }
}

//===----------------------------------------------------------------------===//
// The graph's edges
//===----------------------------------------------------------------------===//

static void changeInput(ModelProto &model, Random &random) {
  ValueInfoProto *input = pick(model.mutable_graph()->mutable_input(), random);
  if (!input) {
    return;
  }
  auto *type = input->mutable_type()->mutable_tensor_type();
  auto *dims = type->mutable_shape()->mutable_dim();
  switch (random() % 5) {
  case 0:
    type->set_elem_type(dtype(random));
    break;
  case 1:
    dims->Add()->set_dim_value(1 + random() % 8);
    break;
  case 2:
    if (!dims->empty()) {
      dims->RemoveLast();
    }
    break;
  default:
    if (auto *dim = pick(dims, random)) {
      dim->set_dim_value(interesting(random));
    }
  }
}

static void changeOutput(ModelProto &model, Random &random) {
  GraphProto &graph = *model.mutable_graph();
  ValueInfoProto *output = random() % 2 || graph.output().empty()
                               ? graph.add_output()
                               : pick(graph.mutable_output(), random);
  output->set_name(valueName(graph, random));
  output->clear_type();
}

static void changeVersions(ModelProto &model, Random &random) {
  if (auto *import = pick(model.mutable_opset_import(), random)) {
    import->set_version(random() % 8 ? 1 + int64_t(random() % 28)
                                     : interesting(random));
  }
}

void mutate(ModelProto &model, Random &random) {
  using Change = void (*)(ModelProto &, Random &);
  static constexpr Change changes[] = {
      changeInitializer, changeInitializer, makeKnown,     changeOp,
      changeOperand,     changeOperand,     changeResults, changeAttribute,
      changeAttribute,   changeAttribute,   addAttribute,  moveNodes,
      changeInput,       changeInput,       changeOutput,  changeVersions};
  changes[random() % std::size(changes)](model, random);
}

void addFrom(const ModelProto &other, ModelProto &model, Random &random) {
  GraphProto &graph = *model.mutable_graph();
  for (const TensorProto &tensor : other.graph().initializer()) {
    *graph.add_initializer() = tensor;
  }
  for (const NodeProto &node : other.graph().node()) {
    NodeProto &added = *graph.add_node();
    added = node;
    for (std::string &input : *added.mutable_input()) {
      if (random() % 2) {
        input = valueName(graph, random);
      }
    }
    for (std::string &output : *added.mutable_output()) {
      output += "\"";
    }
  }
  for (const FunctionProto &function : other.functions()) {
    *model.add_functions() = function;
  }
  changeOutput(model, random);
}

} // namespace minic::fuzz
