#include "sched/make_policy.hpp"

#include <charconv>

#include "base/fail.hpp"
#include "sched/policy/bounded.hpp"
#include "sched/policy/kernelet.hpp"
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
  if (variant == "uncalibrated") return std::make_unique<KerneletPolicy>(std::make_unique<ModelRates>(false), options);
  if (variant == "constant") {
    options.prune = false;
    return std::make_unique<KerneletPolicy>(std::make_unique<ConstantRates>(), options);
  }
  base::fail(ErrorCode::invalid_argument,
             "there is no variant '{}' of the policy 'kernelet'; there are balanced (slices that take the same time), "
             "on-finish (a new kernel does not end a pair), uncalibrated (the model without measured IPCs) and "
             "constant (no model, for comparison)",
             variant);
}

}  // namespace

std::unique_ptr<Policy> make_policy(std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::string_view parameter = colon == text.npos ? std::string_view() : text.substr(colon + 1);
  if (name.empty() || name == "direct") return nullptr;
  if (name == "slice") return std::make_unique<SlicePolicy>(number_of(name, parameter, default_slice));
  if (name == "bounded") {
    const std::uint64_t microseconds = number_of(name, parameter, default_microseconds);
    return std::make_unique<BoundedPolicy>(static_cast<double>(microseconds) * 1e-6);
  }
  if (name == "kernelet") return make_kernelet(parameter);
  if (name == "serial") return std::make_unique<WholePolicy>(1);
  if (name == "base")
    return std::make_unique<WholePolicy>(static_cast<unsigned>(number_of(name, parameter, default_streams)));
  if (name == "mc") {
    KerneletOptions options;
    options.prune = false;
    return std::make_unique<KerneletPolicy>(std::make_unique<RandomRates>(number_of(name, parameter, default_seed)),
                                            options);
  }
  if (name == "opt")
    base::fail(ErrorCode::invalid_argument,
               "the policy 'opt' needs the measured rates of all pairs; 'heddle batch' measures them");
  base::fail(ErrorCode::invalid_argument,
             "there is no policy '{}'; there are direct, slice:BLOCKS (default {}), bounded:MICROSECONDS (default {}), "
             "kernelet, serial, base:STREAMS (default {}) and mc:SEED (default {})",
             name, default_slice, default_microseconds, default_streams, default_seed);
}

}  // namespace heddle::sched
