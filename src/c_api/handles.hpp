// The objects behind the handles of heddle/heddle.h: objects of the C++ interface, and the strings that functions
// return.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "heddle/heddle.h"
#include "heddle/heddle.hpp"

struct heddle_runtime {
  heddle::Runtime runtime;
  std::vector<heddle::DeviceInfo> devices;
};

struct heddle_module {
  heddle::Module module;
  std::vector<std::string> kernel_names;
};

struct heddle_kernel {
  heddle::Kernel kernel;
};

struct heddle_array {
  heddle::Array<std::byte> array;
};

struct heddle_tenant {
  heddle::Tenant tenant;
};

struct heddle_launch {
  heddle::Launch launch;
};
