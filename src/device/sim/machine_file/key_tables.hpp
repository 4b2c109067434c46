// The section "Keys" of docs/machines.md.
#pragma once

#include <string>

namespace heddle::device::sim {

// A table of each section of a machine file, made from the fields. tests/tools/machine_keys.cpp writes it into the
// page.
std::string key_tables();

// The page with its section "Keys" replaced. Throws invalid_argument for a page without one.
std::string with_key_tables(const std::string& page);

}  // namespace heddle::device::sim
