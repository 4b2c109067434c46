// Runs the cases of ptx_case.hpp on a device. A test program for a device is three lines:
//
//   int main(int argc, char** argv) {
//     return heddle::test::run_ptx_tests(argc, argv, "interp", make_device);
//   }
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "device/device.hpp"
#include "support/ptx_case.hpp"

namespace heddle::test {

struct TestDeviceOptions {
  bool poison = false;                          // fresh shared memory does not hold zeros
  std::function<void(std::string_view)> print;  // where vprintf goes
};
using DeviceFactory = std::function<std::unique_ptr<device::Device>(const TestDeviceOptions&)>;

// What one run of a case left behind.
struct CaseResult {
  std::vector<std::vector<std::uint64_t>> arguments;  // final contents by argument; scalars as they were
  std::string print;
  std::optional<ErrorCode> error;
  std::string error_text;
};

// The contents of an argument in memory, and back.
std::vector<std::byte> to_bytes(const CaseArgument& argument);
std::vector<std::uint64_t> from_bytes(const CaseArgument& argument, const std::vector<std::byte>& bytes);

CaseResult run_case(const PtxCase& c, const DeviceFactory& factory);
// The same in ranges of blocks, launched in that order in turn into so many queues.
CaseResult run_case_in_ranges(const PtxCase& c, std::span<const BlockRange> ranges, unsigned queues,
                              const DeviceFactory& factory);
// Empty when the result is what the case expects; else what differs. Runs the interpreter where the case asks for it.
std::string check_case(const PtxCase& c, const CaseResult& result);

// Registers each case of tests/data/run as a GoogleTest and runs them.
// `skip`, when given, says why the device cannot run a case; empty: it can.
int run_ptx_tests(int argc, char** argv, const std::string& device, const DeviceFactory& factory,
                  const std::function<std::string(const PtxCase&)>& skip = {});

}  // namespace heddle::test
