// Exit codes, of all commands: 1 for outputs that are refused, which depends on the files that are there; 2 for command
// lines that are wrong whatever is there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "cli/heddle_command.hpp"
#include "cli/small_kernel.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace fs = std::filesystem;

class ExitCodes : public HeddleCommand {
 protected:
  ExitCodes() {
    write("k.ptx", kernel);
    write("a.cu", "__global__ void k(int* p) { *p = 1; }\n");
    write("a.c", "int a;\n");
    write("notes.txt", "my notes\n");
    write("notes.json", "[{\"mine\": 1}]\n");
    write("t.json", "[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"cpu\"}}\n]\n");
    write("script", "#!/bin/sh\necho ran\n");
    ::chmod((folder_.path() / "script").c_str(), 0755);
  }
  void SetUp() override {
    ASSERT_EQ(here("launch k.ptx --block 4 --arg out:x.npy:u32:4 --device sim:tesla-g80,report=r.json").code, 0);
  }
  void write_job(const std::string& arguments) const {
    write("j.toml", "[[job]]\nname = \"mine\"\nfile = \"k.ptx\"\nblock = 4\nargs = [\"" + arguments + "\"]\n");
  }
  // All files but the caches, with their contents.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      if (entry.is_regular_file()) all[entry.path().filename().string()] = base::read_file(entry.path());
    return all;
  }
};

TEST_F(ExitCodes, RefusedOutputsEndWithOneAndChangeNothing) {
  const std::string launch = "launch k.ptx --device interp --block 4 --arg ", sim = "launch k.ptx --block 4 --arg ";
  const std::string commands[] = {"compile a.cu -o a.cu",
                                  "compile a.cu -o notes.txt",
                                  "compile a.cu -o x.npy",
                                  "compile a.cu -o absent/a.ptx",
                                  "timeline t.json -o t.json",
                                  "timeline t.json -o notes.txt",
                                  "timeline t.json -o .",
                                  "compile a.cu -o .",
                                  "sim report r.json --html .",
                                  launch + "out:.:u32:4",
                                  "timeline t.json -o notes.json",
                                  "timeline t.json -o r.json",
                                  "timeline t.json -o a.c",
                                  "timeline t.json -o absent/t.svg",
                                  "graph t.json -o t.json",
                                  "graph t.json -o notes.txt",
                                  "graph t.json -o absent/t.dot",
                                  "sim report r.json --html r.json",
                                  "sim report r.json --html notes.txt",
                                  "sim report r.json --html absent/r.html",
                                  "sim report r.json --svg r.json",
                                  "sim report r.json --svg notes.txt",
                                  "sim report r.json --html r.out --svg r.out",
                                  "sim report r.json --html - --svg -",
                                  "sim compare r.json r.json --html r.json",
                                  "sim compare r.json r.json --html notes.txt",
                                  launch + "out:k.ptx:u32:4",
                                  launch + "out:notes.txt:u32:4",
                                  launch + "out:absent/y.npy:u32:4",
                                  launch + "inout:x.npy --arg out:x.out.npy:u32:4",
                                  launch + "in:x.npy --arg out:x.npy:u32:4",
                                  sim + "zeros:u32:4 --device sim:tesla-g80,report=notes.json",
                                  sim + "zeros:u32:4 --device sim:tesla-g80,report=absent/r.json",
                                  sim + "zeros:u32:4 --device sim:tesla-g80,trace=notes.json",
                                  "run --device sim:tesla-g80,report=notes.json ./script",
                                  "run --device sim:tesla-g80,report=absent/r.json ./script",
                                  "tenant run --device sim:tesla-g80,trace=notes.json ./script",
                                  "run --trace notes.txt ./script",
                                  "run --trace script ./script",
                                  "run --trace absent/t.json ./script",
                                  "cc -c a.c -o a.c",
                                  "cc -c a.c -o absent/a.o",
                                  "cc a.c -o a.c"};
  const auto before = files();
  for (const std::string& command : commands) {
    const Ran ran = here(command);
    EXPECT_EQ(ran.code, 1) << command << ": " << ran.output;
    EXPECT_THAT(ran.output, AllOf(StartsWith("heddle"), Not(HasSubstr("ran")))) << command;
    EXPECT_THAT(ran.output, AnyOf(HasSubstr("name another file"), HasSubstr("there is no folder"),
                                  HasSubstr("give each another name"), HasSubstr("it is a folder; name a file"),
                                  HasSubstr("name a file for one of them")))
        << command;
    EXPECT_EQ(files(), before) << command;
  }
}

TEST_F(ExitCodes, RefusedOutputsOfBatchesToo) {
  for (const char* argument :
       {"out:k.ptx:u32:4", "out:notes.txt:u32:4", "out:absent/y.npy:u32:4", "out:j.toml:u32:4", "out:.:u32:4"}) {
    write_job(argument);
    const auto before = files();
    const Ran ran = here("batch j.toml --device interp --policy serial");
    EXPECT_EQ(ran.code, 1) << argument << ": " << ran.output;
    EXPECT_THAT(ran.output, AllOf(StartsWith("heddle: "), HasSubstr("j.toml:1, job 'mine': "))) << argument;
    EXPECT_EQ(files(), before) << argument;
  }
}

// What a command would write anyway, it replaces.
TEST_F(ExitCodes, OutputsOfTheKindAreReplaced) {
  write("old.svg", "<?xml version=\"1.0\"?>\n<svg/>\n");
  write("old.dot", "// mine\ndigraph x {}\n");
  write("old.html", "<!doctype html>\n");
  write("empty", "");
  write_job("out:x.npy:u32:4");
  for (const char* command : {"timeline t.json -o old.svg", "timeline t.json -o empty", "graph t.json -o old.dot",
                              "sim report r.json --html old.html", "sim report r.json --svg old.svg",
                              "launch k.ptx --device interp --block 4 --arg out:x.npy:u32:4",
                              "batch j.toml --device interp --policy serial", "timeline t.json -o /dev/null"}) {
    const Ran ran = here(command);
    EXPECT_EQ(ran.code, 0) << command << ": " << ran.output;
  }
}

TEST_F(ExitCodes, WrongCommandLinesEndWithTwo) {
  write_job("zeros:u32:4");
  for (const char* command : {"devices",
                              "compile a.cu",
                              "inspect k.ptx",
                              "launch k.ptx",
                              "batch j.toml",
                              "profile k.ptx",
                              "daemon status",
                              "policy static",
                              "tenant list",
                              "explain x",
                              "top",
                              "timeline t.json",
                              "graph t.json",
                              "metrics t.json",
                              "sim report r.json",
                              "sim compare r.json r.json",
                              "sim sweep s.toml",
                              "doctor",
                              "knowledge list",
                              "tune",
                              "help",
                              "completion bash",
                              "version",
                              "run"}) {
    const Ran ran = here(std::string(command) + " --frobnicate");
    EXPECT_EQ(ran.code, 2) << command << ": " << ran.output;
    EXPECT_THAT(ran.output, StartsWith("heddle: ")) << command;
  }
  const Ran ran = here("cc --frobnicate a.c");
  EXPECT_EQ(ran.code, 1) << "as of nvcc: " << ran.output;
}

// Names that no device, policy or check can have. The command does not look at files or devices first: `absent` does
// not exist.
TEST_F(ExitCodes, WrongNamesOfDevicesPoliciesAndChecksEndWithTwo) {
  const std::string device[] = {"devices",
                                "inspect k.ptx --block 4",
                                "launch k.ptx",
                                "batch absent.toml",
                                "profile k.ptx",
                                "daemon start",
                                "run /bin/true",
                                "run absent",
                                "profile absent",
                                "launch absent.ptx",
                                "tenant run /bin/true"};
  const auto expect_refused = [&](const std::string& command, const std::string& option) {
    const std::size_t last =
        command.starts_with("run ") || command.starts_with("tenant run ") ? command.rfind(' ') : command.size();
    const Ran ran = here(command.substr(0, last) + " " + option + command.substr(last));
    EXPECT_EQ(ran.code, 2) << command << " " << option << ": " << ran.output;
    EXPECT_THAT(ran.output, StartsWith("heddle: ")) << command << " " << option;
  };
  for (const std::string& command : device)
    for (const char* wrong : {"foo", "cuda:x", "cuda", "cpu,foo", "sim:foo"})
      expect_refused(command, std::string("--device ") + wrong);
  for (const char* command : {"devices", "launch k.ptx", "run /bin/true"}) expect_refused(command, "--device cpu,cpu");
  for (const char* command :
       {"launch k.ptx", "launch absent.ptx", "batch absent.toml", "run /bin/true", "tenant run /bin/true"})
    expect_refused(command, "--check=foo");
  for (const char* command : {"batch absent.toml", "run /bin/true", "tenant run /bin/true", "daemon start"})
    expect_refused(command, "--policy foo");
  expect_refused("inspect k.ptx", "--device cpu");  // --block is missing
  // Which GPUs there are depends on the machine.
  EXPECT_EQ(here("launch k.ptx --block 4 --arg zeros:u32:4 --device cuda:999").code, 1);
}

}  // namespace
}  // namespace heddle::tests
