#include "conformance/conformance.hpp"
#include "device/interp/interp.hpp"
HEDDLE_CONFORMANCE(interp, [] { return heddle::device::interp::make_interp_device(); })
