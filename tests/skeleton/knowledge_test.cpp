// What an executor keeps of its runs, and finds again.
#include "base/clock.hpp"
#include "knowledge/store.hpp"
#include "skeleton/fixture.hpp"

namespace heddle::tests {
namespace {

using namespace skeleton;
using testing::HasSubstr;

class ExecutorKnowledge : public TreeTest {};

TEST_F(ExecutorKnowledge, ATunedProgramIsFoundAgainByTheNextExecutor) {
  auto x = runtime.array(std::vector<float>(4096, 1)), y = runtime.array<float>(4096);
  double share = -1;
  {
    Executor executor(runtime, options(std::nullopt));
    executor.tune(saxpy(), {value_of(x), value_of(y)});
    EXPECT_EQ(y[0], 0) << "a search leaves the arrays as they were";
    const Report report = saxpy().run(executor, x, y).get();
    EXPECT_THAT(report.why, HasSubstr("configurations that were tried"));
    share = report.gpu_share;
  }
  Executor executor(runtime, options(std::nullopt));
  const Report report = saxpy().run(executor, x, y).get();
  EXPECT_EQ(report.gpu_share, share);
  EXPECT_THAT(report.why, HasSubstr("configurations that were tried"));
  EXPECT_EQ(y[0], 4);
}

// Else a loop that ends by its data has nothing to do from the second run on.
TEST_F(ExecutorKnowledge, EachRunOfASearchBeginsWithTheDataOfTheFirst) {
  auto x = runtime.array(std::vector<float>(4096, 1));
  std::vector<std::size_t> ended_at;
  const Tree doubled = loop(skeleton::kernel(kernel("scale"), {}, total, 2.0f, arg(0), arg(0)),
                            {.condition =
                                 [&](LoopView& view) {
                                   if (view.read<float>(0)[0] < 100) return true;
                                   ended_at.push_back(view.iteration());
                                   return false;
                                 },
                             .global_sync = true});
  Executor executor(runtime, options(std::nullopt));
  executor.tune(doubled, {value_of(x)});
  EXPECT_EQ(x[0], 1);
  EXPECT_GT(ended_at.size(), 8);
  EXPECT_THAT(ended_at, testing::Each(7));
}

TEST_F(ExecutorKnowledge, NothingIsKeptOfARunThatIsRefused) {
  const Tree add = map(skeleton::kernel(kernel("scale"), {}, total, arg(0), arg(1), arg(2)));
  auto x = runtime.array(std::vector<float>(5000, 1)), y = runtime.array<float>(5000);
  for (const std::optional<double> share : {std::optional(0.5), std::optional<double>()}) {
    const ExecutorOptions given = options(share);
    Executor executor(runtime, given);
    const base::SteadyClock clock;
    const knowledge::Store store(given.knowledge, clock);
    const std::size_t before = store.all().size();
    EXPECT_THROW(add.run(executor, 2.0, x, y).get(), Error) << "a double for a float";
    EXPECT_THROW(executor.tune(add, {value_of(2.0), value_of(x), value_of(y)}), Error);
    EXPECT_EQ(store.all().size(), before);
    add.run(executor, 2.0f, x, y).get();
    EXPECT_EQ(store.all().size(), 1);
  }
}

TEST_F(ExecutorKnowledge, AnotherSizeIsDerivedAndAnotherShareKnowsNothing) {
  auto x = runtime.array(std::vector<float>(4096, 1)), y = runtime.array<float>(4096);
  auto small = runtime.array(std::vector<float>(2048, 1));
  Executor executor(runtime, options(std::nullopt));
  executor.tune(saxpy(), {value_of(x), value_of(y)});
  EXPECT_THAT(saxpy().run(executor, small, small).get().why, HasSubstr("of this program"));
  ExecutorOptions half = options(std::nullopt);
  half.share = "half";
  Executor other(runtime, half);
  const Report cold = saxpy().run(other, x, y).get();
  EXPECT_THAT(cold.why, HasSubstr("nothing was known"));
  EXPECT_EQ(cold.gpu_share, 0.5);
}

}  // namespace
}  // namespace heddle::tests
