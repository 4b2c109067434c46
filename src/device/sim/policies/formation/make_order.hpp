// Orders by name.
#pragma once

#include <memory>
#include <string_view>

#include "device/sim/policies/formation/order.hpp"

namespace heddle::device::sim {

// By the name of the option `formation`.
std::unique_ptr<FormationOrder> make_order(std::string_view name, OrderContext context);

}  // namespace heddle::device::sim
