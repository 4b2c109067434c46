// A text is a machine, and then reads the same again from what the writer makes of it, or is refused with its place.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "device/sim/machine_file/reader.hpp"
#include "heddle/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const device::sim::MachineDescription made = device::sim::parse_machine(text, "in.toml");
    if (!(device::sim::parse_machine(device::sim::to_toml(made), "out.toml") == made)) std::abort();
  } catch (const Error& error) {
    const bool placed = std::string_view(error.what()).substr(0, 8) == "in.toml:";
    if (error.code() != ErrorCode::parse_error || !placed) std::abort();
  }
  return 0;
}
