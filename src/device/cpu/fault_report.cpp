#include "device/cpu/fault_report.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <map>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/kernel_name.hpp"
#include "base/memory_limit.hpp"
#include "device/cpu/code_place.hpp"
#include "device/cpu/memory.hpp"
#include "device/fault_text.hpp"
#include "device/footprint.hpp"
#include "ptx/semantics/mbarrier.hpp"
#include "texture/execute.hpp"

namespace heddle::device::cpu {
namespace {

// "thread (3, 0, 0)" or "one of the threads (0, 0, 0) to (31, 0, 0)".
std::string thread_of(const LaunchJob& job, const WarpContext& warp, int lane) {
  if (lane >= 0) return "thread " + thread_name(job, warp.first_thread + static_cast<std::uint32_t>(lane));
  if (warp.lanes <= 1) return "thread " + thread_name(job, warp.first_thread);
  return fmt::format("one of the threads {} to {}", thread_name(job, warp.first_thread),
                     thread_name(job, warp.first_thread + warp.lanes - 1));
}

// The number of the instruction that a runtime call was made from: by its return address where that is known, or as the
// code noted it.
unsigned number_of_call(const LaunchJob& job, const Warp& warp, const void* return_address) {
  if (return_address == nullptr) return warp.context.line;
  const unsigned number = job.code().line_of(static_cast<const char*>(return_address) - 1);
  return number != 0 ? number : warp.context.line;
}

std::string head(const LaunchJob& job, const BlockContext& block) {
  return fmt::format("kernel '{}', block {}", base::demangled(job.kernel().name), block_name(block));
}

const char* signal_text(int signal) {
  switch (signal) {
    case SIGFPE: return "an arithmetic exception";
    case SIGILL: return "an instruction that the CPU does not know, or code that should not be reached";
    case SIGBUS: return "an access that the system could not carry out (bus error)";
    default: return "an access to memory that it may not touch";
  }
}

bool has_shared(const Warp& warp) { return warp.block->context.shared != nullptr; }

// The window has pages without access on either side.
bool near_shared(const Fault& fault, const Warp& warp) {
  constexpr std::uint64_t near = 64 * 1024;
  const auto begin = reinterpret_cast<std::uint64_t>(warp.block->context.shared);
  return has_shared(warp) && fault.address >= begin - near && fault.address < begin + warp.block->shared.size() + near;
}

// A wild address in a space that is no allocation: the nearest one would tell nothing.
std::string describe_wild(const Fault& fault, const Warp& warp, const LaunchJob& job, ptx::Space space,
                          const Allocator& allocator) {
  if (space == ptx::Space::local)
    return "an access outside the thread's local memory: an index that is far out of range";
  if (space == ptx::Space::shared && !has_shared(warp))
    return "an access to shared memory, of which the block has 0 bytes";
  if (space == ptx::Space::shared || near_shared(fault, warp)) {
    const auto begin = reinterpret_cast<std::uint64_t>(warp.block->context.shared);
    return fmt::format("an access outside shared memory: offset {}, of {}",
                       static_cast<std::int64_t>(fault.address - begin), base::counted(job.shared_bytes(), "byte"));
  }
  return fmt::format("{}: address {:#x} is {}", signal_text(fault.signal), fault.address,
                     allocator.whereabouts(fault.address));
}

// What may be behind an access outside shared memory, or through the address of an array that has no memory.
std::string shared_hint(const Fault& fault, const Warp& warp, const LaunchJob& job, ptx::Space space) {
  constexpr std::uint64_t null_page = 64 * 1024;
  bool outside = false;
  if (fault.kind == FaultKind::bad_access) {
    outside = !fault.misaligned && static_cast<ptx::Space>(fault.space) == ptx::Space::shared;
  } else if (fault.kind == FaultKind::signal && fault.address_known) {
    outside = (fault.signal == SIGSEGV || fault.signal == SIGBUS) &&
              (space == ptx::Space::shared || near_shared(fault, warp) ||
               (space == ptx::Space::generic && !has_shared(warp) && fault.address < null_page));
  }
  return outside ? dynamic_shared_hint(job.module(), job.kernel(), job.config().dynamic_shared_bytes) : std::string();
}

std::string describe_signal(const Fault& fault, const Warp& warp, const LaunchJob& job, ptx::Space space,
                            const Allocator& allocator) {
  if (fault.signal == SIGSEGV && fault.address_known && warp.fiber.stack() != nullptr &&
      warp.fiber.stack()->guard_contains(fault.address)) {
    return fmt::format("stack overflow: recursion or local memory needs more than the {} of stack that a warp has",
                       base::format_bytes(job.stack_bytes()));
  }
  if (fault.signal != SIGSEGV && fault.signal != SIGBUS) return signal_text(fault.signal);
  if (!fault.address_known)
    return "an access to an address that no memory can have, or a misaligned one (a wild pointer; the address is told "
           "where accesses are verified: --check, or the runtime's option check)";
  return describe_wild(fault, warp, job, space, allocator);
}

std::string describe_access(const Fault& fault, const LaunchJob& job, const Allocator& allocator) {
  const auto space = static_cast<ptx::Space>(fault.space);
  const char* doing = !fault.is_write ? "read" : fault.is_read ? "read and write" : "write";
  const std::string size = base::counted(fault.size, "byte");
  if (fault.misaligned) {
    return fmt::format("misaligned {} of {}: {} {:#x} is no multiple of {}", doing, size,
                       space == ptx::Space::shared  ? "offset in shared memory"
                       : space == ptx::Space::local ? "offset in local memory"
                                                    : "address",
                       fault.address, fault.size);
  }
  if (space == ptx::Space::shared || space == ptx::Space::local) {
    return fmt::format("{} of {} at offset {} of {} memory, which has {}", doing, size,
                       static_cast<std::int64_t>(fault.address), space == ptx::Space::shared ? "shared" : "local",
                       base::counted(fault.window, "byte"));
  }
  if (fault.read_only) {
    return fmt::format("write of {} to constant memory: address {:#x} is {}", size, fault.address,
                       allocator.whereabouts(fault.address));
  }
  if (fault.outside_footprint) {
    if (const auto array = allocator.find(fault.address))
      return fmt::format("{} of {} at address {:#x}, which is {}", doing, size, fault.address,
                         job.footprint()->describe({fault.address, fault.size, fault.is_read, fault.is_write},
                                                   array->address, array->size));
  }
  return fmt::format("{} of {} at address {:#x}, which is {}", doing, size, fault.address,
                     allocator.whereabouts(fault.address));
}

// As a barrier instruction names them; 0: it does not.
std::string threads_named(std::uint32_t count) {
  return count == 0 ? std::string("the whole block") : fmt::format("{} threads", count);
}

std::string describe_barrier_misuse(const Fault& fault, const Warp& warp) {
  switch (static_cast<BarrierSet::Outcome>(fault.window)) {
    case BarrierSet::Outcome::bad_number:
      return fmt::format("barrier {} does not exist: there are 0 to 15", fault.number);
    case BarrierSet::Outcome::bad_count:
      return fmt::format("barrier {} is to take {} threads, which is not a number of whole warps", fault.number,
                         fault.size);
    default:
      return fmt::format(
          "barrier {} is used for {} while others wait there for {}, or with another reduction", fault.number,
          threads_named(fault.size),
          threads_named(warp.block->barriers.counted(fault.number) ? warp.block->barriers.expected(fault.number) : 0));
  }
}

bool asks_for_workspace(const ptx::Module& module) {
  for (const ptx::Function& function : module.functions)
    for (const ptx::Instruction& inst : function.body)
      for (const ptx::Operand& operand : inst.operands)
        if (operand.kind == ptx::OperandKind::special && operand.special == ptx::SpecialRegister::envreg2) return true;
  return false;
}

// What NVIDIA's cooperative groups do when the grid cannot be synchronised.
std::string describe_trap(const LaunchJob& job) {
  if (job.context().grid_workspace != 0 || job.unit() == nullptr || !asks_for_workspace(job.unit()->module))
    return "trap";
  return "trap; the kernel looks for the workspace of a cooperative launch, as grid.sync() does, and was not launched "
         "cooperatively";
}

std::string describe_event(const Fault& fault, const Warp& warp, const LaunchJob& job, ptx::Space space,
                           const Allocator& allocator) {
  switch (fault.kind) {
    case FaultKind::none: break;
    case FaultKind::signal: return describe_signal(fault, warp, job, space, allocator);
    case FaultKind::trap: return describe_trap(job);
    case FaultKind::assertion:
      return fmt::format("assertion '{}' failed in {}, {}:{}", fault.text, fault.function, fault.file, fault.number);
    case FaultKind::bad_jump: return fmt::format("call or branch through {:#x}, which leads nowhere", fault.address);
    case FaultKind::bad_access: return describe_access(fault, job, allocator);
    case FaultKind::bad_barrier: return describe_barrier_misuse(fault, warp);
    case FaultKind::bad_mbarrier:
      return fmt::format("wrong use of a barrier in memory: {}",
                         text_of(static_cast<ptx::semantics::MbarrierMisuse>(fault.number)));
    case FaultKind::bad_texture: return texture::describe(static_cast<texture::Mistake>(fault.number), fault.address);
    case FaultKind::bad_free:
      return fmt::format("free({:#x}): {}", fault.address,
                         allocator.was_heap(fault.address)
                             ? std::string("freed already")
                             : "not from malloc in a kernel, but " + allocator.whereabouts(fault.address));
    case FaultKind::not_a_member:
      return fmt::format(
          "lane {} takes part in an operation of its warp with the member mask {:#010x}, which does not "
          "name it",
          fault.number, fault.window);
    case FaultKind::output:
      return fmt::format("what the kernel prints cannot be written: {}",
                         std::generic_category().message(static_cast<int>(fault.number)));
    case FaultKind::time_limit: break;  // timeout_error()
    case FaultKind::no_memory: return no_memory_for_records();
    case FaultKind::no_meeting:
      return "no memory for lanes that wait for others of their warp" + base::memory_limit_note();
    case FaultKind::no_fiber: return "the code waits for others, but was generated for a kernel that does not";
  }
  return "unknown fault";
}

KernelFault public_kind(const Fault& fault) {
  switch (fault.kind) {
    case FaultKind::signal:
      return fault.signal == SIGSEGV || fault.signal == SIGBUS ? KernelFault::memory_access : KernelFault::other;
    case FaultKind::bad_access: return fault.misaligned ? KernelFault::misaligned : KernelFault::memory_access;
    case FaultKind::trap: return KernelFault::trap;
    case FaultKind::assertion: return KernelFault::assertion;
    case FaultKind::time_limit: return KernelFault::timeout;
    default: return KernelFault::other;
  }
}

// Warps that wait at the same place, for one line of a message.
struct Group {
  std::vector<unsigned> warps;
};

std::string list_threads(const Block& block, const std::vector<unsigned>& warps) {
  constexpr std::size_t shown = 8;
  const char* unit = block.job->code().width == 1 ? "thread" : "warp";
  std::string text = fmt::format("{}{} ", unit, warps.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < warps.size();) {
    std::size_t last = i;
    while (last + 1 < warps.size() && warps[last + 1] == warps[last] + 1) ++last;
    if (i != 0) text += ", ";
    if (i >= shown) return text + fmt::format("... ({} in all)", warps.size());
    text += last == i ? fmt::format("{}", warps[i]) : fmt::format("{} to {}", warps[i], warps[last]);
    i = last + 1;
  }
  return text;
}

std::string waiting_for(const Block& block, const Warp& warp) {
  const LaunchJob& job = *block.job;
  const std::string where = code_place(job, number_of_call(job, warp, warp.site));
  if (warp.finished) return "has left the kernel";
  switch (warp.waiting) {
    case Waiting::barrier: return fmt::format("waits at barrier {}{}", warp.barrier, where);
    case Waiting::meeting: return fmt::format("waits for other lanes of its warp{}", where);
    case Waiting::nothing: return warp.site == nullptr ? "has not begun" : fmt::format("loops{}", where);
  }
  return "";
}

// In the shape of phases: which warps wait at which barrier while this one runs.
std::string describe_barriers(const Warp& running) {
  const Block& block = *running.block;
  const LaunchJob& job = *block.job;
  if (job.code().shape != Shape::phases) return "";
  std::map<std::uint32_t, Group> groups;
  for (unsigned i = 0; i < block.barrier_lines.size(); ++i)
    if (block.barrier_lines[i] != 0 && i * job.code().width != running.context.first_thread)
      groups[block.barrier_lines[i]].warps.push_back(i);
  std::string text;
  for (const auto& [line, group] : groups) {
    const ptx::Instruction* const inst = instruction_of(job, line);
    const auto number = inst != nullptr && !inst->operands.empty() ? inst->operands[0].value : 0;
    text += fmt::format("; {}: waits at barrier {}{}", list_threads(block, group.warps), number, code_place(job, line));
  }
  return text;
}

std::string describe_warps(const Block& block) {
  std::map<std::string, Group> groups;
  for (unsigned i = 0; i < block.warp_count; ++i) groups[waiting_for(block, block.warps[i])].warps.push_back(i);
  std::string text;
  for (const auto& [what, group] : groups) {
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", list_threads(block, group.warps), what);
  }
  return text;
}

}  // namespace

Error describe_fault(const Fault& fault, const Warp& warp, const LaunchJob& job, const Allocator& allocator) {
  unsigned number = 0;
  if (!fault.in_runtime) number = job.code().line_of(fault.instruction);
  // A fault in a runtime function: the place is the call.
  if (number == 0) number = number_of_call(job, warp, fault.in_runtime ? fault.instruction : warp.site);
  const ptx::Instruction* inst = instruction_of(job, number);
  const ptx::Space space = inst != nullptr ? inst->d.space : ptx::Space::generic;
  // The place comes before what happened there, whose text may end with another place: that of an allocation.
  std::string text =
      fmt::format("{}, {}{}: {}{}", head(job, warp.block->context), thread_of(job, warp.context, fault.lane),
                  code_place(job, number), describe_event(fault, warp, job, space, allocator),
                  shared_hint(fault, warp, job, space));
  if (fault.kind == FaultKind::no_memory || fault.kind == FaultKind::no_meeting)
    return Error(ErrorCode::out_of_memory, text);
  return Error(public_kind(fault), text);
}

std::string no_memory_for_records() {
  return "no memory for what the checks record: up to 13 bytes for each byte of an array that the kernel uses" +
         base::memory_limit_note();
}

Error barrier_deadlock(const Block& block) {
  std::string barriers;
  for (unsigned b = 0; b < BarrierSet::barriers; ++b) {
    if (!block.barriers.active(b)) continue;
    barriers +=
        fmt::format(" Barrier {} has {} of {} threads{}.", b, block.barriers.arrived(b), block.barriers.expected(b),
                    block.barriers.left() != 0 ? fmt::format(" ({} have left the kernel)", block.barriers.left()) : "");
  }
  return Error(ErrorCode::deadlock, fmt::format("deadlock in {}: every thread that is left waits for another one.{} {}",
                                                head(*block.job, block.context), barriers, describe_warps(block)));
}

Error spin_deadlock(const Block& block, std::size_t resident, std::chrono::milliseconds timeout) {
  const LaunchJob& job = *block.job;
  return Error(
      ErrorCode::deadlock,
      fmt::format("deadlock in {}: nothing on the device has made progress for {}; {} under way on this worker{}. "
                  "{}",
                  head(job, block.context), base::format_duration(static_cast<double>(timeout.count()) * 1e-3),
                  resident == 1 ? "1 block of the launch is" : fmt::format("{} blocks of the launch are", resident),
                  job.has_pieces() ? ", others have not started" : "", describe_warps(block)));
}

std::string block_place(const Block& block) {
  return fmt::format("block {}: {}", block_name(block.context), describe_warps(block));
}

std::string running_place(const Warp& warp) {
  const LaunchJob& job = *warp.block->job;
  if (job.code().shape == Shape::fiber) return block_place(*warp.block);
  const std::string text = fmt::format("block {}: ", block_name(warp.block->context));
  return text + thread_of(job, warp.context, -1) + " runs" + code_place(job, number_of_call(job, warp, warp.site)) +
         describe_barriers(warp);
}

Error timeout_error(const LaunchJob& job, const TimeLimit& limit) {
  constexpr std::size_t shown = 8;
  const std::vector<std::string> places = limit.places();
  std::string text = fmt::format("kernel '{}' has run for {}, its time limit, and was ended. Its warps stood at:",
                                 base::demangled(job.kernel().name), base::format_duration(limit.seconds()));
  for (std::size_t i = 0; i < places.size() && i < shown; ++i) text += fmt::format("\n  {}", places[i]);
  if (places.size() > shown) text += fmt::format("\n  and {} more blocks", places.size() - shown);
  return Error(KernelFault::timeout, text);
}

Error out_of_stack(const LaunchJob& job) {
  const KernelCode& code = job.code();
  const std::string stack = base::format_bytes(job.stack_bytes());
  const std::string needs =
      code.shape == Shape::fiber    ? fmt::format("{} of stack for each of {} warps", stack, job.fibers_per_block())
      : code.shape == Shape::phases ? fmt::format("{} of stack, {} for each of {} warps at a barrier", stack,
                                                  base::format_bytes(code.frame_bytes), job.fibers_per_block())
                                    : stack + " of stack";
  return Error(ErrorCode::out_of_memory,
               fmt::format("kernel '{}': no memory for a block of {} threads: {} and {} of shared memory{}",
                           base::demangled(job.kernel().name), job.block_threads(), needs,
                           base::format_bytes(job.shared_bytes()), base::memory_limit_note()));
}

}  // namespace heddle::device::cpu
