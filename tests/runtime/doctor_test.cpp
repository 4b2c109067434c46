// What heddle doctor says of machines that are not this one.
#include "doctor/doctor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/file.hpp"
#include "base/variables.hpp"
#include "doctor/checks.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::doctor {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class Doctor : public testing::Test {
 protected:
  tests::TemporaryFolder folder_;
};

TEST_F(Doctor, CacheThatCanBeUsed) {
  const std::filesystem::path cache = folder_.path() / "new" / "cache";
  const Finding first = check_cache(cache);
  EXPECT_EQ(first.mark, Mark::ok) << first.text;
  EXPECT_THAT(first.text, AllOf(HasSubstr(cache.string()), HasSubstr("made just now"), HasSubstr("free space")));
  EXPECT_TRUE(std::filesystem::is_empty(cache)) << "the check has left something behind";
  EXPECT_THAT(check_cache(cache).text, testing::Not(HasSubstr("made just now")));
}

TEST_F(Doctor, CacheThatCannotBeMade) {
  base::write_file_atomic(folder_.path() / "file", std::string_view("in the way"));
  const Finding finding = check_cache(folder_.path() / "file" / "cache");
  EXPECT_EQ(finding.mark, Mark::wrong);
  EXPECT_THAT(finding.text, HasSubstr("nothing can be written"));
  EXPECT_THAT(finding.mend, HasSubstr("HEDDLE_CACHE_DIR"));
}

TEST_F(Doctor, CacheThatOthersMayWriteTo) {
  ASSERT_EQ(::chmod(folder_.path().c_str(), 0777), 0);
  const Finding finding = check_cache(folder_.path());
  EXPECT_EQ(finding.mark, Mark::wrong);
  EXPECT_THAT(finding.text, AllOf(HasSubstr("is not used"), HasSubstr("chmod go-w"), HasSubstr("HEDDLE_CACHE_DIR")));
  EXPECT_THAT(finding.mend, HasSubstr("compiled anew"));
}

TEST_F(Doctor, DevicesRunAKernel) {
  for (const char* id : {"cpu", "interp"}) {
    const Finding finding = check_device(id, "a device");
    EXPECT_EQ(finding.mark, Mark::ok) << finding.text;
    EXPECT_EQ(finding.subject, "a device");
    EXPECT_THAT(finding.text, HasSubstr("right result"));
  }
  const Finding absent = check_device("warp9", "warp9");
  EXPECT_EQ(absent.mark, Mark::wrong);
  EXPECT_THAT(absent.text, HasSubstr("there is no device 'warp9'"));
}

// As it was before, at the end.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) {
    if (const char* before = ::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Setting() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST_F(Doctor, NvrtcThatIsNone) {
  const std::filesystem::path file = folder_.path() / "libnvrtc.so.12";
  base::write_file_atomic(file, std::string_view("no library"));
  const Setting no_library("HEDDLE_NVRTC", file.string());
  const Finding broken = check_nvrtc(false);
  const Setting nothing("HEDDLE_NVRTC", (folder_.path() / "absent").string());
  const Finding absent = check_nvrtc(false);
  EXPECT_EQ(broken.mark, Mark::wrong);
  EXPECT_THAT(broken.text, AllOf(HasSubstr(file.string()), HasSubstr("cannot be used")));
  EXPECT_THAT(broken.mend, HasSubstr("HEDDLE_NVRTC"));
  EXPECT_EQ(absent.mark, Mark::wrong);
  EXPECT_THAT(absent.text, HasSubstr("neither a library nor a folder"));
}

TEST_F(Doctor, NvrtcOfThisMachine) {
  const Finding finding = check_nvrtc(true);
  if (finding.mark == Mark::missing) {
    for (const char* place : {"LD_LIBRARY_PATH", "CUDA_HOME", "/usr/local/cuda*", "Python packages"})
      EXPECT_THAT(finding.text, HasSubstr(place));
    EXPECT_EQ(check_nvrtc(false).mark, Mark::not_here);
    GTEST_SKIP() << "NOT RUN: " << finding.text;
  }
  EXPECT_THAT(finding.text, HasSubstr(": NVRTC ")) << finding.mend;
  EXPECT_THAT(finding.text, HasSubstr("compiles a small kernel"));
}

TEST_F(Doctor, NvidiaDriver) {
  NvidiaDriver none;
  none.why = "there is no NVIDIA driver (libcuda.so.1 is not found)";
  EXPECT_EQ(check_nvidia_driver(none).mark, Mark::not_here);
  EXPECT_THAT(check_nvidia_driver(none).mend, IsEmpty());
  NvidiaDriver forgotten = none;
  forgotten.hardware = true;
  EXPECT_EQ(check_nvidia_driver(forgotten).mark, Mark::missing);
  EXPECT_THAT(check_nvidia_driver(forgotten).mend, HasSubstr("Install"));
  NvidiaDriver hidden;
  hidden.hardware = hidden.usable = true;
  EXPECT_EQ(check_nvidia_driver(hidden).mark, Mark::wrong);
  EXPECT_THAT(check_nvidia_driver(hidden).mend, HasSubstr("CUDA_VISIBLE_DEVICES"));
  NvidiaDriver good = hidden;
  good.cuda_version = 13010;
  good.kernel_module = "580.65.06";
  good.gpus = {"cuda:0", "cuda:1"};
  EXPECT_EQ(check_nvidia_driver(good).mark, Mark::ok);
  EXPECT_EQ(check_nvidia_driver(good).text, "580.65.06, CUDA 13.1; 2 GPUs");
}

TEST_F(Doctor, ToolsAreSearched) {
  const std::filesystem::path program = folder_.path() / "a" / "some-tool", text = folder_.path() / "b" / "some-tool";
  base::write_file_atomic(program, std::string_view("#!/bin/sh\n"));
  base::write_file_atomic(text, std::string_view("no program\n"));
  ASSERT_EQ(::chmod(program.c_str(), 0755), 0);
  const std::string path = text.parent_path().string() + ":relative:" + program.parent_path().string();
  EXPECT_EQ(find_tool("some-tool", nullptr, path), program);
  EXPECT_EQ(find_tool("some-tool", "", path), program);
  EXPECT_EQ(find_tool("some-tool", program.c_str(), ""), program);
  EXPECT_EQ(find_tool("some-tool", text.c_str(), path), std::nullopt) << "what was chosen counts, and is no program";
  EXPECT_EQ(find_tool("some-tool", nullptr, text.parent_path().string()), std::nullopt);
}

TEST_F(Doctor, MpsRunsWhereItsProcessDoes) {
  const std::filesystem::path pipes = folder_.path() / "mps", processes = folder_.path() / "proc";
  EXPECT_EQ(find_mps(nullptr, processes).folder, "/tmp/nvidia-mps");
  EXPECT_FALSE(find_mps(pipes.c_str(), processes).running);
  base::write_file_atomic(pipes / "nvidia-cuda-mps-control.pid", std::string_view("4711\n"));
  EXPECT_FALSE(find_mps(pipes.c_str(), processes).running) << "its process has ended";
  base::write_file_atomic(processes / "4711" / "comm", std::string_view("bash\n"));
  EXPECT_FALSE(find_mps(pipes.c_str(), processes).running) << "the number is another process's now";
  base::write_file_atomic(processes / "4711" / "comm", std::string_view("nvidia-cuda-mps\n"));
  EXPECT_TRUE(find_mps(pipes.c_str(), processes).running);
  base::write_file_atomic(pipes / "nvidia-cuda-mps-control.pid", std::string_view("no number"));
  EXPECT_FALSE(find_mps(pipes.c_str(), processes).running);
}

TEST(DoctorSharing, SaysHowProgramsShareAGpu) {
  EXPECT_EQ(check_sharing({"/m", false}, false, true).mark, Mark::not_here);
  EXPECT_THAT(check_sharing({"/m", true}, true, true).text, HasSubstr("MPS runs (/m)"));
  EXPECT_THAT(check_sharing({"/m", false}, true, true).mend, HasSubstr("nvidia-cuda-mps-control -d"));
  EXPECT_THAT(check_sharing({"/m", false}, true, false).mend, IsEmpty());
  EXPECT_THAT(check_sharing({"/m", false}, true, false).text, HasSubstr("in turns"));
}

TEST(DoctorLimits, LockedMemory) {
  EXPECT_EQ(check_locked_memory(RLIM_INFINITY, true).text, "no limit");
  EXPECT_EQ(check_locked_memory(64 << 10, false).mark, Mark::ok) << "without a GPU it does not matter";
  EXPECT_EQ(check_locked_memory(64 << 10, true).mark, Mark::wrong);
  EXPECT_THAT(check_locked_memory(64 << 10, true).mend, HasSubstr("ulimit -l"));
}

TEST(DoctorLimits, OpenFiles) {
  EXPECT_EQ(check_descriptors(1024).mark, Mark::ok);
  EXPECT_EQ(check_descriptors(RLIM_INFINITY).text, "no limit at once");
  EXPECT_EQ(check_descriptors(64).mark, Mark::wrong);
  EXPECT_THAT(check_descriptors(64).mend, HasSubstr("ulimit -n"));
}

TEST(DoctorLimits, Stack) {
  EXPECT_EQ(check_stack(8 << 20).mark, Mark::ok);
  EXPECT_EQ(check_stack(RLIM_INFINITY).text, "no limit");
  EXPECT_EQ(check_stack(128 << 10).mark, Mark::wrong);
  EXPECT_THAT(check_stack(128 << 10).mend, HasSubstr("ulimit -s 8192"));
}

TEST(DoctorLimits, ThreadsNameTheNarrowestLimit) {
  EXPECT_EQ(check_threads({RLIM_INFINITY, RLIM_INFINITY, 30000}, 128).mark, Mark::ok);
  EXPECT_THAT(check_threads({100, 5000, 30000}, 128).mend, HasSubstr("ulimit -u"));
  EXPECT_THAT(check_threads({5000, 100, 30000}, 128).mend, HasSubstr("pids.max"));
  EXPECT_THAT(check_threads({5000, 1000, 100}, 128).mend, HasSubstr("threads-max"));
  EXPECT_EQ(check_threads({100, 100, 100}, 2).mark, Mark::ok);
}

TEST(DoctorEnvironment, SaysWhatIsSet) {
  EXPECT_THAT(check_environment({"PATH=/bin"}).text, HasSubstr("no HEDDLE_ variable"));
  const Finding set = check_environment({"HEDDLE_LOG=debug", "PATH=/bin", "HEDDLE_CLANG=/x"});
  EXPECT_EQ(set.mark, Mark::ok);
  EXPECT_EQ(set.text, "HEDDLE_CLANG=/x (CUDA C++ is compiled by /x), HEDDLE_LOG=debug (messages from level debug on)");
  EXPECT_THAT(check_environment({"HEDDLE_RUN_CHECK=Off"}).text, HasSubstr("(CUDA programs are not checked"));
  const Finding refused = check_environment({"HEDDLE_RUN_CHECK=maybe", "HEDDLE_RUN_SLICE=0"});
  EXPECT_EQ(refused.mark, Mark::wrong);
  EXPECT_THAT(refused.text, AllOf(HasSubstr("HEDDLE_RUN_CHECK=maybe: expected 1, true, yes or on"),
                                  HasSubstr("HEDDLE_RUN_SLICE=0: expected a number from 1 to 2147483647.")));
}

TEST(DoctorEnvironment, UnknownVariablesAreNamedWithWhatMayBeMeant) {
  const Finding typo = check_environment({"HEDDLE_CACHEDIR=/x", "HEDDLE_LOG=info"});
  EXPECT_EQ(typo.mark, Mark::wrong);
  EXPECT_THAT(typo.text, AllOf(HasSubstr("nothing reads HEDDLE_CACHEDIR"), HasSubstr("HEDDLE_LOG=info")));
  EXPECT_EQ(typo.mend, "HEDDLE_CACHEDIR may be meant as HEDDLE_CACHE_DIR.");
  const Finding strange = check_environment({"HEDDLE_FROBNICATION_LEVEL=9"});
  EXPECT_EQ(strange.mark, Mark::wrong);
  for (const base::Variable& variable : base::variables()) EXPECT_THAT(strange.mend, HasSubstr(variable.name));
}

// By what follows HEDDLE_, as all names have that.
TEST(DoctorEnvironment, ProposesNamesThatAreNear) {
  const auto mend = [](const std::string& name) { return check_environment({name + "=1"}).mend; };
  const std::pair<const char*, const char*> meant[] = {{"HEDDLE_TUN", "HEDDLE_TUNE"},
                                                       {"HEDDLE_LGO", "HEDDLE_LOG"},
                                                       {"HEDDLE_CACHE", "HEDDLE_CACHE_DIR"},
                                                       {"HEDDLE_WORKERS", "HEDDLE_CPU_WORKERS"},
                                                       {"HEDDLE_TIMEOUT", "HEDDLE_RUN_TIMEOUT_MS"},
                                                       {"HEDDLE_TRACE", "HEDDLE_RUN_TRACE"},
                                                       {"HEDDLE_LOG_LEVEL", "HEDDLE_LOG"},
                                                       {"HEDDLE_MEMORY", "HEDDLE_MEMORY_LIMIT"},
                                                       {"HEDDLE_CPU", "HEDDLE_CPU_FEATURES or HEDDLE_CPU_WORKERS"}};
  for (const auto& [name, other] : meant) EXPECT_EQ(mend(name), std::string(name) + " may be meant as " + other + ".");
  for (const char* const name : {"HEDDLE_X", "HEDDLE_DOT", "HEDDLE_FOO", "HEDDLE_NVCC", "HEDDLE_"})
    EXPECT_THAT(mend(name), StartsWith("There are HEDDLE_")) << name;
  const std::string both = check_environment({"HEDDLE_LO=1", "HEDDLE_X=1"}).mend;
  EXPECT_THAT(both, StartsWith("HEDDLE_LO may be meant as HEDDLE_LOG. There are HEDDLE_CACHE_DIR, "));
}

// One letter is missing in HEDDLE_ itself, or two are swapped; names of other programs differ in more.
TEST(DoctorEnvironment, ProposesNamesWhosePrefixIsMistyped) {
  for (const char* const name : {"HEDLE_LOG", "HEDDEL_LOG", "HEDDLELOG", "heddle_log", "EDDLE_LOG"}) {
    const Finding found = check_environment({std::string(name) + "=debug"});
    EXPECT_EQ(found.mark, Mark::wrong) << name;
    EXPECT_EQ(found.mend, std::string(name) + " may be meant as HEDDLE_LOG.");
  }
  EXPECT_EQ(check_environment({"LOG=1", "LOG_LEVEL=1", "HEDDLE=1", "HANDLE_LOG=1", "HE_LOG=1"}).mark, Mark::ok);
}

TEST(DoctorAll, LooksAtEverythingInOrder) {
  std::vector<std::string> asked;
  const Report report = examine([&](const std::string& subject) { asked.push_back(subject); });
  std::map<std::string, Finding> found;
  ASSERT_EQ(report.findings.size(), asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    EXPECT_EQ(report.findings[i].subject, asked[i]);
    found[asked[i]] = report.findings[i];
  }
  for (const char* subject :
       {"CPU device", "interpreter", "cache", "CUDA C++", "host code", "NVIDIA driver", "shared GPUs", "ptxas", "nvrtc",
        "locked memory", "stack", "open files", "threads", "environment"})
    EXPECT_TRUE(found.count(subject)) << subject;
  EXPECT_TRUE(found["CPU device"].essential);
  EXPECT_TRUE(found["CUDA C++"].essential);
  EXPECT_EQ(report.works, found["CUDA C++"].mark == Mark::ok);
}

TEST(DoctorAll, WhatIsEssentialIsTheCompilerThatIsChosen) {
  const Setting nvrtc("HEDDLE_COMPILER", "nvrtc"), nothing("HEDDLE_NVRTC", "/nonexistent/nvrtc");
  const Report chosen = examine();
  const Setting another("HEDDLE_COMPILER", "clang++");
  const Report wrong = examine();
  EXPECT_FALSE(chosen.works);
  const auto of = [](const Report& report, const std::string& subject) {
    const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                    [&](const Finding& finding) { return finding.subject == subject; });
    return found == report.findings.end() ? Finding{} : *found;
  };
  EXPECT_TRUE(of(chosen, "nvrtc").essential);
  EXPECT_EQ(of(chosen, "nvrtc").mark, Mark::wrong);
  EXPECT_FALSE(of(chosen, "CUDA C++").essential);
  EXPECT_FALSE(wrong.works);
  EXPECT_EQ(of(wrong, "CUDA C++").text, "HEDDLE_COMPILER=clang++: expected clang or nvrtc.");
}

TEST(DoctorAll, NoClangMeansTheMainJobDoesNotWork) {
  ::setenv("HEDDLE_CLANG", "/nonexistent/clang", 1);
  const Report report = examine();
  ::unsetenv("HEDDLE_CLANG");
  EXPECT_FALSE(report.works);
  for (const Finding& finding : report.findings) {
    if (finding.subject != "CUDA C++") continue;
    EXPECT_EQ(finding.mark, Mark::missing);
    EXPECT_THAT(finding.text, HasSubstr("/nonexistent/clang"));
  }
}

}  // namespace
}  // namespace heddle::doctor
