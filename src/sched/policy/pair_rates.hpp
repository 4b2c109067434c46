// Where a policy takes from how fast two kernels run together: the model, measurements, or, for comparison, chance.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "sched/kernel_traits.hpp"

namespace heddle::sched {

// Policies ask for pairs of different kernels. One thread at a time.
class PairRates {
 public:
  virtual ~PairRates() = default;
  // The best numbers of blocks on an SM, and what they gain; nothing if no SM holds both. `first` and `second` of the
  // result are 0 and 1.
  virtual std::optional<model::CoSchedule> best(const CoRunDevice& device, const KernelTraits& first,
                                                const KernelTraits& second, model::PairOptions::Ratio ratio) = 0;
  // Whether best() has been worked out for these kernels, or takes no time.
  virtual bool knows(const KernelTraits& first, const KernelTraits& second) const {
    static_cast<void>(first);
    static_cast<void>(second);
    return true;
  }
  // Whether the answer for the same kernels is always the same.
  virtual bool lasting() const { return true; }
};

// Which model says how fast two kernels run together.
enum class CoRunModel : std::uint8_t {
  network,  // src/model/corun/network.hpp, ours; where the profile has no demands (on real GPUs): the chains
  chains,   // src/model/corun/corun.hpp, the paper's
};

// The profile with that memory ratio for which the model gives the measured IPC of the kernel alone: what the model
// does not know (caches, pipes, dependences) then counts as waiting for memory. Without a measured IPC the profile as
// it is.
model::KernelProfile calibrated(const CoRunDevice& device, const KernelTraits& traits);
// Of an SM that is full of the kernel's blocks: as measured, or what the model says.
double alone_ipc(const CoRunDevice& device, const KernelTraits& traits, CoRunModel model = CoRunModel::network);

// What the model says of two kernels with so many blocks on an SM; calibrated.
model::PairIpc forecast(const CoRunDevice& device, const KernelTraits& first, unsigned first_blocks,
                        const KernelTraits& second, unsigned second_blocks, CoRunModel model = CoRunModel::network);

// Every pair of numbers of blocks that an SM holds, of which neither can be raised, with both at least the smallest
// slices.
std::vector<std::pair<unsigned, unsigned>> full_ratios(const model::SmLimits& limits, const model::Candidate& first,
                                                       const model::Candidate& second);

// What a model says; each pair is solved once.
class ModelRates final : public PairRates {
 public:
  // `calibrate`: see calibrated(); of the chains.
  explicit ModelRates(bool calibrate = true, CoRunModel model = CoRunModel::network)
      : calibrate_(calibrate), model_(model) {}
  std::optional<model::CoSchedule> best(const CoRunDevice& device, const KernelTraits& first,
                                        const KernelTraits& second, model::PairOptions::Ratio ratio) override;
  bool knows(const KernelTraits& first, const KernelTraits& second) const override {
    return known_.contains(std::minmax(first.id, second.id));
  }

 private:
  // A kernel as the model sees it, and its IPC alone by the model.
  struct Known {
    model::Candidate kernel = {};  // calibrated, if that is asked for
    double alone = 0;
  };
  const Known& known(const CoRunDevice& device, const model::SmModel& sm, const KernelTraits& traits, bool network);
  std::optional<model::CoSchedule> solve(const CoRunDevice& device, const KernelTraits& first,
                                         const KernelTraits& second, model::PairOptions::Ratio ratio);

  const bool calibrate_;
  const CoRunModel model_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::optional<model::CoSchedule>> known_;
  std::array<std::map<std::uint64_t, Known>, 2> kernels_;  // by the chains, by the network
};

// What was measured of two kernels together.
struct MeasuredRatio {
  unsigned first_blocks = 0, second_blocks = 0;
  model::PairIpc together = {};
  double first_on_sm = 0, second_on_sm = 0;  // blocks that were on an SM in fact, on the mean; 0: not known
};
// OPT of the paper: the best of measured ratios.
class MeasuredRates final : public PairRates {
 public:
  using Table = std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<MeasuredRatio>>;  // by ids, ascending
  explicit MeasuredRates(Table table) : table_(std::move(table)) {}
  std::optional<model::CoSchedule> best(const CoRunDevice& device, const KernelTraits& first,
                                        const KernelTraits& second, model::PairOptions::Ratio ratio) override;

 private:
  const Table table_;
};

// MC of the paper: any pair at any ratio.
class RandomRates final : public PairRates {
 public:
  explicit RandomRates(std::uint64_t seed) : random_(seed) {}
  std::optional<model::CoSchedule> best(const CoRunDevice& device, const KernelTraits& first,
                                        const KernelTraits& second, model::PairOptions::Ratio ratio) override;
  bool lasting() const override { return false; }

 private:
  std::mt19937_64 random_;
};

// A model that knows nothing: every pair gains the same, at the ratio with most blocks of the first.
class ConstantRates final : public PairRates {
 public:
  std::optional<model::CoSchedule> best(const CoRunDevice& device, const KernelTraits& first,
                                        const KernelTraits& second, model::PairOptions::Ratio ratio) override;
};

}  // namespace heddle::sched
