#include "device/sim/record/launch_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/kernel_name.hpp"

namespace heddle::device::sim {
namespace {

using nlohmann::json;

// Floating-point operations of a thread.
struct Operations {
  std::uint64_t f32 = 0, f64 = 0;
};

unsigned operations_of(const ptx::Instruction& inst) {
  switch (inst.opcode) {
    case ptx::Opcode::fma:
    case ptx::Opcode::mad: return 2;
    case ptx::Opcode::add:
    case ptx::Opcode::sub:
    case ptx::Opcode::mul:
    case ptx::Opcode::div:
    case ptx::Opcode::rcp:
    case ptx::Opcode::sqrt:
    case ptx::Opcode::rsqrt:
    case ptx::Opcode::ex2:
    case ptx::Opcode::lg2:
    case ptx::Opcode::sin:
    case ptx::Opcode::cos:
    case ptx::Opcode::tanh: return 1;
    default: return 0;
  }
}

Operations operations_of(const std::vector<FunctionLines>& functions) {
  Operations sum;
  for (const FunctionLines& function : functions) {
    const auto& operations = function.code->operations;
    for (std::size_t pc = 0; pc < std::min(function.lines.size(), operations.size()); ++pc) {
      const ptx::Instruction& inst = *operations[pc].instruction;
      const ptx::Type type = ptx::element(inst.d.type);
      if (!ptx::is_float(type)) continue;
      (type == ptx::Type::f64 ? sum.f64 : sum.f32) += operations_of(inst) * function.lines[pc].lanes;
    }
  }
  return sum;
}

json sm_json(const SmStatistics& sm) {
  return {{"cycles", sm.cycles},
          {"slots", sm.slots},
          {"warp_instructions", sm.warp_instructions},
          {"thread_instructions", sm.thread_instructions},
          {"issue_slots", sm.issue_slots},
          {"resident_warp_cycles", sm.resident_warp_cycles},
          {"blocks", sm.blocks},
          {"operands",
           {{"reads", sm.operands.reads}, {"reused", sm.operands.reused}, {"late_cycles", sm.operands.late_cycles}}},
          {"uses", sm.uses},
          {"lanes", sm.lanes},
          {"pipe_cycles", sm.pipe_cycles},
          {"pipe_counts", sm.pipe_counts}};
}

json cache_json(const CacheCounters& cache) {
  return {{"hits", cache.hits},
          {"misses", cache.misses},
          {"pending_hits", cache.pending_hits},
          {"evictions", cache.evictions},
          {"write_backs", cache.write_backs}};
}

json memory_json(const MemoryCounters& memory) {
  if (memory.cycles == 0) return nullptr;  // ideal
  const SmMemoryCounters& sm = memory.sm;
  json stalls;
  for (unsigned i = 1; i < memory_stalls; ++i) stalls[name(static_cast<MemoryStall>(i))] = sm.stall_cycles[i];
  return {{"global_accesses", sm.global_accesses},
          {"local_accesses", sm.local_accesses},
          {"shared_accesses", sm.shared_accesses},
          {"constant_accesses", sm.constant_accesses},
          {"atomic_accesses", sm.atomic_accesses},
          {"transactions", sm.transactions},
          {"transaction_bytes", sm.transaction_bytes},
          {"useful_bytes", sm.useful_bytes},
          {"shared_passes", sm.shared_passes},
          {"shared_least_passes", sm.shared_least_passes},
          {"stall_cycles", stalls},
          {"l1", cache_json(sm.l1)},
          {"constant", cache_json(sm.constant)},
          {"l2", cache_json(memory.l2.cache)},
          {"l2_bytes", memory.l2.bytes},
          {"dram",
           {{"reads", memory.dram.reads},
            {"writes", memory.dram.writes},
            {"bytes", memory.dram.bytes},
            {"row_hits", memory.dram.row_hits},
            {"row_misses", memory.dram.row_misses},
            {"row_conflicts", memory.dram.row_conflicts},
            {"utilisation", memory.dram_utilisation()}}}};
}

json sample_json(const KernelStatistics& statistics) {
  const SampleFigures& sample = statistics.sample;
  if (!sample.estimated()) return {{"refusal", sample.refusal}};
  return {{"waves", sample.waves},
          {"blocks", sample.blocks},
          {"of_blocks", sample.of_blocks},
          {"simulated_cycles", statistics.cycles()},
          {"low", sample.low},
          {"high", sample.high},
          {"confidence", 0.95}};
}

json series_json(const RecordedFigures& figures) {
  json uses = json::array(), lanes = json::array(), memory = json::array();
  for (const SlotSample& sample : figures.series.samples()) {
    uses.push_back(sample.uses);
    lanes.push_back(sample.lanes);
  }
  for (const MemorySample& one : figures.memory)
    memory.push_back({one.cycle, one.dram_bytes, one.l1_hits, one.l1_look_ups, one.l2_hits, one.l2_look_ups});
  return {{"interval", figures.series.interval()}, {"uses", uses}, {"lanes", lanes}, {"memory", memory}};
}

// Since the launch came to an idle machine; of a block of the first SM.
json progress_json(const ThreadProgress& progress) {
  json cycles = json::array(), unfinished = json::array(), instructions = json::array();
  for (const ProgressSample& sample : progress.samples()) {
    cycles.push_back(sample.cycle);
    unfinished.push_back(sample.unfinished);
    instructions.push_back(sample.instructions);
  }
  return {
      {"threads", progress.threads()}, {"cycles", cycles}, {"unfinished", unfinished}, {"instructions", instructions}};
}

json lines_json(const std::vector<FunctionLines>& functions) {
  json all = json::array();
  for (const FunctionLines& function : functions) {
    json lines = json::array();
    for (std::size_t pc = 0; pc < function.lines.size(); ++pc) {
      const LineCount& count = function.lines[pc];
      if (count.issues != 0) lines.push_back({pc, count.issues, count.lanes, count.cycles});
    }
    all.push_back({{"function", function.number}, {"counts", lines}});
  }
  return all;
}

template <class Name>
json names(unsigned count, const Name& name_of) {
  json list = json::array();
  for (unsigned i = 0; i < count; ++i) list.push_back(name_of(i));
  return list;
}

std::string line(const json& object) { return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string machine_json(const MachineDescription& machine, const std::string& id) {
  const double hz = machine.clocks.sm_mhz * 1e6;
  const auto lanes = [&](const Pipe& pipe) {
    const Pipe& used = pipe.count != 0 ? pipe : machine.pipes.fma;
    return 32.0 * used.count / (pipe.count != 0 ? pipe.interval : std::max(pipe.interval, used.interval));
  };
  const double issue = 32.0 * machine.front.schedulers * machine.front.issue_width / machine.front.issue_interval;
  const double sms = machine.sms;
  return line(
      {{"kind", "machine"},
       {"format", 1},
       {"id", id},
       {"name", machine.name},
       {"title", machine.title},
       {"sms", machine.sms},
       {"sm_mhz", machine.clocks.sm_mhz},
       {"schedulers", machine.front.schedulers},
       {"warps_per_sm", machine.residency.warps},
       {"policies",
        {{"scheduler", machine.policies.scheduler},
         {"divergence", machine.policies.divergence},
         {"residency", machine.policies.residency},
         {"issue", machine.policies.issue},
         {"lanes", machine.policies.lanes},
         {"memory-queue", machine.policies.memory_queue}}},
       {"peaks",
        {{"f32_per_s", 2 * std::min(lanes(machine.pipes.fma), issue) * sms * hz},
         {"f64_per_s", 2 * std::min(lanes(machine.pipes.fp64), issue) * sms * hz},
         {"dram_bytes_per_s", machine.dram.channels * machine.dram.bytes_per_clock * machine.clocks.dram_mhz * 1e6},
         {"l2_bytes_per_s", machine.l2.slices * machine.l2.bytes_per_cycle * hz}}},
       {"slot_uses", names(slot_uses, [](unsigned i) { return name(static_cast<SlotUse>(i)); })},
       {"lane_buckets", names(lane_buckets, lane_bucket_name)},
       {"warp_uses", names(warp_uses, [](unsigned i) { return name(static_cast<WarpUse>(i)); })},
       {"pipes", names(pipe_classes, [](unsigned i) { return name(static_cast<PipeClass>(i)); })}});
}

std::string launch_json(const MachineDescription& machine, const LaunchFacts& launch, const RecordedFigures& figures,
                        std::uint64_t number) {
  const KernelStatistics& s = figures.statistics;
  const Operations operations = operations_of(figures.lines);
  const Dim3 &grid = launch.config.grid, &block = launch.config.block;
  const Cycle cycles = s.sample.estimated() ? s.sample.cycles : s.cycles();
  json by_sm = json::array();
  for (const SmStatistics& one : s.by_sm) by_sm.push_back(sm_json(one));
  json object = {{"kind", "launch"},
                 {"number", number},
                 {"kernel", base::demangled(launch.kernel.ptx().name)},
                 {"grid", {grid.x, grid.y, grid.z}},
                 {"block", {block.x, block.y, block.z}},
                 {"blocks", launch.range.size()},
                 {"block_needs",
                  {{"threads", launch.work.needs.threads},
                   {"registers", launch.work.needs.registers},
                   {"shared", launch.work.needs.shared}}},
                 {"start", s.start},
                 {"cycles", cycles},
                 {"seconds", static_cast<double>(cycles) / (machine.clocks.sm_mhz * 1e6)},
                 {"ipc", s.ipc()},
                 {"occupancy", s.occupancy()},
                 {"simd_efficiency", s.simd_efficiency()},
                 {"f32_operations", operations.f32},
                 {"f64_operations", operations.f64},
                 {"sm", sm_json(s.sm)},
                 {"by_sm", by_sm},
                 {"memory", memory_json(s.memory)},
                 {"series", series_json(figures)},
                 {"lines", lines_json(figures.lines)}};
  if (s.sample.estimated() || !s.sample.refusal.empty()) object["sample"] = sample_json(s);
  if (figures.progress) object["progress"] = progress_json(*figures.progress);
  if (!figures.failure.empty()) object["failure"] = figures.failure;
  return line(object);
}

}  // namespace heddle::device::sim
