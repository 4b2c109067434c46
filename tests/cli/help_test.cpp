// What the program says of itself: help, hints after mistakes, completion for shells, the manual page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "support/places.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct Ran {
  int code = -1;
  std::string output;
};

Ran shell(const std::string& command) {
  Ran ran;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return ran;
  char buffer[4096];
  for (std::size_t got = 0; (got = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) ran.output.append(buffer, got);
  const int status = ::pclose(pipe);
  ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return ran;
}

Ran heddle(const std::string& arguments) {
  return shell("'" + heddle_program(HEDDLE_PROGRAM).string() + "' " + arguments);
}

std::string saxpy() { return "'" + (test_data() / "cli/data/saxpy.cu").string() + "'"; }

TEST(Help, IsThatOfTheOption) {
  EXPECT_EQ(heddle("help").output, heddle("--help").output);
  for (const char* command : {"launch", "compile", "run", "cc"}) {
    const Ran ran = heddle(std::string("help ") + command);
    EXPECT_EQ(ran.code, 0);
    EXPECT_EQ(ran.output, heddle(std::string(command) + " --help").output) << command;
    EXPECT_THAT(ran.output, HasSubstr(command));
  }
  EXPECT_EQ(heddle("help lanuch").code, 2);
  EXPECT_THAT(heddle("help lanuch").output, HasSubstr("did you mean 'launch'?"));
}

TEST(Hints, AreGivenForWhatMayBeMeant) {
  const std::vector<std::pair<std::string, std::string>> mistakes{
      {"lanuch", "no command 'lanuch'; did you mean 'launch'? There are devices, "},
      {"launch x.cu --gird 4", "heddle launch has no option '--gird'; did you mean '--grid'?"},
      {"compile x.cu --fastmath", "heddle compile has no option '--fastmath'; did you mean '--fast-math'?"},
      {"run --devise cpu ./x", "--devise is not an option of heddle run; did you mean '--device'?"},
      {"daemon foo", "heddle daemon has no command 'foo'; there are start, stop, status"},
      {"tenant lst", "heddle tenant has no command 'lst'; did you mean 'list'? There are "},
      {"cc --default-streem null x.cu", "did you mean '--default-stream'?"},
      {"launch x.cu --arg f23:1", "'f23' is no known form; did you mean 'f32'? Forms: "},
      {"devices --device inter", "--device inter: 'inter' is no device; did you mean 'interp'? Expected cpu, "},
      {"run --device inter ./x", "--device inter: 'inter' is no device; did you mean 'interp'? Expected cpu, "},
      {"launch " + saxpy() + " --entry saxpi", "has no kernel 'saxpi'; did you mean 'saxpy'? It has "},
      {"inspect " + saxpy() + " --entry saxpi", "has no kernel 'saxpi'; did you mean 'saxpy'? It has "}};
  for (const auto& [arguments, hint] : mistakes) {
    const Ran ran = heddle(arguments);
    EXPECT_NE(ran.code, 0) << arguments;
    EXPECT_THAT(ran.output, HasSubstr(hint)) << arguments;
  }
  EXPECT_THAT(heddle("frobnicate").output, Not(HasSubstr("did you mean")));
}

// What bash offers for the last word of a line.
std::string offered(const std::string& words, int place) {
  const TemporaryFolder folder;
  const auto script = folder.path() / "script";
  base::write_file_atomic(
      script, std::string_view(heddle("completion bash").output + "COMP_WORDS=(heddle " + words +
                               ")\nCOMP_CWORD=" + std::to_string(place) + "\n_heddle\necho \"${COMPREPLY[@]}\"\n"));
  return shell("bash '" + script.string() + "'").output;
}

TEST(Completion, OffersCommandsOptionsAndChoices) {
  EXPECT_EQ(offered("la", 1), "launch\n");
  EXPECT_EQ(offered("launch x.cu --gr", 3), "--grid\n");
  EXPECT_EQ(offered("launch --compiler ''", 3), "clang nvrtc\n");
  EXPECT_EQ(offered("run --tra", 2), "--trace\n");
  EXPECT_EQ(offered("help ins", 2), "inspect\n");
  EXPECT_EQ(offered("completion z", 2), "zsh\n");
  EXPECT_EQ(offered("compile some", 2), "\n");  // the shell's own: files
}

TEST(Completion, IsThereForOtherShells) {
  EXPECT_THAT(heddle("completion zsh").output,
              AllOf(HasSubstr("#compdef heddle"), HasSubstr("'*--grid["), HasSubstr("    run)")));
  EXPECT_THAT(heddle("completion fish").output,
              AllOf(HasSubstr("-f -a launch -d"), HasSubstr("__fish_seen_subcommand_from launch' -l grid")));
  EXPECT_EQ(heddle("completion tcsh").code, 2);
}

// Every option that the help of a command has is in the manual page and in the completion, and the program takes it.
TEST(Completion, HasWhatTheProgramTakes) {
  const std::string page = heddle("help --man").output, bash = heddle("completion bash").output;
  EXPECT_THAT(page, AllOf(HasSubstr(".TH HEDDLE 1"), HasSubstr(".SS heddle launch"), HasSubstr("\\-\\-cooperative")));
  const std::string help = heddle("run --help").output;
  unsigned found = 0;
  for (std::size_t at = help.find("\n  --"); at != help.npos; at = help.find("\n  --", at + 1)) {
    const std::string option = help.substr(at + 3, help.find_first_of(" [=", at + 3) - at - 3);
    EXPECT_THAT(bash, HasSubstr(option));
    EXPECT_THAT(heddle("run " + option + "=").output, Not(HasSubstr("is not an option"))) << option;
    ++found;
  }
  EXPECT_GE(found, 5u);
}

TEST(Completion, TheManualPageHasNoMistakes) {
  if (shell("command -v groff").code != 0) GTEST_SKIP() << "NOT RUN: there is no groff";
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "heddle.1").string();
  base::write_file_atomic(file, std::string_view(heddle("help --man").output));
  EXPECT_EQ(shell("groff -man -ww -z -Tutf8 '" + file + "'").output, "");
}

}  // namespace
}  // namespace heddle::tests
