#include "skeleton/part.hpp"

#include <algorithm>
#include <utility>

#include "base/fail.hpp"

namespace heddle::skeleton {
namespace {

constexpr std::size_t most_recorded = 256;  // names of kernels, for reports

std::uint32_t blocks_for(std::uint64_t elements, std::uint64_t per_block) {
  const std::uint64_t blocks = std::max<std::uint64_t>(1, (elements + per_block - 1) / per_block);
  if (blocks > 0x7fffffff)
    base::fail(ErrorCode::invalid_argument, "{} elements need more blocks than a grid has", elements);
  return static_cast<std::uint32_t>(blocks);
}

}  // namespace

template <class Use>
void Part::each_result(const Use& use) const {
  for (std::size_t slot = 0; slot < values_.size(); ++slot) {
    const SlotUse& of = program_.slots()[slot];
    if (of.merged != nullptr) use(values_[slot], 0, values_[slot].count);
    if (!of.partitioned || !of.written || of.resident) continue;
    const auto [first, count] = program_.elements(static_cast<unsigned>(slot), range_);
    use(values_[slot], first, count);
  }
}

void Part::prefetch() const {
  each_result([](const Value& value, std::size_t first, std::size_t count) { value.slice(first, count).prefetch(); });
}

void Part::wait(const base::Clock& clock, std::uint64_t start_ns) {
  each_result([](const Value& value, std::size_t first, std::size_t count) { value.read(first, count); });
  for (const Launch& launch : launches_) launch.wait();
  seconds_ = static_cast<double>(clock.now_ns() - start_ns) * 1e-9;
  if (!execution_.simulated) return;
  seconds_ = 0;
  for (const Launch& launch : launches_) seconds_ += launch.seconds();
}

void Part::evaluate(const Node& node, Together& together) {
  if (node.kind == Node::Kind::kernel) return launch(node);
  if (node.kind == Node::Kind::loop) return evaluate_loop(node, together);
  for (const auto& child : node.children) evaluate(*child, together);
}

void Part::evaluate_loop(const Node& node, Together& together) {
  for (std::size_t iteration = 0; wants_more(node, iteration, together); ++iteration) {
    for (const auto& child : node.children) evaluate(*child, together);
    end_iteration(node, iteration + 1, together);
  }
}

LoopView Part::view(std::size_t iteration, bool whole) {
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  for (std::size_t slot = 0; slot < values_.size(); ++slot)
    ranges.push_back(whole ? std::pair<std::size_t, std::size_t>{0, values_[slot].count}
                           : program_.elements(static_cast<unsigned>(slot), range_));
  return {values_, iteration, std::move(ranges)};
}

bool Part::wants_more(const Node& node, std::size_t iteration, Together& together) {
  const LoopState& state = node.state;
  if (!state.condition) return iteration < state.iterations;
  if (state.iterations != 0 && iteration >= state.iterations) return false;
  if (!state.global_sync) {
    LoopView shown = view(iteration, false);
    return state.condition(shown);
  }
  together.meet(first_, [&] {
    LoopView shown = view(iteration, true);
    together.go_on = state.condition(shown);
  });
  return together.go_on;
}

void Part::end_iteration(const Node& node, std::size_t iteration, Together& together) {
  const LoopState& state = node.state;
  if (state.global_sync) {
    together.meet(first_, [&] {
      if (state.update) {
        LoopView shown = view(iteration, true);
        state.update(shown);
      }
      together.values = values_;
    });
    for (std::size_t slot = 0; slot < values_.size(); ++slot)
      if (values_[slot].element_bytes == 0) values_[slot].argument = together.values[slot].argument;
  } else if (state.update) {
    LoopView shown = view(iteration, false);
    state.update(shown);
  }
  for (const auto& [a, b] : state.swap) std::swap(values_[a], values_[b]);
}

Argument Part::trait_of(const KernelUseOf& kernel, Trait trait, std::size_t bytes) const {
  const unsigned slot = kernel.node->bindings[static_cast<std::size_t>(kernel.domain)].slot().number();
  const auto [first, count] = program_.elements(slot, range_);
  std::uint64_t number = values_[slot].count;
  if (trait == Trait::size) number = count;
  if (trait == Trait::offset) number = first;
  if (trait == Trait::units) number = range_.count;
  if (trait == Trait::first_unit) number = range_.first;
  if (bytes == 8) return {number};
  if (number > 0xffffffff)
    base::fail(ErrorCode::invalid_argument, "kernel {} takes a size in 4 bytes, but it is {}",
               readable_name(*kernel.node->kernel), number);
  return {static_cast<std::uint32_t>(number)};
}

Argument Part::argument_of(const KernelUseOf& kernel, std::size_t place) const {
  const Binding& binding = kernel.node->bindings[place];
  if (binding.kind() == Binding::Kind::value) return binding.value();
  if (binding.kind() == Binding::Kind::trait)
    return trait_of(kernel, binding.trait(), kernel.node->kernel->info().parameters[place].size);
  const unsigned slot = binding.slot().number();
  if (!kernel.sliced || kernel.per_thread[place] == 0) return values_[slot].argument;
  const auto [first, count] = program_.elements(slot, range_);
  return values_[slot].slice(first, count);
}

void Part::launch(const Node& node) {
  const std::vector<KernelUseOf>& kernels = program_.kernels();
  // A node that stands twice in the tree is used in the same way both times.
  const auto found = std::find_if(kernels.begin(), kernels.end(), [&](const auto& use) { return use.node == &node; });
  const KernelUseOf& kernel = *found;
  const auto domain = static_cast<std::size_t>(kernel.domain);
  const unsigned block = program_.block_of(static_cast<std::size_t>(found - kernels.begin()), execution_, groups_);
  const unsigned slot = node.bindings[domain].slot().number();
  const bool cut = kernel.per_thread[domain] > 0;
  const std::uint64_t per_block = block * (cut ? kernel.per_thread[domain] : node.options.per_thread);
  const auto [first, count] = program_.elements(slot, range_);
  LaunchOptions options{.block = {block},
                        .shared = shared_bytes(node.options, block),
                        .device = execution_.device,
                        .processors = execution_.processors,
                        .timed = execution_.simulated};
  options.grid = {blocks_for(kernel.sliced && cut ? count : values_[slot].count, per_block)};
  if (!kernel.sliced && cut) options.blocks = BlockRange{first / per_block, blocks_for(first + count, per_block)};
  std::vector<Argument> arguments;
  for (std::size_t place = 0; place < node.bindings.size(); ++place) arguments.push_back(argument_of(kernel, place));
  launches_.push_back(runtime_.launch_list(*node.kernel, options, arguments));
  if (kernels_.size() < most_recorded) kernels_.push_back(node.kernel->name());
}

}  // namespace heddle::skeleton
