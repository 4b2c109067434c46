#include "sched/make_policy.hpp"

#include <charconv>

#include "base/fail.hpp"
#include "sched/policy/baselines.hpp"
#include "sched/policy/bounded.hpp"
#include "sched/policy/kernelet.hpp"
#include "sched/policy/lithos/lithos.hpp"
#include "sched/policy/slice.hpp"
#include "sched/policy/whole.hpp"

namespace heddle::sched {
namespace {

constexpr std::uint64_t default_slice = 64, default_microseconds = 500, default_streams = 16, default_seed = 1;

std::uint64_t number_of(std::string_view name, std::string_view text, std::uint64_t otherwise) {
  if (text.empty()) return otherwise;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0)
    base::fail(ErrorCode::invalid_argument, "the parameter of the policy '{}' is '{}'; it must be a positive number",
               name, text);
  return value;
}

double microseconds(std::string_view name, std::string_view text, std::uint64_t otherwise) {
  return static_cast<double>(number_of(name, text, otherwise)) * 1e-6;
}

void refuse_parameter(std::string_view name, std::string_view parameter) {
  if (!parameter.empty())
    base::fail(ErrorCode::invalid_argument, "the policy '{}' has no parameter; it was given '{}'", name, parameter);
}

// The policies for several tenants; null: there is none of this name.
std::unique_ptr<Policy> make_tenant_policy(std::string_view name, std::string_view parameter) {
  if (name == "lithos") return std::make_unique<lithos::LithosPolicy>(lithos::parse_options(parameter));
  if (name == "static")
    return std::make_unique<StaticPolicy>(
        static_cast<unsigned>(std::min<std::uint64_t>(number_of(name, parameter, 1), lithos::most_units)));
  if (name == "timeslice") return std::make_unique<TimeSlicePolicy>(microseconds(name, parameter, 2000));
  if (name == "reef")
    return std::make_unique<ReefPolicy>(
        static_cast<unsigned>(std::min<std::uint64_t>(number_of(name, parameter, 4), 1 << 20)));
  if (name == "orion") return std::make_unique<OrionPolicy>(microseconds(name, parameter, 250));
  if (name == "tgs") return std::make_unique<TgsPolicy>(microseconds(name, parameter, 20'000));
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
  if (name == "base")
    return std::make_unique<WholePolicy>(static_cast<unsigned>(number_of(name, parameter, default_streams)));
  if (name == "opt")
    base::fail(ErrorCode::invalid_argument,
               "the policy 'opt' needs the measured rates of all pairs; 'heddle batch' measures them");
  if (name != "mc") return nullptr;
  KerneletOptions options;
  options.prune = false;
  return std::make_unique<KerneletPolicy>(std::make_unique<RandomRates>(number_of(name, parameter, default_seed)),
                                          options);
}

}  // namespace

std::unique_ptr<Policy> make_policy(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::string_view parameter = colon == text.npos ? std::string_view() : text.substr(colon + 1);
  if (text.empty()) return nullptr;
  if (name == "direct") {
    refuse_parameter(name, parameter);
    return nullptr;
  }
  if (name == "slice") return std::make_unique<SlicePolicy>(number_of(name, parameter, default_slice));
  if (name == "bounded") return std::make_unique<BoundedPolicy>(microseconds(name, parameter, default_microseconds));
  if (auto made = make_tenant_policy(name, parameter)) return made;
  if (auto made = make_pair_policy(name, parameter)) return made;
  base::fail(ErrorCode::invalid_argument,
             "there is no policy '{}'; there are direct, slice:BLOCKS (default {}), bounded:MICROSECONDS (default {}); "
             "for kernels that share processors: kernelet, serial, base:STREAMS (default {}) and mc:SEED (default {}); "
             "and for tenants: lithos:OPTIONS, mps-like, priority, reef:LAUNCHES, orion:MICROSECONDS, "
             "tgs:MICROSECONDS, static:UNITS and timeslice:MICROSECONDS",
             name, default_slice, default_microseconds, default_streams, default_seed);
}

}  // namespace heddle::sched
