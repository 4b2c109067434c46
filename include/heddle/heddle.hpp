// All of Heddle's public interface.
#pragma once

#include "heddle/array.hpp"
#include "heddle/call.hpp"
#include "heddle/compile.hpp"
#include "heddle/device.hpp"
#include "heddle/devices.hpp"
#include "heddle/dim3.hpp"
#include "heddle/direction.hpp"
#include "heddle/error.hpp"
#include "heddle/kernel.hpp"
#include "heddle/launch.hpp"
#include "heddle/link.hpp"
#include "heddle/module.hpp"
#include "heddle/queue.hpp"
#include "heddle/runtime.hpp"
#include "heddle/scheduling.hpp"
#include "heddle/version.hpp"
