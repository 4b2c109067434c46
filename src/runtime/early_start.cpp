#include "runtime/early_start.hpp"

#include <algorithm>
#include <cstring>

#include "base/log.hpp"
#include "runtime/core.hpp"

namespace heddle::runtime {
namespace {

bool may_be_early(Core& core, std::size_t place, const LaunchOptions& options) {
  const Scheduling& policy = core.engine().policy();
  return policy.early_start_bytes > 0 && policy.execution == Scheduling::Execution::async && policy.prefetch &&
         !options.timed && !options.cooperative && !options.blocks && options.processors.empty() && !core.check() &&
         core.pinned_none(place);
}

// An array of so many bytes or more, some of which must be brought.
bool is_missing(const Argument& argument, std::size_t place, std::size_t least) {
  if (argument.kind() != Argument::Kind::array) return false;
  const Buffer& buffer = *argument.buffer();
  const std::uint64_t begin = argument.offset();
  const std::uint64_t length = std::min<std::uint64_t>(argument.length(), buffer.bytes() - begin);
  return length >= least && !buffer.is_there(place, begin, begin + length, graph::Mode::read);
}

void tell_change(EarlyGain& gain, const KernelState& kernel, bool early) {
  if (gain.was_early == early) return;
  gain.was_early = early;
  base::log_debug("kernel {} begins {} its arrays: {}", kernel.name(),
                  early ? "beside the copies of" : "behind the copies of", gain.text());
}

}  // namespace

void EarlyStart::plan(Core& core, std::size_t place, KernelState& kernel, const LaunchOptions& options,
                      std::span<const Argument> arguments) {
  if (!may_be_early(core, place, options)) return;
  const std::size_t least = core.engine().policy().early_start_bytes;
  const bool some = std::any_of(arguments.begin(), arguments.end(),
                                [&](const Argument& argument) { return is_missing(argument, place, least); });
  if (!some || !core.engine().whole(place)) return;
  AwaitingForm* const form = kernel.awaiting(place);
  if (form == nullptr) return;
  const bool early = form->gain->wanted();
  tell_change(*form->gain, kernel, early);
  const bool measured = form->gain->measures(early);
  if (!early && !measured) return;
  plan_ = std::make_unique<Plan>(Plan{.form = form, .early = early, .measured = measured});
  plan_->asked.assign(arguments.size(), Arriving::before);
  for (const std::uint32_t parameter : form->parameters)
    if (is_missing(arguments[parameter], place, least))
      plan_->asked[parameter] = early ? Arriving::telling : Arriving::timed;
  if (!early) return;
  form->function->prepare(options.block);
  core.engine().begin_arrivals(place);
}

void EarlyStart::find_copies(Core& core, std::size_t place, std::span<const graph::Access> accesses,
                             std::span<const std::uint32_t> parameters) {
  Engine& engine = core.engine();
  Plan& plan = *plan_;
  const AwaitingForm& form = *plan.form;
  boost::container::small_vector<graph::TaskRef, 4> copies, others;  // that are awaited on the device, or before
  plan.words.assign(form.parameters.size(), engine.whole(place)->address());
  boost::container::small_vector<graph::TaskRef, 4> copy_of(form.parameters.size());
  std::uint64_t bytes = 0;
  for (std::size_t a = 0; a < accesses.size(); ++a) {
    const graph::Access& access = accesses[a];
    const auto hazards = engine.dag().hazards({access.object, graph::Mode::read, access.begin, access.end});
    const auto word = a < parameters.size() ? std::find(form.parameters.begin(), form.parameters.end(), parameters[a])
                                            : form.parameters.end();
    const bool asked = word != form.parameters.end() && plan.asked[parameters[a]] != Arriving::before;
    if (asked && hazards.size() == 1 && !graph::modifies(access.mode) && engine.dag()[hazards[0]].is_move) {
      copy_of[static_cast<std::size_t>(word - form.parameters.begin())] = hazards[0];
      copies.push_back(hazards[0]);
      bytes += access.end - access.begin;
    } else {
      others.insert(others.end(), hazards.begin(), hazards.end());
    }
  }
  // What another argument has to wait for is there when the launch begins.
  const auto is_other = [&](graph::TaskRef task) {
    return std::find(others.begin(), others.end(), task) != others.end();
  };
  auto sample = std::make_shared<EarlySample>();
  for (const graph::TaskRef& copy : copies) {
    if (is_other(copy)) continue;
    const EarlySample::Copy events = engine.events_of(copy);
    if (events.start && events.end) sample->copies.push_back(events);
  }
  for (std::size_t w = 0; plan.early && w < copy_of.size(); ++w) {
    if (copy_of[w].id == 0 || is_other(copy_of[w]) || !engine.arrival_of(copy_of[w])) continue;
    plan.words[w] = engine.arrival_of(copy_of[w])->address();
    if (std::find(plan.ahead_of.begin(), plan.ahead_of.end(), copy_of[w]) == plan.ahead_of.end())
      plan.ahead_of.push_back(copy_of[w]);
  }
  if (sample->copies.empty() || plan.early == plan.ahead_of.empty() || !plan.measured) return;
  sample->gain = form.gain;
  sample->early = plan.early;
  sample->bytes = bytes;
  plan.sample = std::move(sample);
}

void EarlyStart::put_in(Engine::Wanted& wanted) const {
  wanted.ahead_of = {plan_->ahead_of.data(), plan_->ahead_of.size()};
  if (!plan_->ahead_of.empty()) wanted.history.reset();  // its time would be the copy's
  if (!plan_->sample) return;
  wanted.start = true;
  wanted.sample = plan_->sample;
}

std::span<const std::byte> EarlyStart::arguments(std::span<const std::byte> packed) {
  auto& all = plan_->packed;
  all.assign(plan_->form->parameter_bytes, std::byte{0});
  std::copy(packed.begin(), packed.end(), all.begin());
  std::memcpy(all.data() + plan_->form->words_offset, plan_->words.data(), plan_->words.size() * sizeof(std::uint64_t));
  return {all.data(), all.size()};
}

}  // namespace heddle::runtime
