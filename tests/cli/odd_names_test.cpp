// Names of files and folders that compilers take for something else, and includes of what is no file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <tuple>

#include "base/file.hpp"
#include "cli/heddle_command.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

namespace fs = std::filesystem;

constexpr const char* kernel = "extern \"C\" __global__ void k(int* p) { p[threadIdx.x] = 1; }\n";

class OddNames : public HeddleCommand {
 protected:
  // In a cache of its own.
};

// What a compiler would take for an option: a macro, a language, a library, an output.
TEST_F(OddNames, SourcesMayBeginWithADash) {
  for (const std::string name : {"-Dfoo.cu", "-x.cu", "-lm.cu", "--version.cu", "-o.cu"}) {
    write(name, kernel);
    const Ran compiled = here("compile -o - -- " + name);
    EXPECT_EQ(compiled.code, 0) << compiled.output;
    EXPECT_THAT(compiled.output, HasSubstr(".visible .entry k(")) << name;
    const Ran inspected = here("inspect -- " + name);
    EXPECT_EQ(inspected.code, 0) << inspected.output;
    EXPECT_THAT(inspected.output, HasSubstr("blocks: ")) << name;
    const Ran launched = here("launch --device interp --block 4 --arg zeros:i32:4 -- " + name);
    EXPECT_EQ(launched.code, 0) << launched.output;
    write("j.toml", "[[job]]\nfile = \"" + name + "\"\nblock = 4\nargs = [\"zeros:i32:4\"]\n");
    const Ran batch = here("batch j.toml --device interp --policy serial");
    EXPECT_EQ(batch.code, 0) << batch.output;
    write(name, "x\n");
    EXPECT_THAT(here("compile -o - -- " + name).output, HasSubstr(name + ":1:1: error")) << name;
  }
}

TEST_F(OddNames, FilesOfCcMayStandBehindTwoDashes) {
  write("-x.cu", kernel);
  const Ran ran = here("cc -c -o x.o -- -x.cu");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_TRUE(fs::exists(folder_.path() / "x.o"));
  EXPECT_THAT(here("cc --").output, HasSubstr("no input file"));
  EXPECT_THAT(here("cc -c -- -none.cu").output, AllOf(HasSubstr("-none.cu"), Not(HasSubstr("is not an option"))));
}

// Compilers include files of these folders by their names, which would end at the quotation mark.
TEST_F(OddNames, FoldersOfTheCacheMayHaveAnyName) {
  write("a.cu", kernel);
  for (const std::string name : {"a\"b", "a\nb", "a\\b \xff"}) {
    const std::string quoted = name == "a'b" ? "\"a'b\"" : "'" + name + "'";
    const Ran ran = heddle("launch a.cu --device interp --block 4 --arg zeros:i32:4", "&1",
                           "HEDDLE_CACHE_DIR=" + quoted + " timeout 100");
    EXPECT_EQ(ran.code, 0) << ran.output;
    EXPECT_THAT(ran.output, Not(HasSubstr("error"))) << name;
  }
  // Without another place, the folder is named, and not the source.
  for (const std::string name : {"t\"b", "t\nb"}) {
    fs::create_directory(folder_.path() / name);
    const Ran ran = here("compile a.cu", "TMPDIR='" + (folder_.path() / name).string() + "'");
    EXPECT_EQ(ran.code, 1) << ran.output;
    EXPECT_THAT(ran.output, AllOf(HasSubstr("set TMPDIR to another folder"), Not(HasSubstr("does not compile"))));
  }
}

TEST_F(OddNames, WhatHasNoEndIsNotIncluded) {
  fs::create_directory(folder_.path() / "inc");
  for (const char* pipe : {"pipe", "inc/other", "inc/vector"})
    ASSERT_EQ(::mkfifo((folder_.path() / pipe).c_str(), 0600), 0);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string place = (folder_.path() / "socket").string();
  ASSERT_LT(place.size(), sizeof address.sun_path);
  std::strcpy(address.sun_path, place.c_str());
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  write("header.h", "#include \"pipe\"\n");
  write("other.h", "#pragma once\n#include <other>\n");
  for (const auto& [text, options, what] :
       {std::tuple{"#include \"pipe\"\n", "", "pipe, which is a pipe"},
        {"#include \"./inc/../pipe\"\n", "", "pipe, which is a pipe"},
        {"#include \"header.h\"\n", "", "pipe, which is a pipe"},
        {"#  /* */ include <other>\n", "-I inc", "inc/other, which is a pipe"},
        {"#include <vector>\n", "-I inc", "inc/vector, which is a pipe"},
        {"#include \"other.h\"\n", "-I inc", "inc/other, which is a pipe"},
        {"#define FILE \"pipe\"\n#include FILE\n", "", "pipe, which is a pipe"},
        {"#include NAME\n", "-D 'NAME=\"pipe\"'", "pipe, which is a pipe"},
        {"#include NAME\n", "-X '-DNAME=<other>' -I inc", "inc/other, which is a pipe"},
        {"#define A B\n#define B \"pipe\"\n#include A\n", "", "pipe, which is a pipe"},
        {"#if __has_include(\"pipe\")\n#endif\n", "", "pipe, which is a pipe"},
        {"\n", "-X -include -X pipe", "pipe, which is a pipe"},
        {"#include \"/dev/zero\"\n", "", "/dev/zero, which is a device"},
        {"#include \"/dev/tty\"\n", "", "/dev/tty, which is a device"},
        {"#include \"socket\"\n", "", "socket, which is a socket"}}) {
    write("a.cu", std::string(text) + kernel);
    for (const char* command : {"compile a.cu ", "launch a.cu --block 4 --arg zeros:i32:4 "}) {
      const Ran ran = here(command + std::string(options));
      EXPECT_EQ(ran.code, 1) << text << ran.output;
      EXPECT_THAT(ran.output,
                  AllOf(testing::StartsWith("heddle: a.cu does not compile: it includes "), HasSubstr(what)))
          << text;
    }
  }
  ::close(socket);
  write("a.cu", std::string("#include \"/dev/null\"\n#include \"absent.h\"\n") + kernel);
  EXPECT_THAT(here("compile a.cu").output, HasSubstr("'absent.h' file not found"));
  write("a.cu", std::string("#include \"/dev/null\"\n#define VECTOR <vector>\n#define NO \"/dev/zero\"\n"
                            "#include VECTOR\n") +
                    kernel);
  const Ran ran = here("compile a.cu -o -");
  EXPECT_EQ(ran.code, 0) << ran.output;
}

// heddle run names a source by its whole path, in which a folder above the current one may have a line end.
TEST_F(OddNames, ProgramsAreCompiledBelowAFolderWithALineEnd) {
  const std::string source =
      "#include <cstdio>\n#include \"v.h\"\n__global__ void k() {}\n"
      "int main() { std::printf(\"value %d\\n\", V); }\n";
  for (const auto& [name, value] : {std::pair{"a\nb", "1"}, {"c\nd", "2"}, {"e\x1b[31mf", "3"}}) {
    fs::create_directories(folder_.path() / name / "sub");
    write(name + std::string("/x.cu"), source);
    write(name + std::string("/v.h"), std::string("#define V ") + value + "\n");
    write(name + std::string("/bad.cu"), "x\n");
    const auto within = [&, folder = std::string(name)](const std::string& below, const std::string& arguments) {
      std::string before = "cd '" + folder;
      before += below;
      before += "' && HEDDLE_CACHE_DIR='" + folder_.path().string() + "/cache' timeout 100";
      return heddle(arguments, "&1", before);
    };
    for (const char* round : {"compiled", "cached"}) {
      const Ran ran = within("/sub", "run --device cpu ../x.cu");
      EXPECT_EQ(ran.output, "value " + std::string(value) + "\n") << round;
    }
    EXPECT_EQ(within("", "run --device cpu x.cu").output, "value " + std::string(value) + "\n");
    const Ran bad = within("/sub", "run --device cpu ../bad.cu");
    EXPECT_EQ(bad.code, 1);
    EXPECT_THAT(bad.output,
                AllOf(HasSubstr("bad.cu:1:1: error"), Not(HasSubstr("must have no line end")), Not(HasSubstr(name))));
  }
  const Ran outside = here("run --device cpu 'a\nb/x.cu'");
  EXPECT_EQ(outside.code, 1);
  EXPECT_THAT(outside.output, AllOf(HasSubstr("/a\\nb/x.cu: the name of a source must have no line end in it; rename "
                                              "the folder, or name the file from inside the folder, as x.cu"),
                                    Not(HasSubstr("a\nb"))));
}

// Of the current folder, and of files and folders in the environment, too.
TEST_F(OddNames, MessagesShowLineEndsAndEscapeCodesOfNames) {
  const std::string name = "a\nb\x1b[31m", shown = "a\\nb\\x1b[31m";
  fs::create_directory(folder_.path() / name);
  const std::string place = "'" + (folder_.path() / name).string() + "/x'";
  write(name + "/x", "no database");
  const auto within = [&](const std::string& variables, const std::string& arguments) {
    return heddle(arguments, "&1", "cd '" + name + "' && " + variables + " timeout 100");
  };
  for (const auto& [variables, arguments] : {std::pair<std::string, std::string>{"", "run --trace no/t.json /bin/true"},
                                             {"", "knowledge list --file x"},
                                             {"HEDDLE_DAEMON=" + place, "daemon status"},
                                             {"HEDDLE_DAEMON=" + place, "top --once"},
                                             {"HEDDLE_DAEMON=" + place, "policy"},
                                             {"HEDDLE_DAEMON=" + place, "daemon start --units 2"},
                                             {"HEDDLE_CLANG=" + place, "compile ../k.cu"},
                                             {"HEDDLE_CLANG=" + place, "doctor"}}) {
    write("k.cu", kernel);
    const Ran ran = within(variables, arguments);
    EXPECT_THAT(ran.output, AllOf(HasSubstr(shown), Not(HasSubstr(name)), Not(HasSubstr("\x1b")))) << arguments;
  }
}

}  // namespace
}  // namespace heddle::tests
