// Log lines where memory runs out: they are written where errors are handled, so they must not throw themselves.
#include <gtest/gtest.h>
#include <spdlog/spdlog.h>

#include "base/log.hpp"
#include "support/scarce_memory.hpp"

namespace heddle::base {
namespace {

TEST(LogWithoutMemory, LinesAreLostAndNothingIsThrown) {
  if (!tests::has_scarce_memory) GTEST_SKIP() << "the sanitizer has its own malloc";
  const std::string_view name = "a name that is too long for a short string";
  long refused = 0;
  for (bool ran_out = true; ran_out; refused += ran_out ? 1 : 0) {
    spdlog::drop_all();  // so that the next line makes the logger again
    const tests::ScarceMemory scarce(refused);
    log_error("tenant '{}': {}", name, refused);
    ran_out = scarce.ran_out();
  }
  EXPECT_GT(refused, 3) << "as many allocations as a logger takes";
}

}  // namespace
}  // namespace heddle::base
