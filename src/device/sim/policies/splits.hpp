// Groups of static warps that part and never meet again.
#pragma once

#include <memory>
#include <vector>

#include "device/sim/policies/divergence.hpp"

namespace heddle::device::sim {

class Splits : public DivergencePolicy {
 public:
  explicit Splits(const DivergenceContext& context);
  std::span<IssueGroup* const> groups() override { return list_; }
  bool retire(IssueGroup& group, const machine::Effects& effects) override;
  bool resume(std::uint32_t warp, Cycle not_before) override;
  void audit(PolicyAudit& audit) const override;

 private:
  bool settle(IssueGroup& group);
  IssueGroup& add(std::uint32_t warp);
  void remove(IssueGroup& group);

  machine::Block& block_;
  std::vector<std::unique_ptr<IssueGroup>> groups_, spare_;
  std::vector<IssueGroup*> list_;
  // Threads in no group, as they wait; those of a group stay together.
  struct Waiting {
    std::uint32_t warp;
    LaneMask mask;
  };
  std::vector<Waiting> waiting_;
};

}  // namespace heddle::device::sim
