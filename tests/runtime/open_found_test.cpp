// One device that cannot be opened does not stop the others.
#include "core/open_found.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/error.hpp"
#include "runtime/fake_device.hpp"

namespace heddle::tests {
namespace {

using core::Candidate;
using testing::HasSubstr;

Candidate works(const std::string& id) {
  return {id, true, [id] { return std::make_unique<FakeDevice>(FakeOptions{.id = id}); }};
}
Candidate fails(const std::string& id, ErrorCode code) {
  return {id, true, [id, code]() -> std::unique_ptr<device::Device> { throw Error(code, id + " is broken"); }};
}

std::vector<std::string> opened(const std::vector<Candidate>& all, bool without_cpu = false) {
  std::vector<std::string> ids;
  for (const auto& device : core::open_found(all, without_cpu)) ids.push_back(device->info().id);
  return ids;
}

using Ids = std::vector<std::string>;

TEST(OpenFound, OneThatCannotBeOpenedIsLeftOut) {
  EXPECT_EQ(opened({works("cuda:0"), works("cpu")}), (Ids{"cuda:0", "cpu"}));
  EXPECT_EQ(opened({fails("cuda:0", ErrorCode::out_of_memory), works("cuda:1"), works("cpu")}), (Ids{"cuda:1", "cpu"}));
  testing::internal::CaptureStderr();
  EXPECT_EQ(opened({works("cuda:0"), fails("cpu", ErrorCode::not_found)}), (Ids{"cuda:0"}));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("cpu is left out: cpu is broken"));
}

TEST(OpenFound, WithoutAnyDeviceTheReasonIsThrown) {
  EXPECT_THROW(opened({fails("cpu", ErrorCode::not_found)}), Error);
  EXPECT_THROW(opened({fails("cuda:0", ErrorCode::out_of_memory), fails("cpu", ErrorCode::not_found)}), Error);
  EXPECT_THROW(opened({fails("cuda:0", ErrorCode::out_of_memory)}), Error);
}

TEST(OpenFound, WrongOptionsAreNoBrokenDevice) {
  EXPECT_THROW(opened({works("cuda:0"), fails("cpu", ErrorCode::invalid_argument)}), Error);
}

TEST(OpenFound, TheCpuMayBeWantedOnlyAlone) {
  EXPECT_EQ(opened({works("cuda:0"), fails("cpu", ErrorCode::not_found)}, true), (Ids{"cuda:0"}));
  EXPECT_EQ(opened({works("cpu")}, true), (Ids{"cpu"}));
}

}  // namespace
}  // namespace heddle::tests
