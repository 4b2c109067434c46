#include "runtime/launch_state.hpp"

#include <mutex>
#include <utility>
#include <vector>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "runtime/arguments.hpp"
#include "runtime/buffer.hpp"
#include "runtime/core.hpp"

namespace heddle::runtime {
namespace {

// A buffer that the launch uses, and whether it writes it.
struct Use {
  std::shared_ptr<Buffer> buffer;
  bool writes = false;
};

void add_use(std::vector<Use>& uses, const std::shared_ptr<Buffer>& buffer, bool writes) {
  for (Use& use : uses) {
    if (use.buffer == buffer) {
      use.writes |= writes;
      return;
    }
  }
  uses.push_back({buffer, writes});
}

std::vector<Use> collect_uses(Core& core, std::size_t place, const KernelInfo& info,
                              std::span<const Argument> arguments) {
  std::vector<Use> uses;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind() == Argument::Kind::array) {
      add_use(uses, arguments[i].buffer(), writes(info.parameters[i].access));
    }
  }
  for (const auto& buffer : core.pinned(place)) add_use(uses, buffer, true);
  return uses;
}

void check_owner(const Core& core, const KernelInfo& info, std::span<const Argument> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind() == Argument::Kind::array && arguments[i].buffer()->core().get() != &core) {
      base::fail(ErrorCode::invalid_argument, "argument {} of kernel {} is an array of another runtime", i + 1,
                 info.name);
    }
  }
}

}  // namespace

void LaunchState::wait() const { kernel_->module().core()->wait(*end_, place_); }

double LaunchState::seconds() const {
  wait();
  return static_cast<double>(end_->completed_ns() - start_->completed_ns()) * 1e-9;
}

const std::string& LaunchState::device() const { return kernel_->module().core()->place(place_).device->info().id; }

std::shared_ptr<LaunchState> launch(const std::shared_ptr<Core>& core, const std::shared_ptr<KernelState>& kernel,
                                    const LaunchOptions& options, std::span<const Argument> arguments) {
  if (kernel->module().core() != core) {
    base::fail(ErrorCode::invalid_argument, "kernel {} belongs to another runtime", kernel->name());
  }
  const KernelInfo& info = kernel->info();
  check_arguments(info, arguments);
  check_owner(*core, info, arguments);
  const std::size_t place = core->find(options.device);
  const BlockRange range = options.blocks.value_or(BlockRange{0, options.grid.count()});
  if (range.begin > range.end || range.end > options.grid.count()) {
    base::fail(ErrorCode::invalid_argument, "blocks {} to {} are no part of a grid of {}", range.begin, range.end,
               base::counted(options.grid.count(), "block"));
  }

  const std::lock_guard lock(core->mutex());
  device::Function& function = kernel->on(place);
  const std::vector<Use> uses = collect_uses(*core, place, info, arguments);
  for (const Use& use : uses) use.buffer->acquire(place, use.writes);
  std::vector<std::uint64_t> addresses(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind() == Argument::Kind::array) {
      addresses[i] = arguments[i].buffer()->address(place) + arguments[i].offset();
    }
  }
  device::Queue& queue = *core->place(place).queue;
  function.prepare(options.block);  // first, so that making code is no part of the launch's time
  core->use_processors(place, options.processors);
  auto start = core->record(place);
  queue.launch(function, {options.grid, options.block, options.shared, options.cooperative}, range,
               pack_arguments(info, arguments, addresses));
  auto end = core->record(place);
  for (const Use& use : uses) use.buffer->used(place, end, use.writes);
  kernel->module().used(place, end);
  return std::make_shared<LaunchState>(kernel, place, std::move(start), std::move(end));
}

}  // namespace heddle::runtime
