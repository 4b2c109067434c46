// Variables of a module that lie in memory of the program's own: the host and kernels use the same bytes.
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
  void* data = nullptr;  // aligned as the PTX says, there for as long as the module
  std::size_t size = 0;
};

// What lies in memory in the place of an address that only a device knows: no pointer. Device::load puts the address
// there, unless something else lies there by then.
inline constexpr std::uint64_t address_of_device = 0x80DE'71CE'ADD4'E55A;

// Where that was written, and what for.
struct OpenAddress {
  void* place = nullptr;
  std::string name;  // of a variable or function
  std::int64_t offset = 0;
};

// Writes what the PTX says of the variables that it defines: their initial values, and zeros. Addresses of variables
// among `placed`, also of those that it only declares, are where they were placed; returns the others. Throws
// parse_error; invalid_argument for memory that is too small; unsupported for an address of a device that is kept byte
// by byte. Any thread.
std::vector<OpenAddress> write_initial_values(std::string_view ptx, std::span<const PlacedVariable> placed);

}  // namespace heddle
