#include "device/sim/policies/formation/make_order.hpp"

#include <utility>

#include "device/sim/policies/formation/majority_heap.hpp"

namespace heddle::device::sim {

std::unique_ptr<FormationOrder> make_order(std::string_view name, OrderContext context) {
  if (name == "timestamp") return make_timestamp_order();
  if (name == "pc") return make_pc_order();
  if (name == "pdom-priority") return make_pdom_order(std::move(context));
  if (name == "majority" && context.heap_ports != 0)
    return std::make_unique<MajorityHeap>(MajorityHeap::Limits{.ports = context.heap_ports}, *context.now,
                                          *context.counts);
  return make_count_order(name == "majority");
}

}  // namespace heddle::device::sim
