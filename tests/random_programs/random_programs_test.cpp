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
struct Seeds {
  std::uint64_t begin = 0, end = 300;
  Seeds() {
    const char* const given = std::getenv("HEDDLE_PROGRAM_SEEDS");
    if (given == nullptr) return;
    const std::string text = given;
    begin = std::stoull(text);
    end = std::stoull(text.substr(text.find(':') + 1));
  }
};

TEST(RandomPrograms, AreAsIfNothingOverlapped) {
  const Seeds seeds;
  EXPECT_EQ(count_differences(seeds.begin, seeds.end, 10), 0);
}

TEST(RandomPrograms, AreTheSameWhereverTheirLaunchesArePlaced) {
  const Seeds seeds;
  EXPECT_EQ(count_placed_differences(seeds.begin, seeds.end, 10), 0);
}
#endif

}  // namespace
}  // namespace heddle::test::random_programs
