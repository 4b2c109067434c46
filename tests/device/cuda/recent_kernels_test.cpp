#include "device/cuda/recent_kernels.hpp"

#include <gtest/gtest.h>

namespace heddle::device::cuda {
namespace {

TEST(RecentKernels, NamesTheLastFourOnceEach) {
  RecentKernels kernels;
  EXPECT_EQ(kernels.describe(), "work of another queue");
  kernels.add("a");
  EXPECT_EQ(kernels.describe(), "kernel 'a'");
  kernels.add("a");
  EXPECT_EQ(kernels.describe(), "one of the queue's last kernels 'a'");
  for (const char* name : {"b", "c", "b", "ab"}) kernels.add(name);
  EXPECT_EQ(kernels.describe(), "one of the queue's last kernels 'b', 'c', 'ab'");
  kernels.clear();
  EXPECT_EQ(kernels.describe(), "work of another queue");
}

}  // namespace
}  // namespace heddle::device::cuda
