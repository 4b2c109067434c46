// An executor that counts what is on the device.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "batch/executor.hpp"

namespace heddle::batch {

// How many launches of each kernel have been submitted and have not ended, at most.
class Watching final : public Executor {
 public:
  explicit Watching(std::unique_ptr<Executor> executor) : executor_(std::move(executor)) {}
  unsigned processors() const override { return executor_->processors(); }
  std::uint64_t now_ns() const override { return executor_->now_ns(); }
  void submit(Kernel& kernel, BlockRange range, Done done) override {
    std::uint64_t& open = open_[&kernel];
    open += range.size();
    most = std::max(most, (open + kernel.blocks() - 1) / kernel.blocks());
    executor_->submit(kernel, range, [&open, range, done = std::move(done)](std::uint64_t end_ns) {
      open -= range.size();
      done(end_ns);
    });
  }
  void wait(std::optional<std::uint64_t> until_ns) override { executor_->wait(until_ns); }
  bool idle() const override { return executor_->idle(); }
  bool keeps_order() const override { return executor_->keeps_order(); }

  std::uint64_t most = 0;

 private:
  const std::unique_ptr<Executor> executor_;
  std::map<const Kernel*, std::uint64_t> open_;
};

}  // namespace heddle::batch
