// Random programs overlapped against the same one statement after the other. HEDDLE_PROGRAM_SEEDS=1000:2000 runs
// others.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "random_programs/threads_machine.hpp"

namespace heddle::test::random_programs {
namespace {

// In a process of its own: without a rule memory may be used when it is not there any more. Its wait status.
int status_of(int seeds) {
  const pid_t child = fork();
  if (child == 0) _exit(count_differences(0, static_cast<std::uint64_t>(seeds), 1) > 0 ? 1 : 0);
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

#ifdef HEDDLE_MUTANT
// A rule of the DAG is left out (mutants.cmake): that must not go unnoticed.
TEST(Mutant, IsCaught) { EXPECT_NE(status_of(300), 0) << HEDDLE_MUTANT; }
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

// With all rules there is nothing to catch.
TEST(Mutant, IsTheOnlyOneCaught) { EXPECT_EQ(status_of(30), 0); }

TEST(RandomPrograms, AreAsIfNothingOverlapped) {
  const Seeds seeds;
  EXPECT_EQ(count_differences(seeds.begin, seeds.end, 10), 0);
  EXPECT_GT(count_early_launches(), (seeds.end - seeds.begin) / 10);
}

TEST(RandomPrograms, AreTheSameWhereverTheirLaunchesArePlaced) {
  const Seeds seeds;
  EXPECT_EQ(count_placed_differences(seeds.begin, seeds.end, 10), 0);
}

TEST(RandomPrograms, AreTheSameWhenAPolicyHoldsAndSlicesTheirLaunches) {
  const Seeds seeds;
  EXPECT_EQ(count_managed_differences(seeds.begin, seeds.end, 10), 0);
}

TEST(RandomPrograms, AreTheSameInMemoryOfAQuarterOfTheirArrays) {
  const Seeds seeds;
  EXPECT_EQ(count_small_memory_differences(seeds.begin, seeds.end, 10), 0);
}
#endif

}  // namespace
}  // namespace heddle::test::random_programs
