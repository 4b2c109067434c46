// Functions of the host in queues.
#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <vector>

#include "conformance/conformance.hpp"
#include "conformance/gate.hpp"

namespace heddle::conformance {
namespace {

using testing::HasSubstr;

// As many as the device has workers, and more.
TEST_P(Conformance, HostFunctionsThatWaitHoldUpNoOtherQueue) {
  constexpr std::uint32_t n = 1000;
  const Buffer<std::uint32_t> a(*device, n);
  std::vector<std::unique_ptr<Queue>> standing;
  std::vector<std::unique_ptr<Gate>> gates;
  for (unsigned i = 0; i < std::min(device->info().processors, 16u) + 2; ++i) {
    standing.push_back(device->queue({}));
    gates.push_back(std::make_unique<Gate>(*standing.back()));
  }
  queue->fill(a.span(), 6, 4);
  launch(*queue, "add_one", {.grid = {4}, .block = {256}}, a.address(), n);
  queue->synchronize();
  EXPECT_EQ(a.read(*queue), std::vector<std::uint32_t>(n, 7));
}

TEST_P(Conformance, HostFunctionsThatThrowFailTheQueue) {
  const auto before = device->event(), failed = device->event(), after = device->event();
  std::atomic<bool> ran{false};
  queue->record(*before);
  queue->call([] { throw Error(ErrorCode::io_error, "the disk is full"); });
  queue->record(*failed);
  EXPECT_THROW(failed->wait(), Error);  // what comes now is behind a failure that there is already
  queue->call([&] { ran = true; });
  queue->record(*after);
  EXPECT_NO_THROW(before->wait());
  EXPECT_THROW(after->wait(), Error);
  EXPECT_TRUE(after->done());
  try {
    queue->synchronize();
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io_error);
    EXPECT_STREQ(error.what(), "the disk is full");
  }
  EXPECT_FALSE(ran);
  queue->call([&] { ran = true; });
  EXPECT_NO_THROW(queue->synchronize());
  EXPECT_TRUE(ran);
}

// In order with the queue's other commands, also behind a host function; the stream is what the device has.
TEST_P(Conformance, FunctionsGetTheStreamInOrder) {
  const Buffer<std::uint32_t> a(*device, 1);
  std::uint32_t first = 0, second = 0;
  void* seen[2] = {};
  queue->fill(a.span(), 1, 4);
  queue->copy(Span::host(&first, 4), a.span());
  queue->call_with_stream([&](void* stream) { seen[0] = stream; });
  {
    Gate gate(*queue);
    queue->fill(a.span(), 2, 4);
    queue->call_with_stream([&](void* stream) {
      seen[1] = stream;
      if (stream == nullptr) second = 7;
    });
    queue->copy(Span::host(&first, 4), a.span());
    EXPECT_EQ(seen[1], nullptr);
    gate.open();
    queue->synchronize();
  }
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_EQ(first, 2u);
  EXPECT_EQ(second, seen[1] == nullptr ? 7u : 0u);
}

TEST_P(Conformance, HostFunctionsRunInOrder) {
  std::vector<int> order;
  for (int i = 0; i < 500; ++i) queue->call([&order, i] { order.push_back(i); });
  queue->synchronize();
  std::vector<int> expected(500);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(order, expected);
}

}  // namespace
}  // namespace heddle::conformance
