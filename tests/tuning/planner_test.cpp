#include "tuning/planner.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "support/temporary_folder.hpp"
#include "tuning/cost_surface.hpp"

namespace heddle::tuning {
namespace {

// A filter of images on a CPU and a GPU. The CPU starts at once, the GPU has an overhead, so the best share depends on
// the size.
CostSurface filter_of(double width, double height) {
  CostSurface surface;
  surface.elements = width * height;
  surface.gpu_seconds_per_element = 0.45e-9;
  surface.transfer_seconds_per_element = 0.2e-9;
  surface.cpu_seconds_per_element = 8e-9;
  surface.gpu_overhead = 100e-6;
  surface.cpu_overhead = 5e-6;
  return surface;
}

class PlannerTest : public testing::Test {
 protected:
  tests::TemporaryFolder folder_;
  base::SteadyClock clock_;
  knowledge::Store store_{folder_.path() / "k.sqlite", clock_};
  const knowledge::Subject subject_{"filter", "cpu + gpu", "all"};
};

// The shape of the paper's Table 4.
TEST_F(PlannerTest, DerivedConfigurationsAreWithinFivePercentFromTheFourthImageOn) {
  const std::vector<std::vector<double>> images{{1024, 1024}, {4288, 2848}, {512, 512},  {8192, 8192}, {1800, 1125},
                                                {2048, 2048}, {256, 512},   {1440, 900}, {2048, 2048}, {512, 512}};
  NoisyMeasure noise(0.01, 7);
  Planner planner(subject_, &store_);
  for (std::size_t image = 0; image < images.size(); ++image) {
    const CostSurface surface = filter_of(images[image][0], images[image][1]);
    const knowledge::Workload workload{images[image], false};
    planner.plan(workload, 1 / images[image][1], {{.gpu_share = 0.5}, "static"});
    if (image == 0)
      planner.set_built(tune({{knowledge::Fission::none}, {1}, {{{}, 1}}},
                             [&](const auto& configuration) { return surface.measure(configuration); }));
    for (int run = 0; run < 100; ++run) planner.record(noise(surface.measure(planner.plan(workload, 1, {}))), nullptr);
    const auto kept = store_.find(subject_, workload);
    ASSERT_TRUE(kept);
    knowledge::Configuration best;
    best.gpu_share = surface.best_share(best);
    if (image < 4) continue;
    EXPECT_LE(surface.measure(kept->configuration).seconds(), 1.05 * surface.measure(best).seconds()) << image;
    EXPECT_NEAR(kept->configuration.gpu_share, best.gpu_share, 0.03) << image;
  }
}

TEST_F(PlannerTest, ARestartHitsExactlyAndSearchesNothing) {
  const CostSurface surface = filter_of(1024, 1024);
  const knowledge::Workload workload{{1024, 1024}, false};
  double share = 0;
  {
    Planner planner(subject_, &store_, {.build_profiles = true});
    for (int run = 0; run < 20; ++run)
      planner.record(surface.measure(planner.plan(workload, 1.0 / 1024, {{.gpu_share = 0.2}, "static"})), [&] {
        return tune(surface.space(), [&](const auto& configuration) { return surface.measure(configuration); });
      });
    share = planner.profile().configuration.gpu_share;
    EXPECT_EQ(planner.profile().origin, knowledge::Origin::built);
  }
  Planner planner(subject_, &store_, {.build_profiles = true});
  EXPECT_EQ(planner.plan(workload, 1.0 / 1024, {{.gpu_share = 0.2}, "static"}).gpu_share, share);
  bool searched = false;
  for (int run = 0; run < 20; ++run)
    planner.record(surface.measure(planner.plan(workload, 1, {})), [&] {
      searched = true;
      return TunerResult();
    });
  EXPECT_FALSE(searched);
}

TEST_F(PlannerTest, AProfileIsBuiltOnceForEachWorkload) {
  const knowledge::Workload workload{{1024}, false};
  Planner planner(subject_, &store_, {.build_profiles = true});
  int searches = 0;
  for (int run = 0; run < 50; ++run) {
    planner.plan(workload, 0.01, {{.gpu_share = 0.5}, "static"});
    planner.record({1, 0.1}, [&] {
      ++searches;
      return TunerResult{.configuration = {.gpu_share = 0.5}, .seconds = 2, .deviation = 1, .evaluations = {}};
    });
  }
  EXPECT_EQ(searches, 1);
}

TEST_F(PlannerTest, WithoutAStoreItAdapts) {
  const CostSurface surface = filter_of(4096, 4096);
  Planner planner(subject_, nullptr);
  const knowledge::Workload workload{{4096, 4096}, false};
  for (int run = 0; run < 30; ++run)
    planner.record(surface.measure(planner.plan(workload, 1.0 / 4096, {{.gpu_share = 0.3}, "static"})), nullptr);
  EXPECT_NEAR(planner.profile().configuration.gpu_share, surface.best_share({}), 0.05);
}

// The split is balanced, so that no load balancer corrects it; but the GPU alone is faster than it has become.
TEST_F(PlannerTest, ASplitThatBecomesSlowerThanTheGpuAloneIsLeftAndComesBack) {
  Planner planner(subject_, nullptr, {.build_profiles = true});
  const knowledge::Workload workload{{4096}, false};
  double split_seconds = 0.8;
  const auto measure = [&](const knowledge::Configuration& tried) {
    if (tried.gpu_share == 1) return Measured{1, 0};
    if (tried.gpu_share == 0) return Measured{0, 5};
    return Measured{split_seconds, split_seconds};
  };
  planner.plan(workload, 0.01, {{.gpu_share = 0.5}, "static"});
  planner.set_built(tune({{knowledge::Fission::none}, {1}, {{}}}, measure));
  const auto run = [&](int times) {
    int alone = 0;
    for (int i = 0; i < times; ++i) {
      const knowledge::Configuration used = planner.plan(workload, 0.01, {});
      alone += used.gpu_share == 1 ? 1 : 0;
      planner.record(measure(used), nullptr);
    }
    return alone;
  };
  EXPECT_EQ(run(50), 0);
  split_seconds = 1.4;
  EXPECT_EQ(run(20), 15);  // five of the last nine runs show it
  EXPECT_GE(run(200), 190);
  split_seconds = 0.8;
  run(300);  // until it is tried again
  EXPECT_LE(run(50), 8);
}

TEST_F(PlannerTest, TheKeptTimeNeverGrows) {
  Planner planner(subject_, &store_);
  const knowledge::Workload workload{{4096, 4096}, false};
  NoisyMeasure noise(0.2, 3);
  double last = knowledge::never_run;
  for (int run = 0; run < 100; ++run) {
    planner.record(noise(filter_of(4096, 4096).measure(planner.plan(workload, 1e-3, {{.gpu_share = 0.9}, "static"}))),
                   nullptr);
    const double kept = store_.find(subject_, workload)->best_seconds;
    EXPECT_LE(kept, last);
    last = kept;
  }
}

}  // namespace
}  // namespace heddle::tuning
