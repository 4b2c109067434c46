// The priority of a launch on devices that have one for each queue: what policies decide about work that is lent.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/core.hpp"
#include "queues/shared_queue.hpp"
#include "runtime/fake_device.hpp"

namespace heddle::tests {
namespace {

class QueuePriority : public testing::Test {
 protected:
  void make(unsigned capability) {
    auto device = std::make_unique<FakeDevice>(FakeOptions{.id = "gpu", .capability = capability, .log = &log_});
    device_ = device.get();
    std::vector<std::unique_ptr<device::Device>> devices;
    devices.push_back(std::move(device));
    core_ = std::make_shared<core::Core>(std::move(devices), core::CoreOptions{});
    queue_ = std::make_unique<queues::SharedQueue>(*core_, 0, device::QueueOptions{.priority = 1});
  }
  // Fills so many bytes.
  void fill(int priority, std::size_t bytes) {
    queue_->put_on(nullptr, priority,
                   [&](device::Queue& queue) { queue.fill(device::Span::host(memory_.data(), bytes), 0, 1); });
  }
  std::vector<std::string> fills() const {
    std::vector<std::string> made;
    for (const std::string& line : log_)
      if (line.find("fill") != std::string::npos) made.push_back(line);
    return made;
  }

  std::vector<std::string> log_;
  std::vector<std::byte> memory_{64};
  FakeDevice* device_ = nullptr;
  std::shared_ptr<core::Core> core_;
  std::unique_ptr<queues::SharedQueue> queue_;
};

TEST_F(QueuePriority, IsThatOfTheDecision) {
  make(90);
  for (const int priority : {-1, 0, 1, -1, 1}) fill(priority, 4);
  EXPECT_EQ(device_->priorities(), (std::vector<int>{1, 0, 2})) << "one queue for each, at first use";
}

TEST_F(QueuePriority, ChangesAndTheOrderStays) {
  make(90);
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < 12; ++i) {
    fill(static_cast<int>(i * 7 % 3) - 1, i + 1);
    expected.push_back("gpu: fill " + std::to_string(i + 1));
  }
  EXPECT_TRUE(fills().empty()) << "the device runs when somebody waits";
  queue_->synchronize();
  EXPECT_EQ(fills(), expected);
}

TEST_F(QueuePriority, EventsComeAfterCommandsOfEachPriority) {
  make(90);
  queues::EventRecord record(core_->device(0).event());
  fill(1, 3);
  fill(-1, 5);
  queue_->record(record);
  fill(1, 7);
  record.event->wait();
  EXPECT_EQ(fills(), (std::vector<std::string>{"gpu: fill 3", "gpu: fill 5"}));
  queue_->synchronize();
  EXPECT_EQ(fills().size(), 3u);
}

TEST_F(QueuePriority, IsIgnoredWhereDevicesHaveNone) {
  make(0);
  for (const int priority : {-1, 0, 1}) fill(priority, 4);
  EXPECT_EQ(device_->priorities(), (std::vector<int>{1}));
  queue_->synchronize();
  EXPECT_EQ(fills().size(), 3u);
}

}  // namespace
}  // namespace heddle::tests
