#include "base/nearest.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::base {
namespace {

const std::vector<std::string> commands{"compile", "launch", "inspect", "devices", "doctor"};

TEST(Nearest, CountsEditsAndSwappedNeighbours) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", "abc"), 0u);
  EXPECT_EQ(edit_distance("lauhcn", "launch"), 2u);
  EXPECT_EQ(edit_distance("gird", "grid"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Nearest, FindsWhatWasMeant) {
  EXPECT_EQ(nearest("lanuch", commands), "launch");
  EXPECT_EQ(nearest("DEVICE", commands), "devices");
  EXPECT_EQ(nearest("launch", commands), "launch");
}

TEST(Nearest, IsSilentWhereNothingIsNear) {
  EXPECT_EQ(nearest("frobnicate", commands), "");
  EXPECT_EQ(nearest("x", commands), "");
  EXPECT_EQ(nearest("", commands), "");
  EXPECT_EQ(nearest("x", {}), "");
  EXPECT_EQ(did_you_mean("frobnicate", commands), "");
  EXPECT_EQ(did_you_mean("docter", commands), "; did you mean 'doctor'?");
}

TEST(Nearest, FindsNamesWithTheSameParts) {
  const std::vector<std::string> names{"cache_dir", "cpu_features", "cpu_workers", "dump_ir",         "log",
                                       "nvrtc",     "run_slice",    "run_trace",   "run_trace_claim", "tune"};
  const auto meant = [&](std::string_view word) { return meant_by(word, names); };
  using List = std::vector<std::string>;
  EXPECT_EQ(meant("CACHE"), List{"cache_dir"});
  EXPECT_EQ(meant("dir"), List{"cache_dir"});  // and not "ir", which differs
  EXPECT_EQ(meant("worker"), List{"cpu_workers"});
  EXPECT_EQ(meant("feat"), List{"cpu_features"});
  EXPECT_EQ(meant("trace"), List{"run_trace"});  // and not "tune", of whose letters most differ
  EXPECT_EQ(meant("log_level"), List{"log"});
  EXPECT_EQ(meant("cpu"), (List{"cpu_features", "cpu_workers"}));
  EXPECT_EQ(meant("lo"), List{"log"});
  EXPECT_EQ(meant("tun"), List{"tune"});
  for (const char* const other : {"x", "nvcc", "foo", "debug", "level", "_", ""})
    EXPECT_EQ(meant(other), List{}) << other;
  EXPECT_EQ(nearest("cache", names), "cache_dir");
  EXPECT_EQ(nearest("cpu", names), "");  // nothing says which
  EXPECT_EQ(nearest("insp", commands), "inspect");
}

}  // namespace
}  // namespace heddle::base
