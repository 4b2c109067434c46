// heddle doctor as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "support/places.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;

struct Ran {
  int code = -1;
  std::string output;
};

class DoctorProgram : public testing::Test {
 protected:
  // `before` and `arguments` surround the program's name in a line of shell, with a cache of the test's own.
  Ran doctor(const std::string& before, const std::string& arguments) const {
    const std::string command = "export HEDDLE_CACHE_DIR='" + folder_.path().string() + "'; " + before + " '" +
                                heddle_program(HEDDLE_PROGRAM).string() + "' doctor " + arguments;
    Ran ran;
    FILE* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return ran;
    char buffer[4096];
    for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) ran.output.append(buffer, got);
    const int status = ::pclose(pipe);
    ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return ran;
  }

  TemporaryFolder folder_;
};

TEST_F(DoctorProgram, OneLineForEachSubject) {
  const Ran ran = doctor("", "2>&1");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output,
              AllOf(HasSubstr("heddle 0.1.0 on Linux"), ContainsRegex("\nok +CPU device  "),
                    ContainsRegex("\nok +CUDA C[+][+]  "), ContainsRegex("NVIDIA driver  "), HasSubstr("run here.")));
}

TEST_F(DoctorProgram, MissingClangIsAnErrorWithASentence) {
  const Ran ran = doctor("HEDDLE_CLANG=/nonexistent/clang", "2>&1 >/dev/null");
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.output, "heddle: not everything that Heddle is for works here: CUDA C++\n");
  EXPECT_THAT(doctor("HEDDLE_CLANG=/nonexistent/clang", "2>/dev/null").output,
              ContainsRegex("\nmissing +CUDA C[+][+] .*/nonexistent/clang.*Kernels in PTX do not need it"));
}

TEST_F(DoctorProgram, SettingsThatMakeNoSense) {
  const Ran ran = doctor("HEDDLE_CPU_WORKERS=many HEDDLE_CLAN=x", "2>&1");
  EXPECT_EQ(ran.code, 1);
  // The variable is to blame, and not the device.
  EXPECT_THAT(ran.output, AllOf(ContainsRegex("\nmissing +CPU device +it was not tried, since a variable"),
                                ContainsRegex("\nwrong +environment .*HEDDLE_CPU_WORKERS=many"),
                                ContainsRegex("\nwrong +environment .*HEDDLE_CLAN may be meant as HEDDLE_CLANG")));
}

TEST_F(DoctorProgram, LimitsOfTheShellAreSeen) {
  const Ran ran = doctor("ulimit -n 100;", "2>&1");
  EXPECT_EQ(ran.code, 0) << "few files are a worry and no failure\n" << ran.output;
  EXPECT_THAT(ran.output, ContainsRegex("\nwrong +open files +only 100 files .*ulimit -n"));
  // The CPU device's library is there.
  // What there is not enough for depends on what the program has inherited; with four it may be the dynamic linker.
  for (const char* most : {"4", "5", "6"}) {
    const Ran few = doctor("exec 2>&1; ulimit -n " + std::string(most) + ";", "");
    const bool works = few.output.find("\nok        CPU device") != few.output.npos;
    const bool lacks = few.output.find("the process has no file descriptors left") != few.output.npos;
    const bool starts = few.output.find("error while loading shared libraries") == few.output.npos;
    EXPECT_TRUE(works || (lacks && few.code == 1) || !starts) << most << ": " << few.output;
  }
  EXPECT_THAT(doctor("ulimit -s 128;", "2>&1").output,
              AllOf(ContainsRegex("\nok +CPU device"), ContainsRegex("\nwrong +stack +only 128 KiB.*ulimit -s 8192")));
}

TEST_F(DoctorProgram, Json) {
  const Ran ran = doctor("", "--json 2>/dev/null");
  const auto all = nlohmann::json::parse(ran.output);
  EXPECT_EQ(all["works"], ran.code == 0);
  EXPECT_EQ(all["version"], "0.1.0");
  ASSERT_GE(all["findings"].size(), 11u);
  for (const auto& finding : all["findings"]) {
    EXPECT_THAT(finding["mark"].get<std::string>(), testing::AnyOf("ok", "missing", "wrong", "not here"));
    EXPECT_FALSE(finding["text"].get<std::string>().empty()) << finding["subject"];
  }
  const Ran broken = doctor("HEDDLE_CLANG=/nonexistent/clang", "--json 2>/dev/null");
  EXPECT_EQ(broken.code, 1);
  EXPECT_EQ(nlohmann::json::parse(broken.output)["works"], false);
}

}  // namespace
}  // namespace heddle::tests
