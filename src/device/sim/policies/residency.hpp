// CtaResidencyPolicy: whether an SM takes another block.
#pragma once

#include <cstdint>
#include <memory>

#include "device/sim/machine_file/description.hpp"
#include "device/sim/policies/options.hpp"

namespace heddle::device::sim {

// What a block takes of an SM, in the units in which the SM allocates it.
struct BlockNeeds {
  unsigned threads = 0, warps = 0, registers = 0;
  std::uint64_t shared = 0;
};
// `registers`: of a thread.
BlockNeeds needs_of(const Residency& limits, unsigned threads, unsigned registers, std::uint64_t shared);

// One object for each SM.
class CtaResidencyPolicy {
 public:
  virtual ~CtaResidencyPolicy() = default;
  virtual bool admits(const BlockNeeds& needs) const = 0;
  virtual void admitted(const BlockNeeds& needs) = 0;
  virtual void released(const BlockNeeds& needs) = 0;
  // Numbers of warps that blocks may have at a time.
  virtual unsigned warp_slots() const = 0;
  // Of its blocks, some are active, and give way to others (policies/virtual_thread/).
  virtual bool rotates() const { return false; }
  // Those that have given way keep only the registers that they need.
  virtual bool keeps_live_registers() const { return false; }
};

std::unique_ptr<CtaResidencyPolicy> make_static_residency(const Residency& limits, const PolicyOptions& options);
std::unique_ptr<CtaResidencyPolicy> make_virtual_thread(const Residency& limits, const PolicyOptions& options);
std::unique_ptr<CtaResidencyPolicy> make_live_registers(const Residency& limits, const PolicyOptions& options);
std::unique_ptr<CtaResidencyPolicy> make_max_residency(const Residency& limits, const PolicyOptions& options);

}  // namespace heddle::device::sim
