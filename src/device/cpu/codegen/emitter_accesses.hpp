// The parts of the emitter that access memory.
#pragma once

#include "device/cpu/codegen/emitter_addresses.hpp"
#include "device/cpu/codegen/emitter_checks.hpp"
#include "device/cpu/codegen/emitter_elements.hpp"
#include "device/cpu/codegen/emitter_lane_memory.hpp"
#include "device/cpu/codegen/emitter_rows.hpp"
#include "device/cpu/codegen/emitter_slow.hpp"
#include "device/cpu/codegen/emitter_values.hpp"
#include "device/cpu/codegen/emitter_whole.hpp"

namespace heddle::device::cpu {

struct Accesses {
  Accesses(FunctionContext& context, Values& values)
      : addresses(context, values.spaces, values.registers),
        elements(context, addresses),
        slow(context),
        whole(context, values.branches, addresses),
        variables(context, values, addresses, elements),
        rows(context, values, addresses, elements, slow),
        checks(context, values) {}
  Accesses(const Accesses&) = delete;
  Accesses& operator=(const Accesses&) = delete;

  Addresses addresses;
  ElementAccess elements;
  SlowAccess slow;
  WholeAccess whole;
  LaneVariables variables;
  RowLoads rows;
  CheckCalls checks;
};

}  // namespace heddle::device::cpu
