// Variables of a module in memory of the program's own: the host and kernels use the same bytes.
//
//   std::vector<heddle::PlacedVariable> placed = {{"total", &total, sizeof total}};
//   heddle::write_initial_values(module.ptx(), placed);
//   device.load(module, {}, placed);                          // on devices whose memory is the host's
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

struct PlacedVariable {
  std::string name;      // in the PTX
  void* data = nullptr;  // aligned as the PTX states; must exist as long as the module
  std::size_t size = 0;
};

// A placeholder for an address that only a device knows; it is not a pointer. Device::load writes the address there,
// unless the program has written something else.
inline constexpr std::uint64_t address_of_device = 0x80DE'71CE'ADD4'E55A;

// Where a placeholder was written, and for what.
struct OpenAddress {
  void* place = nullptr;
  std::string name;  // of a variable or function
  std::int64_t offset = 0;
};

// Writes the values that the PTX gives to the variables that it defines: their initial values, and zeros. Addresses of
// variables among `placed`, also of those that the PTX only declares, are the placed ones; returns the others. Throws
// parse_error; invalid_argument for memory that is too small; unsupported for an address of a device that is kept byte
// by byte. Any thread.
std::vector<OpenAddress> write_initial_values(std::string_view ptx, std::span<const PlacedVariable> placed);

}  // namespace heddle
