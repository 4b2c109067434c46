// What the linker is given.
#pragma once

#include <string>

#include "ptx/ir.hpp"

namespace heddle::ptx {

struct LinkInput {
  Module module;     // as parse() makes it
  std::string name;  // for messages
};

}  // namespace heddle::ptx
