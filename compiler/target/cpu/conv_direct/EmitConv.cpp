// SPDX-License-Identifier: Apache-2.0
//
// for each block of units: pack their lines; for each group, panel and unit:
// the register tiles.

#include "compiler/target/cpu/conv_direct/EmitConv.h"

#include "compiler/target/cpu/conv_direct/Microkernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace minic::cpu {

namespace {

class ConvEmitter {
public:
  ConvEmitter(OpBuilder &builder, Location loc, const KernelEntry &entry,
              const ConvDirectGeometry &geometry)
      : k_(builder, loc), entry_(entry), geometry_(geometry), g_(geometry.g()),
        input_(k_.argPointer(entry.args, indexOf(geometry.conv.input))),
        filter_(k_.argPointer(entry.args, indexOf(geometry.conv.filter))) {}

  /// The functions for each of the geometry's heights.
  SmallVector<LLVM::LLVMFuncOp> microkernels;
  LLVM::LLVMFuncOp packer;

  /// Computes the entry's range of the grid, of the first `units` units.
  void emit(Value units) {
    bool splitN = geometry_.schedule.splitN;
    Value zero = k_.i64(0);
    panelBegin_ = splitN ? entry_.begin : zero;
    panelEnd_ = splitN ? entry_.end : k_.i64(geometry_.columnTiles);
    Value unitEnd = splitN ? units : entry_.end;
    int64_t block = geometry_.schedule.lines;
    k_.forLoop(splitN ? zero : entry_.begin, unitEnd, block, [&](Value first) {
      Value end = k_.min(k_.add(first, block), unitEnd);
      if (geometry_.schedule.pack) {
        k_.forLoop(first, end, 1, [&](Value line) {
          LLVM::CallOp::create(
              k_.b, k_.loc, packer,
              ValueRange{input_, line, packedLine(line, first)});
        });
      }
      k_.forLoop(k_.i64(0), k_.i64(geometry_.groups), 1, [&](Value group) {
        if (geometry_.isNhwc) {
          emitNhwc(group, first, end);
        } else {
          emitNchw(group, first, end);
        }
      });
    });
  }

private:
  static int64_t indexOf(Value operand) {
    return cast<BlockArgument>(operand).getArgNumber();
  }

  Value packedLine(Value line, Value first) {
    return k_.advance(
        entry_.scratch,
        k_.mul(k_.sub(line, first), geometry_.packedLineElements()),
        k_.b.getF32Type());
  }

  /// The first row of a tile of heights[kind].
  Value firstRow(Value tile, size_t kind) {
    if (!geometry_.isNhwc) {
      return k_.mul(tile, geometry_.panelWidth);
    }
    Value row = k_.mul(tile, geometry_.heights[kind]);
    return kind == 1 ? k_.add(row, geometry_.tallTiles) : row;
  }

  /// Calls `body`(tile, kind) for all tiles of a line or group.
  void forEachTile(llvm::function_ref<void(Value, size_t)> body) {
    int64_t tall =
        geometry_.heights.size() == 2 ? geometry_.tallTiles : geometry_.tiles;
    k_.forLoop(k_.i64(0), k_.i64(tall), 1, [&](Value tile) { body(tile, 0); });
    if (tall < geometry_.tiles) {
      k_.forLoop(k_.i64(tall), k_.i64(geometry_.tiles), 1,
                 [&](Value tile) { body(tile, 1); });
    }
  }

  /// The same for one tile whose number is not known.
  void forTile(Value tile, llvm::function_ref<void(Value, size_t)> body) {
    if (geometry_.heights.size() == 1) {
      body(tile, 0);
      return;
    }
    Value isTall =
        arith::CmpIOp::create(k_.b, k_.loc, arith::CmpIPredicate::slt, tile,
                              k_.i64(geometry_.tallTiles));
    auto branch =
        scf::IfOp::create(k_.b, k_.loc, isTall, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(k_.b);
    k_.b.setInsertionPointToStart(branch.thenBlock());
    body(tile, 0);
    k_.b.setInsertionPointToStart(branch.elseBlock());
    body(tile, 1);
  }

  void call(size_t kind, Value pixels, Value panel, Value row, Value column,
            Value columnEnd, ArrayRef<Value> others = {}) {
    SmallVector<Value> operands = {pixels, panel,  entry_.args,
                                   row,    column, columnEnd};
    llvm::append_range(operands, others);
    LLVM::CallOp::create(k_.b, k_.loc, microkernels[kind], operands);
  }

  /// Channel number `channel` of the packed filter.
  Value filterOf(Value channel) {
    int64_t width = geometry_.panelWidth;
    Value offset =
        k_.add(k_.mul(k_.div(channel, width), geometry_.panelElements()),
               k_.rem(channel, width));
    return k_.advance(filter_, offset, geometry_.conv.filterType);
  }

  void emitNhwc(Value group, Value first, Value end) {
    Value groupColumn = k_.mul(group, geometry_.groupOutputs);
    Value columnEnd = k_.add(groupColumn, geometry_.groupOutputs);
    k_.forLoop(panelBegin_, panelEnd_, 1, [&](Value panel) {
      Value column = k_.add(groupColumn, k_.mul(panel, geometry_.schedule.nr));
      // Lanes that are groups read the input's channels of their own.
      Value channel =
          geometry_.isDepthwise ? column : k_.mul(group, geometry_.groupInputs);
      Value filter = filterOf(column);
      k_.forLoop(first, end, 1, [&](Value unit) {
        Value line = k_.div(unit, geometry_.unitsPerLine());
        SmallVector<Value> taps;
        if (geometry_.skipsPads()) {
          taps = usedTapLines(line);
        }
        auto compute = [&](Value tile, size_t kind) {
          Value q = firstRow(tile, kind);
          Value unitTiles =
              k_.mul(k_.sub(unit, first),
                     geometry_.schedule.pack ? geometry_.tiles : 1);
          Value number =
              geometry_.schedule.pack ? k_.add(unitTiles, tile) : unitTiles;
          SmallVector<Value> others = taps;
          if (geometry_.schedule.prefetch) {
            others.push_back(
                geometry_.panelPrefetch().partOfNext(k_, filter, number));
          }
          call(kind, nhwcPixels(line, q, channel, first), filter,
               k_.add(k_.mul(line, g_.outputWidth), q), column, columnEnd,
               others);
        };
        if (geometry_.schedule.pack) {
          forEachTile(compute);
        } else {
          forTile(k_.rem(unit, geometry_.tiles), compute);
        }
      });
    });
  }

  /// Of the filter, the first line that a line of the result meets more than
  /// pads of, and the one behind the last.
  SmallVector<Value> usedTapLines(Value line) {
    Value top = k_.sub(k_.mul(k_.rem(line, g_.outputHeight), g_.strideHeight),
                       k_.i64(g_.padTop));
    auto linesUntil = [&](Value distance) {
      Value positive =
          arith::MaxSIOp::create(k_.b, k_.loc, distance, k_.i64(0));
      Value count =
          k_.div(k_.add(positive, g_.dilationHeight - 1), g_.dilationHeight);
      return k_.min(count, k_.i64(g_.filterHeight));
    };
    return {linesUntil(k_.sub(k_.i64(0), top)),
            linesUntil(k_.sub(k_.i64(g_.inputHeight), top))};
  }

  /// What the first tap of pixel `q` of a line reads of `channel`.
  Value nhwcPixels(Value line, Value q, Value channel, Value first) {
    Value offset =
        k_.add(k_.mul(q, g_.strideWidth * g_.inputChannels), channel);
    if (geometry_.schedule.pack) {
      return k_.advance(packedLine(line, first), offset, k_.b.getF32Type());
    }
    Value image = k_.div(line, g_.outputHeight);
    Value h = k_.mul(k_.rem(line, g_.outputHeight), g_.strideHeight);
    Value row = k_.add(k_.mul(image, g_.inputHeight), h);
    return k_.advance(
        input_, k_.add(k_.mul(row, g_.inputWidth * g_.inputChannels), offset),
        geometry_.conv.inputType);
  }

  void emitNchw(Value group, Value first, Value end) {
    int64_t channelElements =
        g_.filterHeight * geometry_.phases() * geometry_.packedWidth();
    Value groupRow = k_.mul(group, geometry_.groupOutputs);
    Value input = k_.mul(group, geometry_.groupInputs * channelElements);
    Value columnEnd = k_.i64(g_.outputWidth);
    forEachTile([&](Value tile, size_t kind) {
      Value channel = k_.add(groupRow, firstRow(tile, kind));
      Value filter = filterOf(channel);
      k_.forLoop(first, end, 1, [&](Value line) {
        Value image = k_.div(line, g_.outputHeight);
        Value p = k_.rem(line, g_.outputHeight);
        Value row =
            k_.add(k_.mul(k_.add(k_.mul(image, g_.outputChannels), channel),
                          g_.outputHeight),
                   p);
        Value pixels =
            k_.advance(packedLine(line, first), input, k_.b.getF32Type());
        k_.forLoop(k_.i64(0), k_.i64(geometry_.columnTiles), 1,
                   [&](Value panel) {
                     Value column = k_.mul(panel, geometry_.schedule.nr);
                     call(kind, k_.advance(pixels, column, k_.b.getF32Type()),
                          filter, row, column, columnEnd);
                   });
      });
    });
  }

  KernelBuilder k_;
  const KernelEntry &entry_;
  const ConvDirectGeometry &geometry_;
  const graph::Conv2dGeometry &g_;
  Value input_, filter_;
  Value panelBegin_, panelEnd_; // NHWC
};

} // namespace

void emitConv(Location loc, ModuleOp device, StringRef name,
              const kernel::FusionShape &shape,
              const ConvDirectGeometry &geometry,
              const std::optional<BoundedRows> &rows) {
  OpBuilder builder(device.getContext());
  SmallVector<LLVM::LLVMFuncOp> microkernels;
  for (int64_t height : geometry.heights) {
    std::string tile = (name + ".tile" + Twine(height)).str();
    auto emitMicrokernel =
        geometry.isNhwc ? emitNhwcMicrokernel : emitNchwMicrokernel;
    microkernels.push_back(
        emitMicrokernel(builder, loc, device, tile, shape, geometry, height));
  }
  LLVM::LLVMFuncOp packer;
  if (geometry.schedule.pack) {
    packer =
        emitPackLine(builder, loc, device, (name + ".pack").str(), geometry);
  }
  KernelEntry entry = KernelEntry::create(builder, loc, device, name);
  KernelBuilder k(builder, loc);
  int64_t all = geometry.units();
  Value units = k.i64(all);
  if (rows) {
    int64_t images = geometry.g().batch;
    units = k.mul(rows->count(k, entry, images), all / images);
    if (!geometry.schedule.splitN) {
      shareTiles(k, entry, units, all);
    }
  }
  ConvEmitter emitter(builder, loc, entry, geometry);
  emitter.microkernels = std::move(microkernels);
  emitter.packer = packer;
  emitter.emit(units);
}

} // namespace minic::cpu
