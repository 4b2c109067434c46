// What is said where the CPU device's library is not there, or not the right one. (That it works where it is shows
// every test that uses the CPU device through libheddle.)
#include "device/cpu/open.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "heddle/error.hpp"

namespace heddle::tests {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

void expect(ErrorCode code, const char* part) {
  try {
    device::cpu::open_cpu_device();
    FAIL() << "there is a device";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    EXPECT_THAT(error.what(), HasSubstr(part));
  }
}

TEST(OpenCpu, SaysWhatIsMissingAndLooksAgain) {
  const fs::path library = fs::path(HEDDLE_FOUND_FOLDER) / "libheddle_cpu.so";
  fs::remove(library);
  expect(ErrorCode::not_found, "libheddle_cpu.so, is not in the folder lib/heddle");
  fs::copy_file(HEDDLE_OTHER_LIBRARY, library);
  expect(ErrorCode::unsupported, "is not of Heddle");
  fs::remove(library);
}

}  // namespace
}  // namespace heddle::tests
