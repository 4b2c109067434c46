// Events that are recorded when something asks for them.
#include "device/cuda/fake_gpu.hpp"

namespace heddle::device::cuda {
namespace {

class LateRecords : public FakeGpu {
 protected:
  std::unique_ptr<Event> late() {
    auto event = device_->untimed_event();
    queue_->record_late(*event);
    return event;
  }
};

TEST_F(LateRecords, OneIsForSeveralCommands) {
  records_();
  std::vector<std::unique_ptr<Event>> events;
  for (int i = 0; i < 64; ++i) events.push_back(late());
  EXPECT_EQ(records_(), 8u);
  for (const auto& event : events) EXPECT_TRUE(event->done());
  EXPECT_EQ(records_(), 0u);
}

TEST_F(LateRecords, AreMadeByTheFirstThatAsks) {
  const auto first = late(), second = late();
  records_();
  EXPECT_TRUE(first->done());
  EXPECT_EQ(records_(), 1u);
  second->wait();
  EXPECT_EQ(records_(), 0u) << "they have one";
  const auto third = late();
  third->wait();
  EXPECT_EQ(records_(), 1u) << "the one of the others was before it";
}

TEST_F(LateRecords, AreMadeForOtherQueues) {
  const auto other = device_->queue({});
  const auto event = late();
  records_();
  other->wait(*event);
  EXPECT_EQ(records_(), 1u);
  other->wait(*event);
  EXPECT_EQ(records_(), 0u);
}

TEST_F(LateRecords, AreNotMadeInQueuesThatHaveEnded) {
  const auto event = late();
  records_();
  queue_.reset();
  EXPECT_TRUE(event->done());
  EXPECT_NO_THROW(event->wait());
  EXPECT_EQ(records_(), 0u);
}

TEST_F(LateRecords, WithATimeAreMadeAtOnce) {
  const auto event = device_->event();
  records_();
  queue_->record_late(*event);
  EXPECT_GE(records_(), 1u);
}

}  // namespace
}  // namespace heddle::device::cuda
