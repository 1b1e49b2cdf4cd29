// SPDX-License-Identifier: Apache-2.0
//
// Passes on the plan dialect, in the order in which a compilation runs them.

#ifndef MINIC_PASSES_PLAN_PASSES
#define MINIC_PASSES_PLAN_PASSES

include "mlir/Pass/PassBase.td"

def LowerToPlan : Pass<"plan-lower", "::mlir::ModuleOp"> {
  let summary = "Turns every public function into a plan.function";
  let description = [{
    Each function gets one variant. Fusions and relayouts become the commands
    that a FusionLowering says, on addresses that this pass assigns: function
    arguments are `plan.input`, results `plan.output` (the producer writes there
    directly), constants `plan.constant` symbols shared by all functions,
    everything between a `plan.buffer`. A reshape is another name for its
    operand's address. What no fusion produces (an argument, a constant, a value
    returned twice) is copied to its output.

    Inputs and outputs are named by the `graph.name` attributes of the
    function's arguments and results, else arg0, arg1, ... and result0, ...

    Without a FusionLowering each fusion becomes one launch, for tests.
    ```mlir
    func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = kernel.fusion (%x0 = %x : tensor<8xf32>) -> tensor<8xf32>
        attributes {impl = #I} {...}
      return %0 : tensor<8xf32>
    }
    ```
    becomes
    ```mlir
    plan.function @main inputs [...] outputs [...] flops = 8 {
      plan.variant "cpu" isa [] threads = 1 prepare {} run {
        %0 = plan.output 0
        %1 = plan.input 0
        plan.launch "relu" grid [1] (%1, %0) access [...]
      }
    }
    plan.kernel @relu target "cpu" entries ["relu"] {...}
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"",
           "Name of the target of the variant">,
    ListOption<"isa", "isa", "std::string",
               "CPU features that the variant needs, by LLVM name">,
    Option<"threads", "threads", "int64_t", "1", "CPU threads of the variant">,
    Option<"alignment", "alignment", "int64_t", "64",
           "Bytes to which callers align inputs and outputs">];
  let dependentDialects = ["::minic::plan::PlanDialect"];
  let statistics = [
    Statistic<"constants", "constants", "plan.constant symbols made">,
    Statistic<"kernels", "kernels", "plan.kernel ops made">,
    Statistic<"copies", "copies", "Outputs that had to be copied">];
}

def AssignBuffers : Pass<"plan-assign-buffers", "::mlir::ModuleOp"> {
  let summary = "Gives every buffer its place in one arena";
  let description = [{
    A buffer is live from the first to the last command that uses it; buffers
    that are never live together share memory. Each is placed in the smallest gap
    that fits it between those live with it (best fit), in several orders, of
    which the smallest arena is kept. The result depends on nothing but the plan.
    Scratch memory is a buffer like others; a buffer that no command uses is
    erased. Functions of one entry run in one arena: the zeroed buffers of each
    have a place of their own, before everything else.
  }];
  let options = [
    Option<"remarks", "remarks", "bool", "false",
           "Report the arena's size as a remark on each variant">];
  let statistics = [
    Statistic<"arenaBytes", "arena-bytes", "Bytes of all arenas">,
    Statistic<"bufferBytes", "buffer-bytes",
              "Bytes of all buffers, as if none shared memory">,
    Statistic<"liveBytes", "live-bytes",
              "Most bytes of buffers live at once, of all arenas">];
}

def OrderCommands : Pass<"plan-order-commands", "::minic::plan::FunctionOp"> {
  let summary = "Sets which earlier commands each command waits for";
  let description = [{
    A command depends on an earlier one where one of them writes memory that the
    other reads or writes. Buffers count as the bytes of the arena they were
    given, so the pass runs after plan-assign-buffers. What follows from other
    dependencies is not listed.
  }];
}

def VerifyPlan : Pass<"plan-verify", "::mlir::ModuleOp"> {
  let summary = "Checks what must hold before a plan is written to an artifact";
  let description = [{
    Every address leads to an existing input, output, constant or buffer with a
    place in the arena; what is read has been written; outputs are written,
    inputs and constants are not; buffers live together do not overlap; commands
    that touch the same memory are ordered by their dependencies; every launch
    names an entry of a kernel, or there are binaries. A breach is an error of
    the compiler, not of the model.
  }];
}

#endif // MINIC_PASSES_PLAN_PASSES
