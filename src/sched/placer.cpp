#include "sched/placer.hpp"

#include <boost/container/small_vector.hpp>
#include <utility>

#include "base/kernel_name.hpp"
#include "base/log.hpp"

namespace heddle::sched {
namespace {

using Needed = boost::container::small_vector<NeededBytes, 8>;

// What an array is overwritten with counts as well: its memory is there.
Needed needed_by(const BoundLaunch& launch) {
  Needed needed;
  for (const ArrayUse& use : launch.arrays) {
    if (!use.used) continue;
    use.array->residence().each(use.begin, use.end,
                                [&](std::uint64_t bytes, memory::Spaces spaces) { needed.push_back({bytes, spaces}); });
  }
  return needed;
}

}  // namespace

std::unique_ptr<Placer> Placer::make(Scheduler& scheduler, const PinnedArrays& pinned,
                                     std::function<const LinkTable*()> links) {
  if (scheduler.policy().placement == Scheduling::Placement::first) return nullptr;
  // A CPU in one list with GPUs is for what is put there by name.
  const auto is_gpu = [&](std::size_t place) { return scheduler.device(place).info().capability != 0; };
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < scheduler.places(); ++place)
    if (is_gpu(place) == is_gpu(0)) places.push_back(place);
  if (places.size() < 2) return nullptr;
  return std::make_unique<Placer>(scheduler, pinned, std::move(links), std::move(places));
}

Placer::Placer(Scheduler& scheduler, const PinnedArrays& pinned, std::function<const LinkTable*()> links,
               std::vector<std::size_t> places)
    : scheduler_(scheduler),
      pinned_(pinned),
      links_(std::move(links)),
      placement_(scheduler.policy().placement, std::move(places)),
      logs_(base::logger()->should_log(spdlog::level::debug)) {
  for (std::size_t place = 0; place < scheduler.places(); ++place) ids_.push_back(scheduler.device(place).info().id);
}

const char* Placer::tied(const BoundLaunch& launch) const {
  if (launch.processors != nullptr) return "it is to run on some processors";
  if (!pinned_.none(0)) return "the address of an array there was taken";
  const auto variables = launch.kernel->variables();
  if (variables && (graph::modifies(*variables) || launch.kernel->variables_differ()))
    return "it uses variables of its module, which each device has its own of";
  return nullptr;
}

void Placer::leave_out_lost() {
  for (const std::size_t place : placement_.devices()) {
    if (!scheduler_.device(place).lost() || placement_.devices().size() == 1) continue;
    base::logger()->warn("{} is lost to this process; launches that name no device go to the others", ids_[place]);
    placement_.leave_out(place);
    return;  // the list has changed; the next launch looks again
  }
}

std::size_t Placer::choose(const BoundLaunch& launch) {
  leave_out_lost();
  const auto name = [&] { return base::demangled(launch.kernel->name()); };
  if (const char* why = tied(launch)) {
    if (logs_) base::log_debug("kernel {} goes to {}: {}", name(), ids_[0], why);
    return 0;
  }
  const Needed needed = needed_by(launch);
  boost::container::small_vector<std::uint32_t, 8> busy(ids_.size());
  for (const std::size_t place : placement_.devices()) busy[place] = scheduler_.busy_queues(place);
  static const LinkTable none;
  const LinkTable* const known = links_();
  const LinkTable& links = known != nullptr ? *known : none;
  const std::span<const NeededBytes> bytes(needed.data(), needed.size());
  const std::span<const std::uint32_t> queues(busy.data(), busy.size());
  const PlacementChoice choice = placement_.choose(bytes, queues, links);
  if (logs_)
    base::log_debug("kernel {} goes to {}: {}", name(), ids_[choice.device],
                    placement_.explain(choice, bytes, queues, links, ids_));
  return choice.device;
}

}  // namespace heddle::sched
