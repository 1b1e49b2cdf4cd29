// SPDX-License-Identifier: Apache-2.0
//
// One pass over the ops per thread block; each op is done for all threads.

#include "test/unit/compiler/target/cuda/SimtInterpreter.h"

#include "test/unit/compiler/target/cuda/SimtMemory.h"
#include "test/unit/compiler/target/cuda/SimtValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

#include <bit>
#include <cmath>
#include <numeric>

using namespace mlir;

namespace minic::cuda {

namespace {

class Interpreter {
public:
  Interpreter(int64_t threads, SimtMemory &memory)
      : threads_(threads), memory_(memory), active_(size_t(threads), 1) {}

  std::string error;
  void run(LLVM::LLVMFuncOp function, int64_t block, int64_t blockY,
           const std::vector<GlobalRange> &parameters) {
    block_ = block;
    blockY_ = blockY;
    for (auto [argument, range] :
         llvm::zip_equal(function.getArguments(), parameters)) {
      define(argument, uint64_t(reinterpret_cast<uintptr_t>(range.data)));
    }
    runBlock(function.getBody().front());
  }

private:
  void fail(Operation *op, const std::string &why) {
    if (error.empty()) {
      llvm::raw_string_ostream os(error);
      os << why << " in: ";
      op->print(os, OpPrintingFlags().skipRegions());
    }
  }

  Register &define(Value value) {
    Register &reg = registers_[value];
    reg.width = widthOf(value.getType());
    reg.bits.resize(size_t(threads_ * reg.width));
    return reg;
  }
  void define(Value value, uint64_t uniform) {
    Register &reg = define(value);
    llvm::fill(reg.bits, uniform);
  }
  const Register &get(Value value) { return registers_[value]; }

  /// The same bits in all active threads.
  int64_t uniform(Operation *op, Value value) {
    const Register &reg = get(value);
    std::optional<uint64_t> found;
    for (int64_t t = 0; t != threads_; ++t) {
      if (active_[size_t(t)]) {
        if (found && *found != reg.bits[size_t(t)]) {
          fail(op, "divergent loop bounds");
        }
        found = reg.bits[size_t(t)];
      }
    }
    uint64_t bits = found.value_or(0);
    return bitsOf(value.getType()) == 32 ? int64_t(int32_t(bits))
                                         : int64_t(bits);
  }

  /// Calls `f`(operand bits...) for each element of each active thread.
  template <typename F> void each(Operation *op, F f) {
    Value result = op->getResult(0);
    SmallVector<const Register *> operands;
    Register made;
    made.width = widthOf(result.getType());
    made.bits.resize(size_t(threads_ * made.width));
    for (Value operand : op->getOperands()) {
      operands.push_back(&get(operand));
    }
    SmallVector<uint64_t> in(operands.size());
    for (int64_t t = 0; t != threads_; ++t) {
      if (!active_[size_t(t)]) {
        continue;
      }
      for (int64_t e = 0; e != made.width; ++e) {
        for (auto [i, operand] : llvm::enumerate(operands)) {
          in[i] = operand->bits[size_t(t * operand->width +
                                       (operand->width == 1 ? 0 : e))];
        }
        made.bits[size_t(t * made.width + e)] = f(ArrayRef<uint64_t>(in));
      }
    }
    registers_[result] = std::move(made);
  }

  /// Integers of the result's width.
  template <typename F> void integers(Operation *op, F f) {
    int64_t width = bitsOf(elementOf(op->getOperand(0).getType()));
    uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
    each(op, [&](ArrayRef<uint64_t> in) {
      return uint64_t(f(in[0] & mask, in[1] & mask)) & mask;
    });
  }
  template <typename F> void floats(Operation *op, F f) {
    if (!elementOf(op->getResult(0).getType()).isF32()) {
      return fail(op, "not f32");
    }
    each(op, [&](ArrayRef<uint64_t> in) {
      return asBits(f(asFloat(in[0]), asFloat(in[1])));
    });
  }

  void runBlock(Block &block) {
    for (Operation &op : block) {
      if (!error.empty()) {
        return;
      }
      runOp(&op);
    }
  }

  /// Bits of an integer of a thread, with its sign.
  int64_t integerOf(Value value, int64_t t) {
    return signedOf(get(value).bits[size_t(t)], bitsOf(value.getType()));
  }

  /// Puts the elements of `from` into `to` for active threads.
  void merge(Register &to, const Register &from) {
    to.width = from.width;
    to.bits.resize(from.bits.size());
    for (int64_t t = 0; t != threads_; ++t) {
      for (int64_t e = 0; active_[size_t(t)] && e != from.width; ++e) {
        auto at = size_t(t * from.width + e);
        to.bits[at] = from.bits[at];
      }
    }
  }

  /// Threads leave the loop one by one and wait for the others.
  void runFor(scf::ForOp loop) {
    std::vector<char> before = active_;
    std::vector<int64_t> next(static_cast<size_t>(threads_)), upper = next,
                                                              step = next;
    for (int64_t t = 0; t != threads_; ++t) {
      next[size_t(t)] = integerOf(loop.getLowerBound(), t);
      upper[size_t(t)] = integerOf(loop.getUpperBound(), t);
      step[size_t(t)] = integerOf(loop.getStep(), t);
    }
    SmallVector<Register> carried;
    for (Value value : loop.getInitArgs()) {
      carried.push_back(get(value));
    }
    Operation *yield = loop.getBody()->getTerminator();
    while (error.empty()) {
      bool any = false;
      Register &number = define(loop.getInductionVar());
      for (int64_t t = 0; t != threads_; ++t) {
        auto at = size_t(t);
        active_[at] = before[at] && next[at] < upper[at];
        any |= active_[at] != 0;
        number.bits[at] = uint64_t(next[at]);
        next[at] += step[at];
      }
      if (!any) {
        break;
      }
      for (auto [argument, reg] :
           llvm::zip_equal(loop.getRegionIterArgs(), carried)) {
        registers_[argument] = reg;
      }
      runBlock(*loop.getBody());
      if (!error.empty()) {
        return;
      }
      for (auto [reg, value] : llvm::zip_equal(carried, yield->getOperands())) {
        merge(reg, get(value));
      }
    }
    active_ = before;
    for (auto [result, reg] : llvm::zip_equal(loop.getResults(), carried)) {
      registers_[result] = std::move(reg);
    }
  }

  void runIf(scf::IfOp branch) {
    std::vector<char> before = active_;
    const Register condition = get(branch.getCondition());
    SmallVector<Register> results(branch.getNumResults());
    for (auto [reg, value] : llvm::zip_equal(results, branch.getResults())) {
      reg = define(value);
    }
    auto runSide = [&](Region &side, bool taken) {
      bool any = false;
      for (int64_t t = 0; t != threads_; ++t) {
        auto at = size_t(t);
        active_[at] = before[at] && (condition.bits[at] != 0) == taken;
        any |= active_[at] != 0;
      }
      if (!any || side.empty()) {
        return;
      }
      runBlock(side.front());
      if (!error.empty()) {
        return;
      }
      for (auto [reg, value] : llvm::zip_equal(
               results, side.front().getTerminator()->getOperands())) {
        merge(reg, get(value));
      }
    };
    runSide(branch.getThenRegion(), true);
    runSide(branch.getElseRegion(), false);
    active_ = before;
    for (auto [reg, value] : llvm::zip_equal(results, branch.getResults())) {
      registers_[value] = std::move(reg);
    }
  }

  /// Whether the warp of thread `first` is here; a failure if part of it is.
  bool isWarpActive(Operation *op, int64_t first) {
    int64_t active = 0;
    for (int64_t t = first; t != first + 32; ++t) {
      active += active_[size_t(t)];
    }
    if (active != 0 && active != 32) {
      fail(op, "a warp's instruction in divergent code");
    }
    return active == 32;
  }

  bool allActive() const {
    return llvm::all_of(active_, [](char each) { return each != 0; });
  }

  bool isShared(Value pointer) {
    return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() ==
           3;
  }

  void runGep(LLVM::GEPOp op) {
    if (op.getIndices().size() != 1) {
      return fail(op, "more than one index");
    }
    int64_t size = std::max<int64_t>(bitsOf(op.getElemType()) / 8, 1);
    auto index = *op.getIndices().begin();
    if (auto constant = dyn_cast<IntegerAttr>(index)) {
      int64_t offset = constant.getInt() * size;
      return each(
          op, [&](ArrayRef<uint64_t> in) { return in[0] + uint64_t(offset); });
    }
    int64_t width = bitsOf(cast<Value>(index).getType());
    each(op, [&](ArrayRef<uint64_t> in) {
      return in[0] + uint64_t(signedOf(in[1], width) * size);
    });
  }

  void runLoad(LLVM::LoadOp op) {
    Type element = elementOf(op.getType());
    int64_t bytes = bitsOf(element) / 8;
    Register pointers = get(op.getAddr());
    Register &result = define(op.getResult());
    for (int64_t t = 0; t != threads_; ++t) {
      if (!active_[size_t(t)]) {
        continue;
      }
      uint64_t address = pointers.bits[size_t(t)];
      std::string why =
          memory_.check(isShared(op.getAddr()), address, result.width * bytes,
                        int64_t(op.getAlignment().value_or(1)));
      if (why.empty() && isShared(op.getAddr())) {
        why = memory_.readShared(address, result.width * bytes, t / 32);
      }
      if (!why.empty()) {
        return fail(op, why);
      }
      for (int64_t e = 0; e != result.width; ++e) {
        result.bits[size_t(t * result.width + e)] = memory_.load(
            isShared(op.getAddr()), address + uint64_t(e * bytes), bytes);
      }
    }
  }

  /// Loads of words that have no op: what follows "ld.global".
  void runInlineLoad(LLVM::InlineAsmOp op) {
    if (!op.getAsmString().starts_with("ld.global.") ||
        op.getOperands().size() != 1) {
      return fail(op, "unknown inline assembly");
    }
    // "[$4+128]"
    int64_t offset = 0;
    op.getAsmString().split('+').second.split(']').first.getAsInteger(10,
                                                                      offset);
    Register pointers = get(op.getOperands()[0]);
    Register &result = define(op.getResult(0));
    const int64_t bytes = 4 * result.width;
    for (int64_t t = 0; t != threads_; ++t) {
      if (!active_[size_t(t)]) {
        continue;
      }
      uint64_t address = pointers.bits[size_t(t)] + uint64_t(offset);
      std::string why = memory_.check(false, address, bytes, bytes);
      if (!why.empty()) {
        return fail(op, why);
      }
      for (int64_t e = 0; e != result.width; ++e) {
        result.bits[size_t(t * result.width + e)] =
            memory_.load(false, address + uint64_t(4 * e), 4);
      }
    }
  }

  void runStore(LLVM::StoreOp op) {
    int64_t bytes = bitsOf(elementOf(op.getValue().getType())) / 8;
    const Register &pointers = get(op.getAddr());
    const Register &values = get(op.getValue());
    for (int64_t t = 0; t != threads_; ++t) {
      if (!active_[size_t(t)]) {
        continue;
      }
      uint64_t address = pointers.bits[size_t(t)];
      std::string why =
          memory_.check(isShared(op.getAddr()), address, values.width * bytes,
                        int64_t(op.getAlignment().value_or(1)));
      if (why.empty() && isShared(op.getAddr())) {
        why = memory_.writeShared(address, values.width * bytes, t / 32);
      }
      if (!why.empty()) {
        return fail(op, why);
      }
      for (int64_t e = 0; e != values.width; ++e) {
        memory_.store(isShared(op.getAddr()), address + uint64_t(e * bytes),
                      bytes, values.bits[size_t(t * values.width + e)]);
      }
    }
  }

  void runAtomic(LLVM::AtomicRMWOp op) {
    if (op.getBinOp() != LLVM::AtomicBinOp::uinc_wrap) {
      return fail(op, "unknown atomic");
    }
    const Register &pointers = get(op.getPtr());
    const Register values = get(op.getVal());
    Register made{1, std::vector<uint64_t>(size_t(threads_))};
    for (int64_t t = 0; t != threads_; ++t) {
      if (!active_[size_t(t)]) {
        continue;
      }
      uint64_t address = pointers.bits[size_t(t)];
      std::string why = memory_.check(false, address, 4, 4);
      if (!why.empty()) {
        return fail(op, why);
      }
      uint64_t old = memory_.load(false, address, 4);
      made.bits[size_t(t)] = old;
      memory_.store(false, address, 4,
                    old >= values.bits[size_t(t)] ? 0 : old + 1);
    }
    registers_[op.getResult()] = std::move(made);
  }

  void runCopy(NVVM::CpAsyncOp op) {
    const Register &to = get(op.getDst()), &from = get(op.getSrc());
    const Register *sizes = op.getCpSize() ? &get(op.getCpSize()) : nullptr;
    int64_t bytes = op.getSize();
    for (int64_t t = 0; t != threads_; ++t) {
      auto at = size_t(t);
      if (!active_[at]) {
        continue;
      }
      int64_t read = sizes ? int64_t(sizes->bits[at]) : bytes;
      std::string why =
          memory_.copy(to.bits[at], from.bits[at], bytes, read, t / 32);
      if (!why.empty()) {
        return fail(op, why);
      }
    }
  }

  void runLdMatrix(NVVM::LdMatrixOp op) {
    if (!allActive() || op.getLayout() != NVVM::MMALayout::row) {
      return fail(op, "unknown ldmatrix");
    }
    int64_t matrices = op.getNum();
    Register pointers = get(op.getPtr());
    Register &result = define(op.getRes());
    for (int64_t t = 0; t != threads_; ++t) {
      int64_t warp = t / 32, lane = t % 32;
      for (int64_t j = 0; j != matrices; ++j) {
        uint64_t row = pointers.bits[size_t(warp * 32 + 8 * j + lane / 4)];
        std::string why = memory_.check(true, row, 16, 16);
        if (why.empty()) {
          why = memory_.readShared(row, 16, warp);
        }
        if (!why.empty()) {
          return fail(op, why);
        }
        result.bits[size_t(t * matrices + j)] =
            memory_.load(true, row + uint64_t(lane % 4 * 4), 4);
      }
    }
  }

  void runMma(NVVM::MmaOp op) {
    int64_t k = op.getShape().getK();
    MLIRContext *context = op.getContext();
    auto kind = *op.getMultiplicandAPtxType();
    // Elements of a 32-bit register.
    auto unpack = [&](uint64_t bits, int64_t e) -> double {
      switch (kind) {
      case NVVM::MMATypes::bf16:
        return decode((bits >> (16 * e)) & 0xffff, BFloat16Type::get(context));
      case NVVM::MMATypes::f16:
        return decode((bits >> (16 * e)) & 0xffff, Float16Type::get(context));
      default: // the low bits of tf32 are not looked at
        return asFloat(bits & ~uint64_t(0x1fff));
      }
    };
    int64_t perWord = kind == NVVM::MMATypes::tf32 ? 1 : 2;
    auto word = [&](OperandRange operands, int64_t i, int64_t t) -> uint64_t {
      // f16 fragments are vectors of two elements.
      const Register &reg = get(operands[unsigned(i)]);
      if (reg.width == 1) {
        return reg.bits[size_t(t)];
      }
      return reg.bits[size_t(2 * t)] | reg.bits[size_t(2 * t + 1)] << 16;
    };
    Register made{4, std::vector<uint64_t>(size_t(threads_ * 4))};
    for (int64_t first = 0; first != threads_; first += 32) {
      if (!isWarpActive(op, first)) {
        continue;
      }
      std::vector<double> a(size_t(16 * k)), b(size_t(8 * k));
      for (int64_t lane = 0; lane != 32; ++lane) {
        int64_t g = lane / 4, w = lane % 4;
        for (int64_t e = 0; e != perWord; ++e) {
          for (int64_t i = 0; i != 4; ++i) {
            int64_t row = g + 8 * (i % 2);
            int64_t column = (w + 4 * (i / 2)) * perWord + e;
            a[size_t(row * k + column)] =
                unpack(word(op.getOperandA(), i, first + lane), e);
          }
          for (int64_t i = 0; i != 2; ++i) {
            b[size_t(g * k + (w + 4 * i) * perWord + e)] =
                unpack(word(op.getOperandB(), i, first + lane), e);
          }
        }
      }
      for (int64_t lane = 0; lane != 32; ++lane) {
        for (int64_t i = 0; i != 4; ++i) {
          int64_t row = lane / 4 + 8 * (i / 2), column = lane % 4 * 2 + i % 2;
          double sum = asFloat(
              get(op.getOperandC()[unsigned(i)]).bits[size_t(first + lane)]);
          for (int64_t j = 0; j != k; ++j) {
            sum += a[size_t(row * k + j)] * b[size_t(column * k + j)];
          }
          made.bits[size_t((first + lane) * 4 + i)] = asBits(float(sum));
        }
      }
    }
    registers_[op.getRes()] = std::move(made);
  }

  /// Element `index` of each thread's aggregate.
  void extract(Operation *op, Value from, int64_t index) {
    Register source = get(from);
    Register &result = define(op->getResult(0));
    for (int64_t t = 0; t != threads_; ++t) {
      result.bits[size_t(t)] = source.bits[size_t(t * source.width + index)];
    }
  }

  void runShuffle(NVVM::ShflOp op) {
    bool flips = op.getKind() == NVVM::ShflKind::bfly;
    if (!flips && op.getKind() != NVVM::ShflKind::idx) {
      return fail(op, "unknown shuffle");
    }
    Register source = get(op.getVal()), lanes = get(op.getOffset());
    Register &result = define(op.getRes());
    for (int64_t t = 0; t != threads_; ++t) {
      if (t % 32 == 0) {
        isWarpActive(op, t);
      }
      int64_t lane = int64_t(lanes.bits[size_t(t)] & 31);
      int64_t from = t / 32 * 32 + (flips ? t % 32 ^ lane : lane);
      result.bits[size_t(t)] = source.bits[size_t(from)];
    }
  }

  void constant(arith::ConstantOp op) {
    auto bits = [](Attribute value) -> uint64_t {
      if (auto number = dyn_cast<FloatAttr>(value)) {
        return number.getValue().bitcastToAPInt().getZExtValue();
      }
      return cast<IntegerAttr>(value).getValue().getZExtValue();
    };
    if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue())) {
      Register &reg = define(op.getResult());
      for (auto [e, value] : llvm::enumerate(dense.getValues<Attribute>())) {
        for (int64_t t = 0; t != threads_; ++t) {
          reg.bits[size_t(t * reg.width) + e] = bits(value);
        }
      }
      return;
    }
    define(op.getResult(), bits(op.getValue()));
  }

  bool runArith(Operation *op) {
    int64_t width = op->getNumOperands()
                        ? bitsOf(elementOf(op->getOperand(0).getType()))
                        : 0;
    using U = uint64_t;
    return llvm::TypeSwitch<Operation *, bool>(op)
        .Case([&](arith::ConstantOp each) { return constant(each), true; })
        .Case([&](arith::AddIOp) {
          return integers(op, [](U a, U b) { return a + b; }), true;
        })
        .Case([&](arith::SubIOp) {
          return integers(op, [](U a, U b) { return a - b; }), true;
        })
        .Case([&](arith::MulIOp) {
          return integers(op, [](U a, U b) { return a * b; }), true;
        })
        .Case([&](arith::DivUIOp) {
          return integers(op, [](U a, U b) { return b ? a / b : 0; }), true;
        })
        .Case([&](arith::RemUIOp) {
          return integers(op, [](U a, U b) { return b ? a % b : 0; }), true;
        })
        .Case([&](arith::XOrIOp) {
          return integers(op, [](U a, U b) { return a ^ b; }), true;
        })
        .Case([&](arith::AndIOp) {
          return integers(op, [](U a, U b) { return a & b; }), true;
        })
        .Case([&](arith::OrIOp) {
          return integers(op, [](U a, U b) { return a | b; }), true;
        })
        .Case([&](arith::MinSIOp) {
          return integers(op,
                          [&](U a, U b) {
                            return signedOf(a, width) < signedOf(b, width) ? a
                                                                           : b;
                          }),
                 true;
        })
        .Case([&](arith::MaxSIOp) {
          return integers(op,
                          [&](U a, U b) {
                            return signedOf(a, width) > signedOf(b, width) ? a
                                                                           : b;
                          }),
                 true;
        })
        .Case([&](arith::CmpIOp compareOp) {
          return each(op,
                      [&](ArrayRef<U> in) {
                        return U(compareIntegers(compareOp.getPredicate(),
                                                 in[0], in[1], width));
                      }),
                 true;
        })
        .Case([&](arith::CmpFOp compareOp) {
          return each(op,
                      [&](ArrayRef<U> in) {
                        return U(compareFloats(compareOp.getPredicate(),
                                               asFloat(in[0]), asFloat(in[1]),
                                               error));
                      }),
                 true;
        })
        .Case([&](arith::SelectOp) {
          return each(op, [](ArrayRef<U> in) { return in[0] ? in[1] : in[2]; }),
                 true;
        })
        .Case([&](arith::ShLIOp) {
          return integers(op, [](U a, U b) { return a << (b & 63); }), true;
        })
        .Case<arith::BitcastOp>([&](Operation *) {
          return each(op, [](ArrayRef<U> in) { return in[0]; }), true;
        })
        .Case([&](arith::ExtUIOp) {
          return each(op, [](ArrayRef<U> in) { return in[0]; }), true;
        })
        .Case([&](arith::ExtSIOp) {
          return each(
                     op,
                     [&](ArrayRef<U> in) { return U(signedOf(in[0], width)); }),
                 true;
        })
        .Case([&](arith::AddFOp) {
          return floats(op, [](float a, float b) { return a + b; }), true;
        })
        .Case([&](arith::SubFOp) {
          return floats(op, [](float a, float b) { return a - b; }), true;
        })
        .Case([&](arith::MulFOp) {
          return floats(op, [](float a, float b) { return a * b; }), true;
        })
        .Case([&](arith::MaximumFOp) {
          return floats(op,
                        [](float a, float b) {
                          return std::isnan(a) || std::isnan(b)
                                     ? std::nanf("")
                                     : std::max(a, b);
                        }),
                 true;
        })
        .Case<arith::ExtFOp, arith::TruncFOp>([&](Operation *) {
          auto from = cast<FloatType>(elementOf(op->getOperand(0).getType()));
          auto to = cast<FloatType>(elementOf(op->getResult(0).getType()));
          return each(op,
                      [&](ArrayRef<U> in) {
                        return encode(decode(in[0], from), to);
                      }),
                 true;
        })
        .Default([](Operation *) { return false; });
  }

  bool runMemory(Operation *op) {
    return llvm::TypeSwitch<Operation *, bool>(op)
        .Case([&](LLVM::AddressOfOp address) {
          return define(address.getResult(), 0), true;
        })
        .Case([&](LLVM::GEPOp each) { return runGep(each), true; })
        .Case([&](LLVM::LoadOp each) { return runLoad(each), true; })
        .Case([&](LLVM::StoreOp each) { return runStore(each), true; })
        .Case([&](LLVM::InlineAsmOp each) { return runInlineLoad(each), true; })
        .Case([&](LLVM::AtomicRMWOp each) { return runAtomic(each), true; })
        .Case([&](NVVM::CpAsyncOp each) { return runCopy(each), true; })
        .Case(
            [&](NVVM::CpAsyncCommitGroupOp) { return memory_.commit(), true; })
        .Case([&](NVVM::CpAsyncWaitGroupOp each) {
          return memory_.wait(each.getN()), true;
        })
        .Case([&](NVVM::BarrierOp) {
          if (!allActive()) {
            fail(op, "a barrier in divergent code");
          }
          return memory_.barrier(), true;
        })
        .Case<LLVM::FenceOp, NVVM::GriddepcontrolOp, LLVM::ReturnOp,
              scf::YieldOp>([](Operation *) { return true; })
        .Default([](Operation *) { return false; });
  }

  bool runValues(Operation *op) {
    return llvm::TypeSwitch<Operation *, bool>(op)
        .Case<LLVM::UndefOp, LLVM::PoisonOp>([&](Operation *) {
          return define(op->getResult(0), ~uint64_t(0)), true;
        })
        .Case([&](LLVM::BitcastOp cast) { return bitcast(cast), true; })
        .Case([&](LLVM::ExtractValueOp each) {
          return extract(op, each.getContainer(), each.getPosition()[0]), true;
        })
        .Case([&](LLVM::ExtractElementOp each) {
          return extract(op, each.getVector(), uniform(op, each.getPosition())),
                 true;
        })
        .Case([&](LLVM::InsertElementOp each) {
          Register made = get(each.getVector());
          int64_t index = uniform(op, each.getPosition());
          const Register &value = get(each.getValue());
          for (int64_t t = 0; t != threads_; ++t) {
            made.bits[size_t(t * made.width + index)] = value.bits[size_t(t)];
          }
          registers_[each.getResult()] = std::move(made);
          return true;
        })
        .Case<vector::BroadcastOp>([&](Operation *) {
          return each(op, [](ArrayRef<uint64_t> in) { return in[0]; }), true;
        })
        .Case([&](vector::ExtractOp each) {
          return extract(op, each.getSource(), each.getStaticPosition()[0]),
                 true;
        })
        .Case([&](vector::FromElementsOp each) {
          Register &made = define(each.getResult());
          for (auto [e, element] : llvm::enumerate(each.getElements())) {
            for (int64_t t = 0; t != threads_; ++t) {
              made.bits[size_t(t * made.width) + e] =
                  registers_.find(element)->second.bits[size_t(t)];
            }
          }
          return true;
        })
        .Case<LLVM::FMAOp, math::FmaOp>([&](Operation *) {
          return each(op,
                      [](ArrayRef<uint64_t> in) {
                        return asBits(std::fma(asFloat(in[0]), asFloat(in[1]),
                                               asFloat(in[2])));
                      }),
                 true;
        })
        .Default([](Operation *) { return false; });
  }

  void bitcast(LLVM::BitcastOp op) {
    int64_t from = widthOf(op.getArg().getType());
    int64_t to = widthOf(op.getType());
    if (from == to) {
      return each(op, [](ArrayRef<uint64_t> in) { return in[0]; });
    }
    if (from != 1 || to != 2) {
      return fail(op, "unknown bitcast");
    }
    Register source = get(op.getArg());
    Register &result = define(op.getResult());
    for (int64_t t = 0; t != threads_; ++t) {
      result.bits[size_t(2 * t)] = source.bits[size_t(t)] & 0xffff;
      result.bits[size_t(2 * t + 1)] = source.bits[size_t(t)] >> 16 & 0xffff;
    }
  }

  bool runNvvm(Operation *op) {
    return llvm::TypeSwitch<Operation *, bool>(op)
        .Case([&](NVVM::ThreadIdXOp) {
          Register &reg = define(op->getResult(0));
          std::iota(reg.bits.begin(), reg.bits.end(), uint64_t(0));
          return true;
        })
        .Case([&](NVVM::BlockIdXOp) {
          return define(op->getResult(0), uint64_t(block_)), true;
        })
        .Case([&](NVVM::BlockIdYOp) {
          return define(op->getResult(0), uint64_t(blockY_)), true;
        })
        .Case([&](NVVM::ShflOp each) { return runShuffle(each), true; })
        .Case([&](NVVM::LdMatrixOp each) { return runLdMatrix(each), true; })
        .Case([&](NVVM::MmaOp each) { return runMma(each), true; })
        .Case([&](NVVM::ConvertFloatToTF32Op) {
          // To nearest, ties away from zero.
          return each(op,
                      [](ArrayRef<uint64_t> in) -> uint64_t {
                        if (!std::isfinite(asFloat(in[0]))) {
                          return in[0];
                        }
                        return (in[0] + 0x1000) & ~uint64_t(0x1fff);
                      }),
                 true;
        })
        .Default([](Operation *) { return false; });
  }

  void runOp(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      return runFor(loop);
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      return runIf(branch);
    }
    if (!runArith(op) && !runMemory(op) && !runValues(op) && !runNvvm(op)) {
      fail(op, "unknown op");
    }
  }

  int64_t threads_, block_ = 0, blockY_ = 0;
  SimtMemory &memory_;
  std::vector<char> active_;
  llvm::DenseMap<Value, Register> registers_;
};

} // namespace

std::string interpret(ModuleOp device, StringRef entry, int64_t blocks,
                      int64_t threads, int64_t sharedBytes,
                      const std::vector<GlobalRange> &parameters,
                      int64_t blocksY) {
  auto function = device.lookupSymbol<LLVM::LLVMFuncOp>(entry);
  if (!function || function.getNumArguments() != parameters.size()) {
    return "no such kernel";
  }
  for (int64_t number = 0; number != blocks * blocksY; ++number) {
    int64_t block = number % blocks;
    SimtMemory memory(sharedBytes, parameters);
    Interpreter interpreter(threads, memory);
    interpreter.run(function, block, number / blocks, parameters);
    if (!interpreter.error.empty()) {
      return "block " + std::to_string(block) + ": " + interpreter.error;
    }
  }
  return "";
}

} // namespace minic::cuda
