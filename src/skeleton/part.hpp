// One parallel execution of a run: it evaluates the whole tree over its part of the data.
#pragma once

#include <atomic>
#include <barrier>
#include <cstddef>
#include <exception>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "skeleton/program.hpp"

namespace heddle::skeleton {

// What the parts of a run share.
class Together {
 public:
  explicit Together(std::size_t parts) : barrier_(static_cast<std::ptrdiff_t>(parts)) {}

  // Waits for all parts; `host` then runs once. Throws Stopped if some part has failed.
  template <class Host>
  void meet(bool first_part, const Host& host) {
    arrive();
    if (first_part) {
      host();
      meetings.fetch_add(1, std::memory_order_relaxed);
    }
    arrive();
  }
  // The part has failed or ended: nobody waits for it any more.
  void leave(bool failed) {
    if (failed) failed_.store(true);
    barrier_.arrive_and_drop();
  }

  struct Stopped : std::exception {};
  std::vector<Value> values;  // as the first part's functions left them
  bool go_on = true;          // the last condition
  std::atomic<std::uint64_t> meetings{0};

 private:
  void arrive() {
    barrier_.arrive_and_wait();
    if (failed_.load()) throw Stopped();
  }

  std::barrier<> barrier_;
  std::atomic<bool> failed_{false};
};

class Part {
 public:
  Part(Runtime& runtime, const Program& program, const Execution& execution, const std::vector<unsigned>& groups,
       Range range, std::vector<Value> values, bool first)
      : runtime_(runtime),
        program_(program),
        execution_(execution),
        groups_(groups),
        range_(range),
        values_(std::move(values)),
        first_(first) {}

  // Evaluates the tree: launches its kernels. Waits only in loops in which the host decides.
  void launch_all(Together& together) { evaluate(program_.root(), together); }
  // Begins to copy its results to the host.
  void prefetch() const;
  // Waits for what was launched, and has its results on the host. `clock` has shown `start_ns` when the run began.
  void wait(const base::Clock& clock, std::uint64_t start_ns);

  const Range& range() const { return range_; }
  const Execution& execution() const { return execution_; }
  double seconds() const { return seconds_; }
  std::uint64_t launches() const { return launches_.size(); }
  const std::vector<std::string>& kernels() const { return kernels_; }
  // Merged results of this part; by argument.
  const std::vector<Value>& values() const { return values_; }

 private:
  void evaluate(const Node& node, Together& together);
  void evaluate_loop(const Node& node, Together& together);
  bool wants_more(const Node& node, std::size_t iteration, Together& together);
  void end_iteration(const Node& node, std::size_t iteration, Together& together);
  LoopView view(std::size_t iteration, bool whole);
  template <class Use>
  void each_result(const Use& use) const;
  void launch(const Node& node);
  Argument argument_of(const KernelUseOf& kernel, std::size_t place) const;
  Argument trait_of(const KernelUseOf& kernel, Trait trait, std::size_t bytes) const;

  Runtime& runtime_;
  const Program& program_;
  const Execution execution_;
  const std::vector<unsigned> groups_;
  const Range range_;
  std::vector<Value> values_;
  const bool first_;
  std::vector<Launch> launches_;
  std::vector<std::string> kernels_;
  double seconds_ = 0;
};

}  // namespace heddle::skeleton
