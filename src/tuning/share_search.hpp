// The split of work between two types of device, CPUs and GPUs, found by binary search.
#pragma once

namespace heddle::tuning {

enum class Side { gpu, cpu };

// Marrow's workload distribution generator (section 3.2.2). A part T of the work can be transferred, at first all of
// it. Each candidate gives one half of it to each type, besides what each has for good. The type that finishes first
// has that half for good, and T is halved.
class ShareSearch {
 public:
  ShareSearch() = default;
  // Starts around `centre` with `transferable` of the work; both bounds stay within [0, 1].
  ShareSearch(double centre, double transferable);

  // The candidate to run: the GPUs' share, in [0, 1].
  double gpu_share() const { return gpu_ + transferable_ / 2; }
  double transferable() const { return transferable_; }
  // Which type finished first with the candidate.
  void finished_first(Side side);

 private:
  double gpu_ = 0;  // what the GPUs have for good
  double transferable_ = 1;
};

}  // namespace heddle::tuning
