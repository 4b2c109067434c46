#include "device/interp/interp.hpp"
#include "conformance/conformance.hpp"
HEDDLE_CONFORMANCE(interp, [] { return heddle::device::interp::make_interp_device(); })
