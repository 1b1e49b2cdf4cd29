// SPDX-License-Identifier: Apache-2.0
//
// The matrices of wgmma, and when its products are added.

#include "test/unit/compiler/target/cuda/SimtWarpGroup.h"

#include "test/unit/compiler/target/cuda/SimtProducts.h"

namespace minic::cuda {

std::string WgmmaMatrix::parse(uint64_t descriptor, int64_t rowCount,
                               bool transposed) {
  // The address, leading and stride offsets and the layout: the base offset
  // (bits 49 to 51) is that of atoms that are not aligned.
  constexpr uint64_t known = 0xc0003fff3fff3fff;
  start = (descriptor & 0x3fff) << 4;
  stride = (descriptor >> 32 & 0x3fff) << 4;
  slab = (descriptor >> 16 & 0x3fff) << 4;
  rows = rowCount;
  isTransposed = transposed;
  uint64_t layout = descriptor >> 62;
  if (layout == 0 || (descriptor & ~known) != 0) {
    return "unknown descriptor " + std::to_string(descriptor);
  }
  rowBytes = uint64_t(256) >> layout;
  const uint64_t atom = 8 * rowBytes, inAtom = start % atom;
  bool isAligned =
      isTransposed ? inAtom == 0 && stride % atom == 0 &&
                         (uint64_t(rows) * 2 <= rowBytes || slab % atom == 0)
                   : inAtom % 32 == 0 && inAtom < rowBytes &&
                         (rows <= 8 || stride % atom == 0);
  if (!isAligned) {
    return "a matrix at " + std::to_string(start) + ", each 8 rows " +
           std::to_string(stride) + " bytes on, not aligned to " +
           std::to_string(atom);
  }
  return "";
}

std::string WgmmaMatrix::beginReads(SimtMemory &memory, int64_t warp) const {
  for (int64_t i = 0; i != lines() * chunksPerLine(); ++i) {
    uint64_t at = chunk(i / chunksPerLine(), i % chunksPerLine());
    std::string why = memory.check(/*shared=*/true, at, 16, 16);
    if (why.empty()) {
      why = memory.beginAsyncRead(at, 16, warp);
    }
    if (!why.empty()) {
      return why;
    }
  }
  return "";
}

void WgmmaMatrix::endReads(SimtMemory &memory) const {
  for (int64_t i = 0; i != lines() * chunksPerLine(); ++i) {
    memory.endAsyncRead(chunk(i / chunksPerLine(), i % chunksPerLine()), 16);
  }
}

std::vector<double> WgmmaMatrix::load(const SimtMemory &memory,
                                      mlir::FloatType type) const {
  std::vector<double> elements;
  for (int64_t i = 0; i != rows * 16; ++i) {
    int64_t line = isTransposed ? i % 16 : i / 16,
            inLine = isTransposed ? i / 16 : i % 16;
    uint64_t at = chunk(line, inLine / 8) + uint64_t(inLine % 8 * 2);
    elements.push_back(decode(memory.load(/*shared=*/true, at, 2), type));
  }
  return elements;
}

std::string WarpGroup::takeSums(WgmmaProduct &product,
                                llvm::ArrayRef<uint64_t> registers) {
  const auto count = size_t(product.registers());
  auto first = PendingSum::of(registers[0]);
  for (auto [i, bits] : llvm::enumerate(registers)) {
    auto sum = PendingSum::of(bits);
    if (sum.has_value() != first.has_value() ||
        (sum && (sum->product != first->product ||
                 sum->index != int64_t(i % count)))) {
      return "some of the sums are those of another pending wgmma";
    }
    product.sums.push_back(asFloat(bits));
  }
  if (!isFenced && (!first || !product.left.empty())) {
    return "no wgmma.fence before a wgmma that takes registers";
  }
  if (!first) {
    return "";
  }
  WgmmaProduct &before = products[first->product];
  if (before.isContinued || before.b.rows != product.b.rows) {
    return "sums of a wgmma of another shape, or that another one took";
  }
  before.isContinued = true;
  product.continues = first->product;
  return "";
}

std::string WarpGroup::issue(WgmmaProduct product,
                             llvm::ArrayRef<uint64_t> registers,
                             SimtMemory &memory, int64_t warp) {
  std::string why = takeSums(product, registers);
  if (why.empty() && product.left.empty()) {
    why = product.a.beginReads(memory, warp);
  }
  if (why.empty()) {
    why = product.b.beginReads(memory, warp);
  }
  open.push_back(products.size());
  products.push_back(std::move(product));
  return why;
}

void WarpGroup::complete(WgmmaProduct &product, SimtMemory &memory) {
  if (product.continues) {
    product.sums = std::move(products[*product.continues].sums);
  }
  if (!product.adds) {
    std::fill(product.sums.begin(), product.sums.end(), 0.0f);
  }
  bool isShared = product.left.empty();
  std::vector<double> a = isShared ? product.a.load(memory, product.type)
                                   : std::move(product.left),
                      b = product.b.load(memory, product.type);
  const int64_t count = product.registers();
  for (auto [at, sum] : llvm::enumerate(product.sums)) {
    int64_t t = int64_t(at) / count, i = int64_t(at) % count;
    int64_t row = t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8;
    int64_t column = i / 4 * 8 + t % 4 * 2 + i % 2;
    sum = addProducts(sum, llvm::ArrayRef(a).slice(size_t(row * 16)),
                      llvm::ArrayRef(b).slice(size_t(column * 16)), 16,
                      /*spareBits=*/2);
  }
  if (isShared) {
    product.a.endReads(memory);
  }
  product.b.endReads(memory);
  product.isComplete = true;
}

void WarpGroup::wait(size_t left, SimtMemory &memory) {
  for (; committed.size() > left; committed.pop_front()) {
    for (size_t number : committed.front()) {
      complete(products[number], memory);
    }
  }
}

} // namespace minic::cuda
