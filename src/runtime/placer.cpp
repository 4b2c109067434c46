#include "runtime/placer.hpp"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <utility>

#include "base/log.hpp"
#include "runtime/buffer.hpp"
#include "runtime/core.hpp"
#include "runtime/kernel_name.hpp"

namespace heddle::runtime {
namespace {

using Needed = boost::container::small_vector<sched::NeededBytes, 8>;

// What an array is overwritten with counts as well: its memory is there.
Needed needed_by(const KernelInfo& info, std::span<const Argument> arguments) {
  Needed needed;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Argument& argument = arguments[i];
    if (argument.kind() != Argument::Kind::array || info.parameters[i].access == Access::none) continue;
    const Buffer& buffer = *argument.buffer();
    const std::size_t begin = argument.offset();
    buffer.whereabouts(begin, begin + std::min(argument.length(), buffer.bytes() - begin),
                       [&](std::uint64_t bytes, memory::Spaces spaces) { needed.push_back({bytes, spaces}); });
  }
  return needed;
}

}  // namespace

std::unique_ptr<Placer> Placer::make(Core& core, const Scheduling& policy) {
  if (policy.placement == Scheduling::Placement::first) return nullptr;
  // A CPU in one list with GPUs is for what is put there by name.
  const auto is_gpu = [&](std::size_t place) { return core.place(place).device->info().capability != 0; };
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < core.places(); ++place)
    if (is_gpu(place) == is_gpu(0)) places.push_back(place);
  if (places.size() < 2) return nullptr;
  return std::make_unique<Placer>(core, policy.placement, std::move(places));
}

Placer::Placer(Core& core, Scheduling::Placement policy, std::vector<std::size_t> places)
    : core_(core), placement_(policy, std::move(places)), logs_(base::logger()->should_log(spdlog::level::debug)) {
  for (std::size_t place = 0; place < core.places(); ++place) ids_.push_back(core.place(place).device->info().id);
}

void Placer::prepare() {
  if (placement_.wants_links()) core_.links().table();
}

const char* Placer::tied(KernelState& kernel, const LaunchOptions& options) {
  if (!options.processors.empty()) return "it is to run on some processors";
  if (!core_.pinned_none(0) && !core_.pins_none(0)) return "the address of an array there was taken";
  const auto variables = kernel.variables();
  if (variables && (graph::modifies(*variables) || kernel.module().variables_differ()))
    return "it uses variables of its module, which each device has its own of";
  return nullptr;
}

std::size_t Placer::choose(KernelState& kernel, const LaunchOptions& options, std::span<const Argument> arguments) {
  if (const char* why = tied(kernel, options)) {
    if (logs_) base::log_debug("kernel {} goes to {}: {}", readable_name(kernel.name()), ids_[0], why);
    return 0;
  }
  const Needed needed = needed_by(kernel.info(), arguments);
  boost::container::small_vector<std::uint32_t, 8> busy(ids_.size());
  for (const std::size_t place : placement_.devices()) busy[place] = core_.engine().busy_queues(place);
  static const sched::LinkTable none;
  const sched::LinkTable* const known = core_.links().known();
  const sched::LinkTable& links = known != nullptr ? *known : none;
  const std::span<const sched::NeededBytes> bytes(needed.data(), needed.size());
  const std::span<const std::uint32_t> queues(busy.data(), busy.size());
  const sched::PlacementChoice choice = placement_.choose(bytes, queues, links);
  if (logs_)
    base::log_debug("kernel {} goes to {}: {}", readable_name(kernel.name()), ids_[choice.device],
                    placement_.explain(choice, bytes, queues, links, ids_));
  return choice.device;
}

}  // namespace heddle::runtime
