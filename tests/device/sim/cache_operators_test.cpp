// What cache operators of loads do on a simulated GPU.
#include <gtest/gtest.h>

#include <string>

#include "device/sim/kernel_run.hpp"

namespace heddle::device::sim {
namespace {

// Sixteen loads of a warp from one line, each after the one before.
KernelRun loads_with(const std::string& suffix) {
  const std::string body = "mov.u32 %r1, 0;\nL:\nld" + suffix +
                           ".u32 %r0, [%p];\nadd.u32 %r1, %r1, 1;\nand.b32 %r2, %r0, 0;\nadd.u32 %r1, %r1, %r2;\n"
                           "setp.lt.u32 %c, %r1, 16;\n@%c bra L;\n";
  return run_kernel("fermi-c2050", body, {.threads = 32, .blocks = 1});
}

// .cg, .cv and .volatile load past the L1 (PTX ISA, cache operators).
TEST(CacheOperators, LoadsPastTheL1) {
  for (const char* suffix : {".global", ".global.ca", ".global.cs", ".global.lu"})
    EXPECT_EQ(loads_with(suffix).figures.memory.sm.l1.hits, 15u) << suffix;
  const auto cached = loads_with(".global").figures.cycles();
  for (const char* suffix : {".global.cg", ".global.cv", ".volatile.global"}) {
    const KernelStatistics figures = loads_with(suffix).figures;
    EXPECT_EQ(figures.memory.sm.l1.hits, 0u) << suffix;
    EXPECT_EQ(figures.memory.l2.cache.hits, 15u) << suffix;
    EXPECT_GT(figures.cycles(), cached + 15 * 100) << suffix;
  }
}

}  // namespace
}  // namespace heddle::device::sim
