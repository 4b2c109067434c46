// Random programs overlapped against the same one statement after the other. HEDDLE_PROGRAM_SEEDS=1000:2000 runs
// others.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "random_programs/threads_machine.hpp"

namespace heddle::test::random_programs {
namespace {

#ifdef HEDDLE_MUTANT
// A rule of the DAG is left out (mutants.cmake): that must not go unnoticed.
TEST(Mutant, IsCaught) { EXPECT_GT(count_differences(0, 300, 1), 0) << HEDDLE_MUTANT; }
#else
TEST(RandomPrograms, AreAsIfNothingOverlapped) {
  std::uint64_t begin = 0, end = 300;
  if (const char* seeds = std::getenv("HEDDLE_PROGRAM_SEEDS")) {
    const std::string text = seeds;
    begin = std::stoull(text);
    end = std::stoull(text.substr(text.find(':') + 1));
  }
  EXPECT_EQ(count_differences(begin, end, 10), 0);
}
#endif

}  // namespace
}  // namespace heddle::test::random_programs
