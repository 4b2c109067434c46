// Loads that are pulled up change no result: random kernels, and the same with their instructions in the new order.
#include <gtest/gtest.h>

#include "ptx/parser.hpp"
#include "ptx/printer.hpp"
#include "ptx/rewrite/hoist_loads.hpp"
#include "random/comparison.hpp"

namespace heddle::test::random_kernel {
namespace {

TEST(HoistedLoads, RandomKernelsComputeTheSame) {
  int changed = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const std::string text = generate(seed).text();
    for (const unsigned in_flight : {1u, 16u}) {
      const Comparison comparison = compare_with_interp(text, [&](const PtxCase& c) {
        const ptx::Module module = ptx::parse(c.source, "random");
        PtxCase hoisted = c;
        hoisted.source = ptx::print(ptx::hoist_loads(module, in_flight));
        changed += in_flight == 16 && hoisted.source != ptx::print(module);
        return run_on_interp(hoisted);
      });
      ASSERT_EQ(comparison.verdict, Verdict::equal) << "seed " << seed << ": " << comparison.text << "\n" << text;
    }
  }
  EXPECT_GT(changed, 100);
}

}  // namespace
}  // namespace heddle::test::random_kernel
