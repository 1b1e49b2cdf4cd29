// SPDX-License-Identifier: Apache-2.0
//
// Tables of the plan outside an artifact: as readers see them, and views to put
// into them.

#ifndef MINIC_TEST_UNIT_RUNTIME_TESTING_PACKEDTABLE_H
#define MINIC_TEST_UNIT_RUNTIME_TESTING_PACKEDTABLE_H

#include "runtime/format/plan_generated.h"

#include <memory>
#include <vector>

namespace minic::testing {

/// Owns a table as the artifact would.
template <typename Table> class PackedTable {
public:
  explicit PackedTable(const typename Table::NativeTableType &native) {
    builder.Finish(Table::Pack(builder, &native));
  }
  const Table &operator*() const {
    return *flatbuffers::GetRoot<Table>(builder.GetBufferPointer());
  }

private:
  flatbuffers::FlatBufferBuilder builder;
};

/// `strides` in elements.
inline std::unique_ptr<format::TensorViewT>
tensorView(format::Address address, std::vector<int64_t> dims,
           std::vector<int64_t> strides,
           format::DType dtype = format::DType::f32) {
  auto view = std::make_unique<format::TensorViewT>();
  view->address = std::make_unique<format::Address>(address);
  view->dtype = dtype;
  view->dims = std::move(dims);
  view->strides = std::move(strides);
  return view;
}

} // namespace minic::testing

#endif // MINIC_TEST_UNIT_RUNTIME_TESTING_PACKEDTABLE_H
