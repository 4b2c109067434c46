// Rooms use the rooms below them, never those above (docs/architecture.md): reads every #include.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "layering/source_tree.hpp"

namespace heddle::tests {
namespace {

// What a room may include besides itself and the public headers. A room is the longest key that a path begins with.
const std::map<std::string, std::set<std::string>> allowed = {
    {"base", {}},
    {"model", {"base"}},
    {"texture", {"base"}},
    {"graph", {"base"}},
    {"knowledge", {"base"}},
    {"tuning", {"base", "knowledge"}},
    {"memory", {"base", "graph", "device"}},
    {"sched", {"base", "model", "ptx", "graph", "memory", "trace", "device"}},
    // Policies and the dispatcher on a device in virtual time.
    {"tenancy", {"base", "graph", "device", "sched"}},
    // What the daemon of a node and its tenants share; the tenants are processes of their own.
    {"daemon", {"base", "sched"}},
    {"trace", {"base", "graph"}},
    {"ptx", {"base"}},
    {"compile", {"base", "ptx"}},
    {"device", {"base", "ptx", "graph", "texture"}},
    {"device/cpu", {"base", "ptx", "texture", "device"}},
    {"device/cuda", {"base", "ptx", "device"}},
    // Below whoever decides the order of instructions.
    {"device/machine", {"base", "ptx", "texture", "device"}},
    // What devices share whose kernels the machine core executes.
    {"device/emulated", {"base", "ptx", "texture", "device", "device/machine"}},
    {"device/interp", {"base", "ptx", "device", "device/machine", "device/emulated"}},
    // The simulator: machine files know nothing of memory, neither knows of devices.
    {"device/sim/machine_file", {"base"}},
    {"device/sim/memory", {"base", "device/sim/machine_file"}},
    {"device/sim",
     {"base", "ptx", "device", "device/machine", "device/emulated", "device/sim/machine_file", "device/sim/memory"}},
    // What the launches of a runtime share, and its lock.
    {"core", {"base", "graph", "memory", "sched", "daemon", "links", "trace", "device"}},
    {"runtime",
     {"base", "ptx", "modules", "graph", "memory", "sched", "links", "trace", "core", "compile", "device", "device/cpu",
      "device/cuda", "device/interp", "device/sim"}},
    {"links", {"base", "sched", "device"}},
    {"batch", {"base", "model", "ptx", "sched", "device", "device/sim", "device/sim/machine_file"}},
    {"modules", {"base", "ptx"}},
    {"queues", {"base", "ptx", "sched", "device", "core", "runtime"}},
    {"doctor", {"base", "ptx", "compile", "device/cuda", "runtime"}},
    // Building CUDA programs takes the compiler and the container of device code; running them looks into that.
    {"programs", {"base", "compile", "cuda_api/image", "device/cuda"}},
    // Reports of simulated GPUs are files: what shows them knows no device. A sweep starts processes.
    {"simreport", {"base"}},
    {"sweep", {"base", "simreport"}},
    {"cli",
     {"base", "knowledge", "ptx", "modules", "batch", "device/sim", "daemon", "doctor", "runtime", "programs", "sched",
      "trace", "simreport", "sweep"}},
    // On the public interface alone, so that it can do what a program of C++ can.
    {"c_api", {}},
    {"skeleton", {"base", "knowledge", "tuning"}},
    // On the public interface; the types of CUDA's interface are those of the headers that programs are given.
    {"cuda_api", {"base", "graph", "model", "compile/headers", "cuda_api/image", "cuda_api/abi"}},
    // In front of NVIDIA's library, of which it needs the place and the types.
    {"interpose", {"base", "trace", "sched", "daemon", "compile/headers", "cuda_api/abi", "device/cuda"}},
    {"cuda_api/abi", {"compile/headers"}},
    // Bytes only, so that tools can use it too.
    {"cuda_api/image", {"base"}},
    {"compile/headers", {}},
};

// "device/cpu" for "device/cpu/queue.cpp"; nothing for a path in no room.
std::optional<std::string> room_of(const std::string& path) {
  std::optional<std::string> best;
  for (const auto& [room, unused] : allowed) {
    if (path.rfind(room + "/", 0) == 0 && (!best || room.size() > best->size())) best = room;
  }
  return best;
}

// The device headers in src/compile/headers are read by clang when it compiles a user's kernels, never by the host's
// build.
bool is_device_header(const std::string& path) { return path.rfind("src/compile/headers/", 0) == 0; }

TEST(Layering, NoRoomIncludesOneAboveIt) {
  for (const SourceText& source : sources("src", {".hpp", ".cpp", ".def", ".h", ".inc"})) {
    if (is_device_header(source.path)) continue;
    const auto room = room_of(source.path.substr(4));
    ASSERT_TRUE(room) << source.path << " is in no room that this test knows; add the room to its table";
    for (const std::string& line : source.lines) {
      const auto included = quoted_include(line);
      if (!included || included->rfind("heddle/", 0) == 0) continue;
      const auto target = room_of(*included);
      EXPECT_TRUE(target) << source.path << " includes \"" << *included << "\", which is not relative to src/";
      if (target && *target != *room) {
        EXPECT_EQ(allowed.at(*room).count(*target), 1u)
            << source.path << " (" << *room << ") includes \"" << *included << "\"";
      }
    }
  }
}

// The other parts that each part of the analysis may include. Files outside of the parts may include all of them.
const std::map<std::string, std::set<std::string>> parts_of_the_analysis = {
    {"flow", {}},
    {"lanes", {"flow"}},
    {"effects", {"flow"}},
    {"access", {"flow", "effects"}},
    {"waiting", {"flow", "lanes", "effects"}},
};

// "flow" for "ptx/analysis/flow/graph.hpp"; nothing for a path in no part.
std::optional<std::string> part_of(const std::string& path) {
  const std::string folder = "ptx/analysis/";
  if (path.rfind(folder, 0) != 0) return std::nullopt;
  const auto end = path.find('/', folder.size());
  if (end == path.npos) return std::nullopt;
  return path.substr(folder.size(), end - folder.size());
}

TEST(Layering, NoPartOfTheAnalysisIncludesOneAboveIt) {
  for (const SourceText& source : sources("src/ptx/analysis", {".hpp", ".cpp"})) {
    const auto part = part_of(source.path.substr(4));
    if (!part) continue;
    ASSERT_TRUE(parts_of_the_analysis.count(*part)) << source.path << " is in a part that this test does not know";
    for (const std::string& line : source.lines) {
      const auto included = quoted_include(line);
      if (!included || included->rfind("ptx/analysis/", 0) != 0) continue;
      const auto target = part_of(*included);
      if (target == part) continue;
      EXPECT_TRUE(target && parts_of_the_analysis.at(*part).count(*target))
          << source.path << " includes \"" << *included << "\"";
    }
  }
}

TEST(Layering, PublicHeadersKnowNothingOfSrc) {
  for (const SourceText& source : sources("include", {".hpp", ".h"})) {
    for (const std::string& line : source.lines) {
      const auto included = quoted_include(line);
      if (!included) continue;
      EXPECT_EQ(included->rfind("heddle/", 0), 0u) << source.path << " includes \"" << *included << "\"";
    }
  }
}

TEST(Layering, ExamplesUseThePublicInterfaceOnly) {
  for (const SourceText& source : sources("examples", {".hpp", ".cpp", ".h", ".c"})) {
    for (const std::string& line : source.lines) {
      const auto included = quoted_include(line);
      if (!included) continue;
      EXPECT_FALSE(room_of(*included)) << source.path << " includes \"" << *included << "\"";
    }
  }
}

// So that the C interface stays complete enough for other front ends. The list of a runtime's options is a description.
TEST(Layering, ThePythonPackageUsesTheCInterfaceOnly) {
  for (const SourceText& source : sources("python", {".hpp", ".cpp"})) {
    for (const std::string& line : source.lines) {
      const auto included = quoted_include(line);
      if (!included || included == "heddle/heddle.h" || included == "heddle/skeleton.h") continue;
      if (included == "runtime_options.def") continue;
      EXPECT_TRUE(std::filesystem::exists(source_folder() / "python/src" / *included))
          << source.path << " includes \"" << *included << "\"";
    }
  }
}

TEST(Layering, HeadersAreGuardedAndDoNotOpenNamespaces) {
  for (const char* folder : {"src", "include", "tests", "bench", "examples", "python"}) {
    for (const SourceText& source : sources(folder, {".hpp"})) {
      bool once = false;
      for (const std::string& line : source.lines) {
        once = once || line == "#pragma once";
        EXPECT_NE(line.rfind("using namespace", 0), 0u) << source.path << " opens a namespace for all who include it";
      }
      EXPECT_TRUE(once) << source.path << " lacks #pragma once";
    }
  }
}

TEST(Layering, TheRulesCatchWhatTheyShould) {
  EXPECT_EQ(room_of("device/cpu/queue.hpp"), "device/cpu");
  EXPECT_EQ(room_of("device/queue.hpp"), "device");
  EXPECT_FALSE(room_of("queue.hpp"));
  EXPECT_EQ(quoted_include("#include \"ptx/ir.hpp\""), "ptx/ir.hpp");
  EXPECT_EQ(quoted_include("  #  include \"a.hpp\"  // why"), "a.hpp");
  EXPECT_FALSE(quoted_include("#include <vector>"));
  EXPECT_FALSE(quoted_include("const char* text = \"#include\";"));
  EXPECT_EQ(allowed.at("ptx").count("runtime"), 0u);
  EXPECT_EQ(allowed.at("device/cpu").count("device/interp"), 0u);
  EXPECT_EQ(allowed.at("device/machine").count("device/interp"), 0u);
}

}  // namespace
}  // namespace heddle::tests
