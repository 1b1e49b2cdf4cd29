// SPDX-License-Identifier: Apache-2.0
//
// Walks the destination in order. Nearly all time goes to the two innermost
// axes, which are copied as a matrix: as contiguous rows where the source has
// them, as a tiled transpose where the source is contiguous the other way. An
// innermost block of adjacent elements (bf16 pairs) is moved as one element.

#include "runtime/format/Packer.h"

#include <algorithm>
#include <cstring>

namespace minic::runtime {

int64_t BlockedLayout::elements() const {
  int64_t count = 1;
  for (int64_t extent : padded) {
    count *= extent;
  }
  return count;
}

int64_t BlockedLayout::outermost() const {
  if (order.empty()) {
    return 1;
  }
  int64_t extent = padded[order[0]];
  for (size_t b = 0; b < blockDims.size(); ++b) {
    extent /= blockDims[b] == order[0] ? blockSizes[b] : 1;
  }
  return extent;
}

namespace {

/// An axis of the destination: index i stands for i * step in dimension `dim`.
struct Axis {
  int64_t extent, dim, step;
  int64_t destinationStride; // bytes
};

/// A matrix to copy; strides in bytes. Destination columns are adjacent.
struct Matrix {
  const char *source;
  char *destination;
  int64_t rows, columns;
  int64_t sourceRow, sourceColumn, destinationRow;
};

template <typename T> void copyMatrix(const Matrix &m) {
  constexpr int64_t size = sizeof(T);
  if (m.sourceColumn == size) {
    for (int64_t r = 0; r < m.rows; ++r) {
      std::memcpy(m.destination + r * m.destinationRow,
                  m.source + r * m.sourceRow, m.columns * size);
    }
    return;
  }
  // Eight columns at a time: where columns lie a power of two apart, as rows of
  // weights do, their cache lines share one set of the L1, which has 8 or 12
  // ways. A tile of rows keeps the destination in the L1 between the columns.
  constexpr int64_t width = 8, tile = 128;
  for (int64_t first = 0; first < m.rows; first += tile) {
    int64_t last = std::min(first + tile, m.rows);
    for (int64_t c = 0; c < m.columns; c += width) {
      int64_t columns = std::min(width, m.columns - c);
      const char *source = m.source + c * m.sourceColumn;
      char *destination = m.destination + c * size;
      for (int64_t r = first; r < last; ++r) {
        T row[width];
        if (columns == width) { // a constant count, for the compiler
          for (int64_t i = 0; i < width; ++i) {
            std::memcpy(&row[i], source + r * m.sourceRow + i * m.sourceColumn,
                        size);
          }
          std::memcpy(destination + r * m.destinationRow, row, width * size);
        } else {
          for (int64_t i = 0; i < columns; ++i) {
            std::memcpy(destination + r * m.destinationRow + i * size,
                        source + r * m.sourceRow + i * m.sourceColumn, size);
          }
        }
      }
    }
  }
}

void copyMatrix(const Matrix &matrix, int64_t size) {
  switch (size) {
  case 1:
    return copyMatrix<uint8_t>(matrix);
  case 2:
    return copyMatrix<uint16_t>(matrix);
  case 4:
    return copyMatrix<uint32_t>(matrix);
  case 8:
    return copyMatrix<uint64_t>(matrix);
  }
}

class Walk {
public:
  /// `strides` in elements.
  Walk(absl::Span<const int64_t> dims, absl::Span<const int64_t> strides,
       int64_t elementBytes, const BlockedLayout &layout)
      : size(elementBytes), dims(dims.begin(), dims.end()),
        index(dims.size(), 0) {
    for (int64_t stride : strides) {
      sourceStride.push_back(stride * elementBytes);
    }
    std::vector<int64_t> step(dims.size(), 1);
    for (size_t b = layout.blockDims.size(); b-- > 0;) {
      int64_t dim = layout.blockDims[b];
      axes.push_back({layout.blockSizes[b], dim, step[dim], 0});
      step[dim] *= layout.blockSizes[b];
    }
    for (size_t o = layout.order.size(); o-- > 0;) {
      int64_t dim = layout.order[o];
      axes.push_back({layout.padded[dim] / step[dim], dim, step[dim], 0});
    }
    std::reverse(axes.begin(), axes.end());
    int64_t stride = elementBytes;
    for (size_t a = axes.size(); a-- > 0; stride *= axes[a].extent) {
      axes[a].destinationStride = stride;
    }
  }

  /// Leaves only indices [first, last) of the outermost axis; returns where
  /// `source` begins then.
  const char *keepSlices(int64_t first, int64_t last, const char *source) {
    axes[0].extent = last - first;
    index[axes[0].dim] = first * axes[0].step;
    return source + first * sourceStep(0);
  }

  /// Copies everything under axis `a`, whose outer axes are fixed at `index`.
  void copy(size_t a, const char *source, char *destination) {
    if (a == axes.size()) {
      std::memcpy(destination, source, size);
      return;
    }
    int64_t done = 0;
    if (a + 3 == axes.size()) {
      done = copyGroups(a, source, destination);
    } else if (a + 2 == axes.size() && axes[a].dim != axes[a + 1].dim) {
      done = copyRows(a, source, destination);
    } else if (a + 1 == axes.size()) {
      done = valid(a);
      copyMatrix({source, destination, done, 1, sourceStep(a), size, size},
                 size);
    }
    for (int64_t count = valid(a); done < count; ++done) {
      index[axes[a].dim] += done * axes[a].step;
      copy(a + 1, source + done * sourceStep(a),
           destination + done * axes[a].destinationStride);
      index[axes[a].dim] -= done * axes[a].step;
    }
    std::memset(destination + done * axes[a].destinationStride, 0,
                (axes[a].extent - done) * axes[a].destinationStride);
  }

private:
  int64_t sourceStep(size_t a) const {
    return axes[a].step * sourceStride[axes[a].dim];
  }

  /// How many indices of axis `a` begin inside the source.
  int64_t valid(size_t a) const {
    int64_t left = dims[axes[a].dim] - index[axes[a].dim];
    int64_t count = (left + axes[a].step - 1) / axes[a].step;
    return std::clamp<int64_t>(count, 0, axes[a].extent);
  }

  /// The last two axes, of different dimensions, as one matrix.
  int64_t copyRows(size_t a, const char *source, char *destination) {
    int64_t rows = valid(a), columns = valid(a + 1);
    copyMatrix({source, destination, rows, columns, sourceStep(a),
                sourceStep(a + 1), axes[a].destinationStride},
               size);
    zeroColumns(rows, columns, axes[a + 1].extent, size, destination);
    return rows;
  }

  /// The last three axes, the innermost of which is a whole group of elements
  /// that are adjacent in the source too: a matrix of wider elements.
  int64_t copyGroups(size_t a, const char *source, char *destination) {
    const Axis &row = axes[a], &column = axes[a + 1], &group = axes[a + 2];
    int64_t wide = group.extent * size;
    if (row.dim == column.dim || column.dim == group.dim ||
        sourceStep(a + 2) != size || (wide != 2 && wide != 4 && wide != 8)) {
      return 0;
    }
    int64_t rows = valid(a);
    if (row.dim == group.dim) {
      int64_t left = dims[row.dim] - index[row.dim] - group.extent;
      int64_t whole = left < 0 ? 0 : left / row.step + 1;
      rows = std::min(rows, whole);
    } else if (valid(a + 2) < group.extent) {
      return 0;
    }
    int64_t columns = valid(a + 1);
    copyMatrix({source, destination, rows, columns, sourceStep(a),
                sourceStep(a + 1), row.destinationStride},
               wide);
    zeroColumns(rows, columns, column.extent, wide, destination);
    return rows;
  }

  void zeroColumns(int64_t rows, int64_t columns, int64_t extent, int64_t bytes,
                   char *destination) {
    if (columns < extent) {
      for (int64_t r = 0; r < rows; ++r) {
        std::memset(destination + (r * extent + columns) * bytes, 0,
                    (extent - columns) * bytes);
      }
    }
  }

  const int64_t size;
  std::vector<int64_t> dims, index, sourceStride; // strides in bytes
  std::vector<Axis> axes;                         // outermost first
};

} // namespace

void pack(const void *source, absl::Span<const int64_t> dims,
          int64_t elementBytes, const BlockedLayout &layout,
          void *destination) {
  if (layout.elements() == 0) {
    return;
  }
  std::vector<int64_t> strides(dims.size());
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0; stride *= dims[d]) {
    strides[d] = stride;
  }
  Walk(dims, strides, elementBytes, layout)
      .copy(0, static_cast<const char *>(source),
            static_cast<char *>(destination));
}

void packSlices(const void *source, absl::Span<const int64_t> dims,
                absl::Span<const int64_t> strides, int64_t elementBytes,
                const BlockedLayout &layout, int64_t first, int64_t last,
                void *destination) {
  if (layout.elements() == 0 || first == last) {
    return;
  }
  if (layout.order.empty()) {
    return pack(source, dims, elementBytes, layout, destination);
  }
  Walk walk(dims, strides, elementBytes, layout);
  const char *begin =
      walk.keepSlices(first, last, static_cast<const char *>(source));
  walk.copy(0, begin, static_cast<char *>(destination));
}

} // namespace minic::runtime
