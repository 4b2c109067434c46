#include "batch/rates.hpp"

#include <algorithm>
#include <array>

namespace heddle::batch {

sched::MeasuredRatio measure_pair(Profiler& profiler, const sched::CoRunDevice& corun, Kernel& first,
                                  unsigned first_blocks, Kernel& second, unsigned second_blocks, unsigned rounds) {
  const unsigned sms = profiler.processors();
  const model::PairIpc expected = sched::forecast(corun, *first.traits, first_blocks, *second.traits, second_blocks);
  const std::array<Share, 2> shares{
      {{&first, first_blocks, sched::plan_slices(corun, sms, *first.traits, first_blocks, expected.first)},
       {&second, second_blocks, sched::plan_slices(corun, sms, *second.traits, second_blocks, expected.second)}}};
  const std::vector<SteadyRate> rates = profiler.steady_rates(shares, rounds);
  sched::MeasuredRatio made{first_blocks, second_blocks, {}, rates[0].on_sm, rates[1].on_sm};
  made.together = {rates[0].blocks * first.traits->kernel.block_instructions / sms,
                   rates[1].blocks * second.traits->kernel.block_instructions / sms};
  return made;
}

std::vector<std::pair<unsigned, unsigned>> some_ratios(const sched::CoRunDevice& corun, const Kernel& first,
                                                       const Kernel& second, unsigned most) {
  const auto all = sched::full_ratios(corun.limits, first.traits->kernel, second.traits->kernel);
  const std::size_t count = std::min<std::size_t>(all.size(), most);
  std::vector<std::pair<unsigned, unsigned>> some;
  for (std::size_t i = 0; i < count; ++i)
    some.push_back(all[count == 1 ? all.size() / 2 : i * (all.size() - 1) / (count - 1)]);
  return some;
}

sched::MeasuredRates::Table measure_pairs(Profiler& profiler, std::span<Kernel* const> kernels,
                                          const sched::CoRunDevice& corun, unsigned most_ratios, unsigned rounds) {
  sched::MeasuredRates::Table table;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    for (std::size_t j = i + 1; j < kernels.size(); ++j) {
      Kernel *first = kernels[i], *second = kernels[j];
      if (first->id() > second->id()) std::swap(first, second);
      for (const auto& [a, b] : some_ratios(corun, *first, *second, most_ratios))
        table[{first->id(), second->id()}].push_back(measure_pair(profiler, corun, *first, a, *second, b, rounds));
    }
  return table;
}

}  // namespace heddle::batch
