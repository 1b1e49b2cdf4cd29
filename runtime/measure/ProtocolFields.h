// SPDX-License-Identifier: Apache-2.0
//
// ProtocolFields: the fields of each message, once: `fields.get(name, member)`
// reads or writes. Private to Protocol.cpp.

#ifndef MINIC_RUNTIME_MEASURE_PROTOCOLFIELDS_H
#define MINIC_RUNTIME_MEASURE_PROTOCOLFIELDS_H

#include "runtime/measure/Protocol.h"

namespace minic::runtime {

template <typename F> void visit(F &fields, GpuFacts &facts) {
  fields.get("index", facts.index);
  fields.get("name", facts.name);
  fields.get("uuid", facts.uuid);
  fields.get("pci_bus_id", facts.pciBusId);
  fields.get("compute_major", facts.computeMajor);
  fields.get("compute_minor", facts.computeMinor);
  fields.get("sm_count", facts.smCount);
  fields.get("threads_per_sm", facts.threadsPerSm);
  fields.get("sm_clock_khz", facts.smClockKHz);
  fields.get("memory_clock_khz", facts.memoryClockKHz);
  fields.get("memory_bus_bits", facts.memoryBusBits);
  fields.get("memory_gbs", facts.memoryGBs);
  fields.get("l2_bytes", facts.l2Bytes);
  fields.get("memory_bytes", facts.memoryBytes);
  fields.get("shared_bytes_per_block", facts.sharedBytesPerBlock);
  fields.get("shared_bytes_per_sm", facts.sharedBytesPerSm);
  fields.get("registers_per_sm", facts.registersPerSm);
  fields.get("is_mig", facts.isMig);
}

template <typename F> void visit(F &fields, DeviceFacts &facts) {
  fields.get("name", facts.name);
  fields.get("vendor", facts.vendor);
  fields.get("family", facts.family);
  fields.get("model", facts.model);
  fields.get("stepping", facts.stepping);
  fields.get("features", facts.features);
  fields.get("l1_bytes", facts.l1Bytes);
  fields.get("l2_bytes", facts.l2Bytes);
  fields.get("l3_bytes", facts.l3Bytes);
  fields.get("cores", facts.cores);
  fields.get("join_us", facts.joinUs);
  fields.get("libraries", facts.libraries);
  fields.get("gpus", facts.gpus);
  fields.get("gpu_problem", facts.gpuProblem);
  fields.get("is_gpu_broken", facts.isGpuBroken);
}

template <typename F> void visit(F &fields, LoadRequest &request) {
  fields.get("id", request.id);
  fields.get("path", request.path);
  fields.get("function", request.function);
  fields.get("threads", request.threads);
  fields.get("constants_seed", request.constantsSeed);
  fields.get("device", request.device);
  fields.get("only_lists_algorithms", request.onlyListsAlgorithms);
  fields.get("is_part", request.isPart);
}

template <typename F> void visit(F &fields, LoadReply &reply) {
  fields.get("microseconds", reply.microseconds);
  fields.get("threads", reply.threads);
  fields.get("arena_bytes", reply.arenaBytes);
  fields.get("flops", reply.flops);
  fields.get("calls_library", reply.callsLibrary);
  fields.get("library_uses_callers", reply.libraryUsesCallers);
}

template <typename F> void visit(F &fields, AlgorithmsRequest &request) {
  fields.get("id", request.id);
  fields.get("most", request.most);
  fields.get("scratch_limit", request.scratchLimit);
}

template <typename F> void visit(F &fields, AlgorithmReply &reply) {
  fields.get("algorithm", reply.algorithm);
  fields.get("name", reply.name);
  fields.get("scratch_bytes", reply.scratchBytes);
}

template <typename F> void visit(F &fields, AlgorithmsReply &reply) {
  fields.get("algorithms", reply.algorithms);
}

template <typename F> void visit(F &fields, VerifyRequest &request) {
  fields.get("id", request.id);
  fields.get("seed", request.seed);
  fields.get("expected_path", request.expectedPath);
  fields.get("trusted_id", request.trustedId);
}

template <typename F> void visit(F &fields, VerifyReply &reply) {
  fields.get("status", reply.status);
  fields.get("worst", reply.worst);
  fields.get("max_absolute_error", reply.maxAbsoluteError);
  fields.get("max_relative_error", reply.maxRelativeError);
  fields.get("deterministic", reply.deterministic);
  fields.get("detail", reply.detail);
}

template <typename F> void visit(F &fields, TimeRequest &request) {
  fields.get("ids", request.ids);
  fields.get("iterations", request.iterations);
  fields.get("residency", request.residency);
  fields.get("modes", request.modes);
  fields.get("run_us", request.runUs);
  fields.get("changes", request.changes);
  fields.get("retake_us", request.retakeUs);
}

template <typename F> void visit(F &fields, TimeReply &reply) {
  fields.get("microseconds", reply.microseconds);
  fields.get("first_takes_us", reply.firstTakesUs);
  fields.get("disturbed", reply.disturbed);
  fields.get("sm_clock_mhz", reply.smClockMHz);
}

template <typename F> void visit(F &fields, UnloadRequest &request) {
  fields.get("id", request.id);
}

template <typename F> void visit(F &fields, DescribeRequest &request) {
  fields.get("gpus", request.gpus);
  fields.get("team_threads", request.teamThreads);
}

template <typename F> void visit(F &, QuitRequest &) {}
template <typename F> void visit(F &, DoneReply &) {}

} // namespace minic::runtime

#endif // MINIC_RUNTIME_MEASURE_PROTOCOLFIELDS_H
