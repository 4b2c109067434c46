#include "device/cpu/launch_job.hpp"

#include <cstring>

#include "device/cpu/sanitizer.hpp"
#include "device/cpu/services.hpp"
#include "ptx/barrier.hpp"

namespace heddle::device::cpu {
namespace {

// Runtime calls run on the fiber's stack; formatting a double is the deepest of them.
#if defined(HEDDLE_ASAN) || defined(HEDDLE_TSAN)
constexpr std::size_t runtime_stack_bytes = 96 * 1024;
#else
constexpr std::size_t runtime_stack_bytes = 24 * 1024;
#endif

base::TraceEvent trace_event(const LaunchJob& job, std::uint64_t queue) {
  base::TraceEvent event;
  event.kind = base::TraceEvent::Kind::launch;
  event.device = "cpu";
  event.queue = queue;
  event.name = job.kernel().name;
  event.grid = job.config().grid;
  event.block = job.asked_block();
  event.shared = job.config().dynamic_shared_bytes;
  return event;
}

const ptx::Instruction* instruction_of(const ptx::Module& module, const KernelUnit& unit, std::uint32_t number) {
  const KernelUnit::Place* const from = unit.place_of(number);
  return from == nullptr ? nullptr : &module.functions[from->function].body[from->instruction];
}

// PTX ISA: all threads of a warp execute the same aligned instruction. Of the others, lanes wait for those that execute
// one with the same qualifiers, wherever it stands. Barriers of the block take any that are not aligned.
bool is_one_operation(const ptx::Instruction& a, const ptx::Instruction& b) {
  const auto is_barrier = [](const ptx::Instruction& inst) {
    return (inst.opcode == ptx::Opcode::bar || inst.opcode == ptx::Opcode::barrier) && !inst.has(ptx::Modifier::warp);
  };
  if (ptx::is_aligned(a) || ptx::is_aligned(b)) return false;
  return (is_barrier(a) && is_barrier(b)) || (a.opcode == b.opcode && a.modifiers == b.modifiers);
}

// The module and the unit outlive the launch.
IsOneOperation operations_of(const LaunchJob::Setup& setup) {
  if (setup.unit == nullptr) return nullptr;
  return [&module = *setup.module, &unit = *setup.unit](std::uint32_t first, std::uint32_t second) {
    const ptx::Instruction* const a = instruction_of(module, unit, first);
    const ptx::Instruction* const b = instruction_of(module, unit, second);
    return a == b || a == nullptr || b == nullptr || is_one_operation(*a, *b);
  };
}

std::unique_ptr<LaunchChecker> make_checker(const LaunchJob::Setup& setup) {
  if (!setup.checks.race && !setup.checks.init && !setup.checks.sync) return nullptr;
  WrittenMemory written;
  if (setup.written != nullptr) written = setup.written->of_launch(setup.arguments, setup.variables);
  return std::make_unique<LaunchChecker>(setup.checks, setup.command, setup.range.begin, setup.range.size(),
                                         std::move(written), operations_of(setup));
}

}  // namespace

LaunchJob::LaunchJob(const Setup& setup, Services& services)
    : Job(setup.range, setup.queue_id),
      code_(setup.code),
      module_(setup.module),
      kernel_(setup.kernel),
      unit_(setup.unit),
      keep_(setup.keep),
      footprint_(setup.footprint),
      services_(services),
      config_(setup.config),
      asked_block_(setup.asked_block),
      range_(setup.range),
      checker_(make_checker(setup)),
      checks_(setup.checks),
      place_(setup.place),
      command_(setup.command),
      task_(services.trace() == nullptr ? 0 : services.trace()->task()),
      block_threads_(static_cast<std::uint32_t>(setup.config.block.count())),
      argument_bytes_(setup.arguments.size()),
      time_limit_(TimeLimit::make(services)) {
  std::byte* arguments = few_arguments_.bytes;
  const std::size_t bytes = setup.arguments.size();
  if (bytes > sizeof few_arguments_) {
    many_arguments_.resize((bytes + sizeof(ArgumentLine) - 1) / sizeof(ArgumentLine));
    arguments = many_arguments_.data()->bytes;
  }
  if (bytes != 0) std::memcpy(arguments, setup.arguments.data(), bytes);
  context_.parameters = reinterpret_cast<const std::uint8_t*>(arguments);
  context_.variables = setup.variables;
  context_.runtime = &services.runtime;
  context_.grid[0] = config_.grid.x;
  context_.grid[1] = config_.grid.y;
  context_.grid[2] = config_.grid.z;
  context_.block[0] = config_.block.x;
  context_.block[1] = config_.block.y;
  context_.block[2] = config_.block.z;
  context_.static_shared_bytes = code_->static_shared_bytes;
  context_.dynamic_shared_bytes = config_.dynamic_shared_bytes;
  context_.grid_id = setup.command;
  context_.executor = this;
  if (config_.cooperative) {
    const std::uint64_t workspace =
        services.allocator->allocate(grid_workspace_bytes, AllocationKind::variable, "grid workspace");
    std::memset(reinterpret_cast<void*>(workspace), 0, grid_workspace_bytes);
    context_.grid_workspace = workspace;
  }
  context_.streams = code_->streamed_bytes * range_.size() * block_threads_ > services.cache_bytes ? 1 : 0;
}

LaunchJob::~LaunchJob() {
  if (context_.grid_workspace != 0) services_.allocator->release(context_.grid_workspace, AllocationKind::variable);
}

std::size_t LaunchJob::stack_bytes() const { return code_->stack_bytes + runtime_stack_bytes; }

void LaunchJob::begin_checks(Block& block) const {
  if (checks_.memory || checker_) block.know_ranges_of(command_, services_.allocator->releases());
  block.context.exempt_shared_bytes = checker_ == nullptr || checker_->checks().init ? 0 : shared_bytes();
}

void LaunchJob::block_index(std::uint64_t id, std::uint32_t (&index)[3]) const {
  const std::uint64_t x = config_.grid.x, y = config_.grid.y;
  if (y == 1 && config_.grid.z == 1) {
    index[0] = static_cast<std::uint32_t>(id);
    index[1] = index[2] = 0;
    return;
  }
  index[0] = static_cast<std::uint32_t>(id % x);
  index[1] = static_cast<std::uint32_t>(id / x % y);
  index[2] = static_cast<std::uint32_t>(id / x / y);
}

void LaunchJob::note_start(ReadyJobs& workers) noexcept {
  if ((services_.trace() == nullptr && !time_limit_) || started_.exchange(true)) return;
  try {
    if (time_limit_) time_limit_->start(weak_from_this(), workers);
  } catch (...) {
    fail(std::current_exception());
  }
  if (services_.trace() == nullptr) return;
  base::TraceEvent event = trace_event(*this, owner_id);
  event.command = command_;
  event.task = task_;
  event.blocks = range_;
  event.time_ns = services_.now_ns();
  services_.trace()->event(event);
}

void LaunchJob::on_complete() noexcept {
  if (time_limit_) time_limit_->end();
  if (services_.trace() == nullptr) return;
  base::TraceEvent event = trace_event(*this, owner_id);
  event.phase = base::TraceEvent::Phase::end;
  event.failed = failed();
  event.command = command_;
  event.task = task_;
  event.blocks = range_;
  event.time_ns = services_.now_ns();
  services_.trace()->event(event);
}

}  // namespace heddle::device::cpu
