// ptxas's command line as Python packages use it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.hpp"
#include "programs/command.hpp"
#include "support/program_environment.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::tests {
namespace {

using testing::HasSubstr;

constexpr std::string_view kernel = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k() { ret; }\n";

class Ptxas : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_symlink(heddle_program(HEDDLE_PROGRAM), folder_.path() / "heddle-ptxas");
    base::write_file_atomic(folder_.path() / "k.ptx", kernel);
  }
  Ran shell(const std::string& command) const { return run_command("cd " + quoted(folder_.path()) + " && " + command); }

  TemporaryFolder folder_;
};

TEST_F(Ptxas, SaysTheReleaseWhosePtxIsRead) {
  const Ran ran = shell("./heddle-ptxas --version");
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.output, HasSubstr("release 13.0"));
}

TEST_F(Ptxas, GivesThePtxThatItHasChecked) {
  const Ran ran = shell("./heddle-ptxas -lineinfo -v --opt-level 0 --gpu-name=sm_80 k.ptx -o k.o");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_EQ(base::read_file(folder_.path() / "k.o"), std::string(kernel) + '\0');
}

TEST_F(Ptxas, RefusesWhatIsNoPtxAsPtxasDoes) {
  base::write_file_atomic(folder_.path() / "bad.ptx", std::string_view(".version 8.0\n.target sm_80\nnonsense\n"));
  const Ran bad = shell("./heddle-ptxas --gpu-name=sm_80 bad.ptx -o bad.o");
  EXPECT_EQ(bad.code, 255) << bad.output;
  EXPECT_THAT(bad.output, HasSubstr("bad.ptx"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "bad.o"));
  const Ran missing = shell("./heddle-ptxas none.ptx -o none.o");
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.output, HasSubstr("none.ptx"));
  EXPECT_EQ(shell("./heddle-ptxas k.ptx").code, 1);
}

TEST_F(Ptxas, KeepsItsInputAndOtherSources) {
  EXPECT_EQ(shell("./heddle-ptxas k.ptx -o ./k.ptx").code, 1);
  EXPECT_EQ(base::read_file(folder_.path() / "k.ptx"), kernel);
  EXPECT_EQ(shell("echo code > k.cu; ./heddle-ptxas k.ptx -o k.cu").code, 1);
  EXPECT_EQ(base::read_file(folder_.path() / "k.cu"), "code\n");
}

TEST_F(Ptxas, TakesOneFileAndMakesNoFolder) {
  EXPECT_EQ(shell("./heddle-ptxas k.ptx k.ptx -o k.o").code, 1);
  const Ran missing = shell("./heddle-ptxas k.ptx -o none/k.o");
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.output, HasSubstr("none"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "none"));
}

TEST_F(Ptxas, ExplainsItself) {
  const Ran help = shell("./heddle-ptxas --help");
  EXPECT_EQ(help.code, 0);
  EXPECT_THAT(help.output, HasSubstr("usage: heddle-ptxas"));
  EXPECT_EQ(shell("./heddle-ptxas --version >/dev/full").code, 1);
}

// Where there is no GPU, Triton finds it, unless the user has chosen another one.
TEST_F(Ptxas, IsWhatProgramsWithoutAGpuFind) {
  const std::string run =
      program_environment() + quoted(heddle_program(HEDDLE_PROGRAM)) + " run --device cpu /usr/bin/env";
  const Ran found = shell(run + " | grep ^TRITON_PTXAS_PATH=");
  EXPECT_EQ(found.code, 0);
  EXPECT_THAT(found.output, HasSubstr("heddle-ptxas"));
  const Ran chosen = shell("export TRITON_PTXAS_PATH=/mine; " + run + " | grep ^TRITON_PTXAS_PATH=");
  EXPECT_EQ(chosen.output, "TRITON_PTXAS_PATH=/mine\n");
}

}  // namespace
}  // namespace heddle::tests
