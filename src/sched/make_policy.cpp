#include "sched/make_policy.hpp"

#include <algorithm>
#include <iterator>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "sched/policy/baselines.hpp"
#include "sched/policy/bounded.hpp"
#include "sched/policy/kernelet.hpp"
#include "sched/policy/lithos/lithos.hpp"
#include "sched/policy/slice.hpp"
#include "sched/policy/whole.hpp"
#include "sched/policy_parameter.hpp"

namespace heddle::sched {
namespace {

// The least times are what still makes sense. A range takes some 10 us to begin and to be seen to end: a million blocks
// take 0.17 s on the CPU device with bounds of 500 us, 0.23 s with 50, 0.6 s with 20, and 2.5 s with 10. A tenant's
// turn, or a window in which launches are counted, must hold some launches. The most: 10 s are longer than any launch
// should be held back.
constexpr std::uint64_t longest_us = 10'000'000;
constexpr NumberParameter numbers[] = {
    // Nothing is cut above: no dimension of a grid is larger.
    {"slice", "the number of blocks in a range", 1, (std::uint64_t{1} << 31) - 1, 64},
    {"bounded", "the time in microseconds that the work in flight may take", 50, longest_us, 500},
    // CUDA has no more connections of a GPU.
    {"base", "the number of kernels that run at a time", 1, 128, 16},
    {"mc", "the seed of the random choices", 1, ~std::uint64_t{0}, 1},
    // An H200 has 66 units: of larger parts there would be one at most.
    {"static", "the number of units that a tenant's share is a multiple of", 1, 64, 1},
    {"timeslice", "the length of a turn in microseconds", 100, longest_us, 2000},
    // As many as GPUs hold.
    {"reef", "the number of launches of a batch queue that are submitted at a time", 1, 1024, 4},
    {"orion", "the time in microseconds that batch work beside a latency tenant may take", 50, longest_us, 250},
    {"tgs", "the length of a window in microseconds", 100, longest_us, 20'000},
};

std::uint64_t number_of(std::string_view policy, std::string_view text) {
  const auto* const found = std::find_if(std::begin(numbers), std::end(numbers),
                                         [&](const NumberParameter& parameter) { return parameter.policy == policy; });
  return number_of(*found, text);
}

double microseconds(std::string_view policy, std::string_view text) {
  return static_cast<double>(number_of(policy, text)) * 1e-6;
}

void refuse_parameter(std::string_view name, std::string_view parameter) {
  if (!parameter.empty())
    base::fail(ErrorCode::invalid_argument, "the policy '{}' has no parameter; it was given '{}'", name, parameter);
}

// The policies for several tenants; null: there is none of this name.
std::unique_ptr<Policy> make_tenant_policy(std::string_view name, std::string_view parameter) {
  if (name == "lithos") return std::make_unique<lithos::LithosPolicy>(lithos::parse_options(parameter));
  if (name == "static") return std::make_unique<StaticPolicy>(static_cast<unsigned>(number_of(name, parameter)));
  if (name == "timeslice") return std::make_unique<TimeSlicePolicy>(microseconds(name, parameter));
  if (name == "reef") return std::make_unique<ReefPolicy>(static_cast<unsigned>(number_of(name, parameter)));
  if (name == "orion") return std::make_unique<OrionPolicy>(microseconds(name, parameter));
  if (name == "tgs") return std::make_unique<TgsPolicy>(microseconds(name, parameter));
  if (name != "mps-like" && name != "priority") return nullptr;
  refuse_parameter(name, parameter);
  if (name == "priority") return std::make_unique<StreamPriorityPolicy>();
  return std::make_unique<MpsLikePolicy>();
}

std::unique_ptr<Policy> make_kernelet(std::string_view variant) {
  KerneletOptions options;
  if (variant.empty()) return std::make_unique<KerneletPolicy>(std::make_unique<ModelRates>(), options);
  if (variant == "balanced") {
    options.pairs.ratio = model::PairOptions::Ratio::balanced;
    return std::make_unique<KerneletPolicy>(std::make_unique<ModelRates>(), options);
  }
  if (variant == "on-finish") {
    options.recompute_on_arrival = false;
    return std::make_unique<KerneletPolicy>(std::make_unique<ModelRates>(), options);
  }
  if (variant == "uncalibrated")
    return std::make_unique<KerneletPolicy>(std::make_unique<ModelRates>(false, CoRunModel::chains), options);
  if (variant == "chains")
    return std::make_unique<KerneletPolicy>(std::make_unique<ModelRates>(true, CoRunModel::chains), options);
  if (variant == "constant") {
    options.prune = false;
    return std::make_unique<KerneletPolicy>(std::make_unique<ConstantRates>(), options);
  }
  base::fail(ErrorCode::invalid_argument,
             "there is no variant '{}' of the policy 'kernelet'; there are balanced (slices that take the same time), "
             "on-finish (a new kernel does not end a pair), uncalibrated (the chains without measured IPCs), "
             "chains (the paper's model) and constant (no model, for comparison)",
             variant);
}

// The policies for kernels that share processors; null: there is none of this name.
std::unique_ptr<Policy> make_pair_policy(std::string_view name, std::string_view parameter) {
  if (name == "kernelet") return make_kernelet(parameter);
  if (name == "serial" || name == "opt") refuse_parameter(name, parameter);
  if (name == "serial") return std::make_unique<WholePolicy>(1);
  if (name == "base") return std::make_unique<WholePolicy>(static_cast<unsigned>(number_of(name, parameter)));
  if (name == "opt")
    base::fail(ErrorCode::invalid_argument,
               "the policy 'opt' needs the measured rates of all pairs; 'heddle batch' measures them");
  if (name != "mc") return nullptr;
  KerneletOptions options;
  options.prune = false;
  return std::make_unique<KerneletPolicy>(std::make_unique<RandomRates>(number_of(name, parameter)), options);
}

}  // namespace

std::unique_ptr<Policy> make_policy(std::string_view text) {
  if (text.empty()) return nullptr;
  const auto [name, parameter] = split_policy(text);
  if (name == "direct") {
    refuse_parameter(name, parameter);
    return nullptr;
  }
  if (name == "slice") return std::make_unique<SlicePolicy>(number_of(name, parameter));
  if (name == "bounded") return std::make_unique<BoundedPolicy>(microseconds(name, parameter));
  if (auto made = make_tenant_policy(name, parameter)) return made;
  if (auto made = make_pair_policy(name, parameter)) return made;
  base::fail(ErrorCode::invalid_argument, "there is no policy '{}'; there are {}", name, names_of_policies());
}

std::string note_on_policy(std::string_view text, std::string_view device, unsigned units) {
  const auto [name, parameter] = split_policy(text);
  if (name != "static" || number_of(name, parameter) <= units) return {};
  return fmt::format("the policy {}: {} has {}, so a tenant gets all of it, or nothing", text, device,
                     base::counted(units, "unit"));
}

std::string_view names_of_policies() {
  return "direct, slice:BLOCKS and bounded:MICROSECONDS; "
         "for kernels that share processors: kernelet, serial, base:STREAMS and mc:SEED; "
         "and for tenants: lithos:OPTIONS, mps-like, priority, reef:LAUNCHES, orion:MICROSECONDS, "
         "tgs:MICROSECONDS, static:UNITS and timeslice:MICROSECONDS";
}

}  // namespace heddle::sched
