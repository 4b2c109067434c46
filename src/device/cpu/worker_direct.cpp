// Workers that run ranges of blocks on one fiber: the direct shape, and that of phases.
#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include "device/cpu/fault_report.hpp"
#include "device/cpu/sanitizer.hpp"
#include "device/cpu/services.hpp"
#include "device/cpu/worker.hpp"

namespace heddle::device::cpu {

namespace {

// Bytes from one warp's frame to the next one's. An odd multiple of the alignment: frames begin at different cache
// sets.
std::size_t frame_stride(const KernelCode& code) {
  const std::size_t units = (code.frame_bytes + frame_alignment - 1) / frame_alignment;
  return (units | 1) * frame_alignment;
}

}  // namespace

HEDDLE_NO_FUNCTION_CHECK void Worker::direct_main(void* argument) {
  Worker& worker = *static_cast<Worker*>(argument);
  Direct& direct = worker.direct_;
  for (;;) {
    const LaunchJob& job = *direct.block.job;
    if (job.code().shape == Shape::phases) {
      worker.run_phases(job);
    } else {
      const auto entry = reinterpret_cast<DirectEntry>(const_cast<void*>(job.code().entry));
      entry(&job.context(), &direct.warp.context, direct.chunk.begin, direct.chunk.end);
    }
    Fiber::switch_to(direct.warp.fiber, worker.scheduler_);
  }
}

// Each warp in turn, up to its next barrier, until all have come to their end.
HEDDLE_NO_FUNCTION_CHECK void Worker::run_phases(const LaunchJob& job) {
  Direct& direct = direct_;
  WarpContext& context = direct.warp.context;
  const KernelCode& code = job.code();
  const auto begin = reinterpret_cast<PhaseEntry>(const_cast<void*>(code.entry));
  const std::size_t stride = frame_stride(code);
  const unsigned warps = job.fibers_per_block(), threads = job.block_threads();
  std::uint32_t* const lines = direct.block.barrier_lines.data();
  const auto take = [&](unsigned warp) {
    context.first_thread = warp * code.width;
    context.lanes = std::min(code.width, threads - context.first_thread);
    return direct.block.frames.data() + warp * stride;
  };
  for (std::uint64_t id = direct.chunk.begin; id < direct.chunk.end; ++id) {
    direct.block.id = id;
    job.block_index(id, direct.block.context.block_id);
    std::fill_n(lines, warps, 0);
    unsigned waiting = 0;
    const auto note = [&](unsigned warp) {
      if (context.ended == 0) {
        direct.waiting[waiting++] = static_cast<std::uint16_t>(warp);
        lines[warp] = context.line;
      } else {
        context.ended = 0;
        lines[warp] = 0;
      }
    };
    for (unsigned warp = 0; warp < warps; ++warp) {
      begin(&context, take(warp));
      note(warp);
    }
    while (waiting != 0) {
      const unsigned before = std::exchange(waiting, 0);
      for (unsigned i = 0; i < before; ++i) {
        const unsigned warp = direct.waiting[i];
        std::uint8_t* const frame = take(warp);
        (*reinterpret_cast<PhaseResume*>(frame))(frame);
        note(warp);
      }
    }
  }
}

bool Worker::prepare_direct(LaunchJob& job, BlockRange chunk) {
  Block& block = direct_.block;
  Warp& warp = direct_.warp;
  const std::size_t stack_size = StackPool::rounded(job.stack_bytes());
  const bool has_shared = job.shared_bytes() != 0;
  if (has_shared && !block.shared.reserve(job.shared_bytes())) return false;
  if (job.code().shape == Shape::phases) {
    if (!block.frames.reserve(std::size_t{job.fibers_per_block()} * frame_stride(job.code()))) return false;
    block.barrier_lines.assign(job.fibers_per_block(), 0);
  }
  if (!warp.fiber.started() || block.stack_size != stack_size) {
    Stack* stack = services_.stacks.take(job.stack_bytes());
    if (stack == nullptr) return false;
    if (warp.fiber.stack() != nullptr) services_.stacks.give(warp.fiber.stack());
    warp.fiber.reset(*stack, &Worker::direct_main, this);
    block.stack_size = stack_size;
  }
  block.job = &job;
  block.context.launch = &job.context();
  block.context.shared = has_shared ? block.shared.data() : nullptr;
  block.id = chunk.begin;
  job.block_index(chunk.begin, block.context.block_id);
  warp.context.first_thread = 0;
  warp.context.lanes = 0;
  warp.context.line = 0;
  warp.context.ended = 0;
  if (services_.options.poison_shared && has_shared) std::fill_n(block.shared.data(), job.shared_bytes(), poison_byte);
  job.begin_checks(block);
  direct_.chunk = chunk;
  return true;
}

void Worker::run_direct(LaunchJob& job, BlockRange chunk) noexcept {
  Block& block = direct_.block;
  Warp& warp = direct_.warp;
  bool ready = false;
  try {
    ready = !job.failed() && prepare_direct(job, chunk);
  } catch (const std::bad_alloc&) {
  }
  if (!ready) {
    block.job = nullptr;
    if (!job.failed()) job.fail(error_from([&] { return out_of_stack(job); }));
    job.finish(chunk.size());
    return;
  }
  fault_.kind = FaultKind::none;
  resume(warp);
  if (fault_.kind != FaultKind::none) end_in_failure(job, warp);
  block.job = nullptr;
  if (LaunchChecker* const checker = job.checker(); checker != nullptr && block.clock) checker->leave(*block.clock);
  job.finish(chunk.size());
}

}  // namespace heddle::device::cpu
