// The files that the heddle program reads and writes: nothing is lost, and nothing hangs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/npy.hpp"
#include "cli/heddle_command.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

namespace fs = std::filesystem;

constexpr const char* kernel = R"(extern "C" __global__ void k(int* p) { p[threadIdx.x] = 1; })";
constexpr const char* trace = R"([
{"name":"process_name","ph":"M","pid":1,"args":{"name":"cpu"}},
{"name": "k", "cat": "launch", "ph": "X", "ts": 1.0, "dur": 2.0, "pid": 1, "tid": 1, "args": {}}
])";

class CliFiles : public HeddleCommand {
 protected:
  CliFiles() {
    write("a.cu", kernel);
    write("t.json", trace);
    fs::create_symlink("a.cu", folder_.path() / "link.cu");
    fs::create_hard_link(folder_.path() / "a.cu", folder_.path() / "hard.cu");
  }
};

TEST_F(CliFiles, SourcesAreNotReplacedByTheirResults) {
  for (const char* command :
       {"compile a.cu -o a.cu", "compile a.cu -o ./a.cu", "compile a.cu -o link.cu", "compile link.cu -o a.cu",
        "compile a.cu -o hard.cu", "cc -c a.cu -o a.cu", "cc a.cu -o a.cu", "cc -c a.cu -o hard.cu",
        "cc -ptx a.cu -o link.cu", "cc -c a.cu -MD -MF a.cu", "cc -E a.cu -o a.cu", "cc -M a.cu -o a.cu",
        "launch a.cu --block 4 --arg out:a.cu:i32:4", "launch a.cu --block 4 --arg out:hard.cu:i32:4",
        "launch a.cu --block 4 --arg out:a.cu:i32:4 --out-dir ."}) {
    const Ran ran = heddle(command);
    EXPECT_NE(ran.code, 0) << command;
    EXPECT_THAT(ran.output, AllOf(HasSubstr("would replace"), HasSubstr("name another file"))) << command;
    EXPECT_EQ(read("a.cu"), kernel) << command;
  }
  EXPECT_TRUE(fs::is_symlink(folder_.path() / "link.cu"));
}

TEST_F(CliFiles, NamesThatTheCompilerChoosesAreCheckedToo) {
  write("a.o", kernel);
  write("b.d", kernel);
  write("options", "-c a.cu");
  EXPECT_THAT(heddle("cc -x cu -c b.d -MD").output, HasSubstr("-MD b.d: the output would replace"));
  EXPECT_THAT(heddle("cc @options -o options").output, HasSubstr("would replace"));
  EXPECT_EQ(read("b.d"), kernel);
  EXPECT_EQ(read("options"), "-c a.cu");
}

TEST_F(CliFiles, TracesAreNotReplacedByTheirPictures) {
  fs::create_symlink("t.json", folder_.path() / "t.svg");
  for (const char* command : {"timeline t.json -o t.json", "graph t.json -o t.json", "timeline t.json"}) {
    const Ran ran = heddle(command);
    EXPECT_EQ(ran.code, 1) << command;
    EXPECT_THAT(ran.output, HasSubstr("would replace")) << command;
    EXPECT_EQ(read("t.json"), trace) << command;
  }
}

TEST_F(CliFiles, ArraysAreNotReplacedByOthers) {
  base::write_npy(folder_.path() / "x.npy", {base::NpyType::i32, {4}, std::vector<std::byte>(16)});
  fs::copy(folder_.path() / "x.npy", folder_.path() / "x.out.npy");
  const std::string before = read("x.npy");
  write("b.cu", R"(extern "C" __global__ void k(int* p, int* q) { p[threadIdx.x] = q[threadIdx.x]; })");
  for (const char* arguments : {"--arg out:x.npy:f64:4 --arg in:x.npy", "--arg inout:x.npy --arg in:x.out.npy"}) {
    const Ran ran = heddle("launch b.cu --block 4 " + std::string(arguments));
    EXPECT_EQ(ran.code, 1) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("would replace")) << arguments;
  }
  EXPECT_EQ(read("x.npy"), before);
  EXPECT_EQ(read("x.out.npy"), before);
}

TEST_F(CliFiles, ProgramsAreNotReplacedByTheirTimelines) {
  write("script", "#!/bin/sh\necho ran\n");
  fs::permissions(folder_.path() / "script", fs::perms::owner_all);
  for (const char* command : {"run --trace script ./script", "run --trace a.cu a.cu", "run --trace hard.cu link.cu",
                              "run --trace script sh script"}) {
    const Ran ran = heddle(command);
    EXPECT_EQ(ran.code, 1) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("would replace")) << command;
  }
  EXPECT_EQ(read("script"), "#!/bin/sh\necho ran\n");
  EXPECT_EQ(read("a.cu"), kernel);
  EXPECT_EQ(heddle("run --trace t.json ./script").code, 0);
  EXPECT_EQ(read("t.json"), trace);
}

TEST_F(CliFiles, BadVariablesAreToldBeforeTheProgramStarts) {
  write("script", "#!/bin/sh\necho ran\n");
  fs::permissions(folder_.path() / "script", fs::perms::owner_all);
  for (const char* wrong :
       {"HEDDLE_RUN_CHECK=maybe", "HEDDLE_RUN_SLICE=0", "HEDDLE_LOG=loud", "HEDDLE_CPU_WORKERS=-1"}) {
    const Ran ran = heddle("run ./script", "&1", wrong);
    EXPECT_EQ(ran.code, 1) << wrong;
    EXPECT_THAT(ran.output,
                AllOf(HasSubstr("heddle: " + std::string(wrong) + ": expected "), testing::Not(HasSubstr("ran"))));
  }
}

TEST_F(CliFiles, BadVariablesAreToldByEachCommand) {
  for (const char* wrong : {"HEDDLE_RUN_CHECK=maybe", "HEDDLE_LOG=loud", "HEDDLE_RUN_DEVICE=cpu,cpu",
                            "HEDDLE_RUN_POLICY=fast", "HEDDLE_DEADLOCK_MS=x"}) {
    for (const char* command :
         {"inspect a.cu", "launch a.cu --block 4 --arg zeros:i32:4", "run ./a.cu", "compile a.cu", "metrics t.json"}) {
      const Ran ran = heddle(command, "&1", wrong);
      EXPECT_EQ(ran.code, 1) << wrong << " " << command << "\n" << ran.output;
      EXPECT_THAT(ran.output, testing::StartsWith("heddle: " + std::string(wrong) + ": ")) << command;
    }
    EXPECT_EQ(heddle("help", "&1", wrong).code, 0);
    EXPECT_THAT(heddle("doctor", "&1", wrong).output, HasSubstr(wrong));
  }
  write("script", "#!/bin/sh\necho ran\n");
  fs::permissions(folder_.path() / "script", fs::perms::owner_all);
  const Ran ran = heddle("run ./script", "&1", "HEDDLE_RUN_TRACE=absent/t.json");
  EXPECT_EQ(ran.output, "heddle: HEDDLE_RUN_TRACE=absent/t.json: there is no folder " +
                            (fs::canonical(folder_.path()) / "absent").string() + "\n");
}

TEST_F(CliFiles, ChecksWithoutAKindAreRefused) {
  for (const char* command : {"launch a.cu --check= --block 4 --arg zeros:i32:4", "run --check= ./a.cu"}) {
    const Ran ran = heddle(command);
    EXPECT_EQ(ran.code, 2) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("expected kinds of checks, as memory,race, or all; --check alone is memory"));
  }
}

TEST_F(CliFiles, AFullDeviceIsNoMistakeOfTheSource) {
  write("main.cu", std::string(kernel) + "\nint main() {}\n");
  for (const char* command : {"cc main.cu -o /dev/full", "cc -c a.cu -o /dev/full", "compile a.cu -o /dev/full"}) {
    const Ran ran = heddle(command);
    EXPECT_EQ(ran.code, 1) << ran.output;
    EXPECT_THAT(ran.output, AllOf(testing::AnyOf(HasSubstr("no space left on device: /dev/full"),
                                                 HasSubstr("/dev/full: No space left on device")),
                                  testing::Not(HasSubstr("does not compile"))))
        << command;
  }
}

// That nothing can be written to. Everything works all the same.
TEST_F(CliFiles, ACacheThatCannotBeWrittenIsSaidOnce) {
  write("cache", "a file, and no folder");
  const Ran ran = heddle("compile a.cu", "&1", "HEDDLE_CACHE_DIR=cache/below");
  EXPECT_EQ(ran.code, 0) << ran.output;
  const std::string said = "compiled PTX is not cached";
  EXPECT_THAT(ran.output, HasSubstr(said));
  EXPECT_EQ(ran.output.find(said), ran.output.rfind(said)) << ran.output;
}

TEST_F(CliFiles, InputsWithoutAnEndAreRefused) {
  for (const char* name : {"pipe.cu", "pipe.ptx", "pipe.npy", "pipe.json", "pipe.cpp", "pipe.o"})
    ASSERT_EQ(::mkfifo((folder_.path() / name).c_str(), 0600), 0);
  for (const char* name : {"sparse.cu", "sparse.ptx", "sparse.npy", "sparse.json"}) {
    write(name, "x");
    fs::resize_file(folder_.path() / name, std::uint64_t{1} << 40);
  }
  for (const char* name : {"zero.cu", "zero.ptx", "zero.npy"}) fs::create_symlink("/dev/zero", folder_.path() / name);
  fs::create_directory(folder_.path() / "folder.cu");
  for (const char* command : {"compile pipe.cu",
                              "compile zero.cu",
                              "compile sparse.cu",
                              "compile folder.cu",
                              "inspect pipe.ptx",
                              "inspect zero.ptx",
                              "inspect sparse.ptx",
                              "launch pipe.ptx",
                              "launch a.cu --block 4 --arg in:pipe.npy",
                              "launch a.cu --block 4 --arg in:zero.npy",
                              "launch a.cu --block 4 --arg in:sparse.npy",
                              "timeline pipe.json",
                              "metrics sparse.json",
                              "graph /dev/zero",
                              "cc -c pipe.cu",
                              "cc -c pipe.cpp",
                              "cc -c zero.cu",
                              "cc pipe.o",
                              "cc @pipe.cu",
                              "cc -c a.cu -include pipe.cu",
                              "run pipe.cu",
                              "run sparse.cu",
                              "run zero.cu"}) {
    const Ran ran = heddle(command, "&1", (sanitized ? "" : "ulimit -v 8000000; ") + std::string("timeout 100"));
    EXPECT_EQ(ran.code, 1) << command << ": " << ran.output;
    EXPECT_TRUE(ran.output.starts_with("heddle: ")) << command << ": " << ran.output;
  }
}

TEST_F(CliFiles, SourcesMayComeFromStandardInput) {
  const Ran ptx = heddle("compile -", "&1", "cat a.cu |");
  EXPECT_EQ(ptx.code, 0) << ptx.output;
  EXPECT_THAT(ptx.output, HasSubstr(".visible .entry k("));
  write("k.ptx", ptx.output);
  for (const char* source : {"cat a.cu |", "cat k.ptx |"}) {
    EXPECT_THAT(heddle("inspect -", "&1", source).output, HasSubstr("blocks: independent")) << source;
    const Ran ran = heddle(
        "launch - --device interp --block 4 --arg out:" + std::string(source[4] == 'a' ? "a" : "b") + ".npy:i32:4",
        "&1", source);
    EXPECT_EQ(ran.code, 0) << ran.output;
  }
  EXPECT_EQ(read("a.npy"), read("b.npy"));
  EXPECT_THAT(heddle("compile -", "&1", "cat k.ptx |").output, HasSubstr("standard input is PTX already"));
  EXPECT_THAT(heddle("compile -", "&1", "echo 'void f() { x; }' |").output, HasSubstr("standard input:1:"));
}

TEST_F(CliFiles, CcReadsStandardInput) {
  EXPECT_THAT(heddle("cc -x cu -c -", "&1", "cat a.cu |").output, HasSubstr("-o gives one"));
  const Ran ran = heddle("cc -x cu -ptx - -o k.ptx", "&1", "cat a.cu |");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(read("k.ptx"), HasSubstr(".visible .entry k("));
  EXPECT_THAT(heddle("cc -x c++ -c - -o x.o", "&1", "echo 'int x = y;' |").output, HasSubstr("<stdin>:1:"));
}

TEST_F(CliFiles, EntriesOfTheCacheMayBeAnything) {
  const std::string cache = "HEDDLE_CACHE_DIR='" + (folder_.path() / "cache").string() + "' timeout 100";
  const std::string command = "launch a.cu --device cpu --block 4 --arg zeros:i32:4";
  ASSERT_EQ(heddle(command, "&1", cache).code, 0);
  std::vector<fs::path> entries;
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / "cache"))
    if (entry.is_regular_file()) entries.push_back(entry.path());
  ASSERT_FALSE(entries.empty());
  for (const fs::path& entry : entries) {
    fs::remove(entry);
    ASSERT_EQ(::mkfifo(entry.c_str(), 0600), 0);
  }
  const Ran pipes = heddle(command, "&1", cache);
  EXPECT_EQ(pipes.code, 0) << pipes.output;
  for (const fs::path& entry : entries)
    if (fs::exists(entry)) fs::permissions(entry, fs::perms::all);
  const Ran open = heddle(command, "&1", cache);
  EXPECT_EQ(open.code, 0) << open.output;
  EXPECT_THAT(open.output, HasSubstr("in the cache is not used: others may write to it"));
}

TEST_F(CliFiles, OutOfMemoryIsASentenceAndThree) {
  if (sanitized) GTEST_SKIP() << "sanitizers need address space";
  std::string big = "[";
  for (int i = 0; i < 100000; ++i)
    big += (i == 0 ? "" : ",\n") + std::string(R"({"name": "k", "cat": "launch", "ph": "X", "ts": 1.0, "dur": 2.0})");
  write("big.json", big + "]");
  int ended = 0;
  for (int limit = 24000; limit <= 80000; limit += 8000) {
    const Ran ran = heddle("metrics big.json", "&1", "ulimit -v " + std::to_string(limit) + ";");
    if (ran.code == 0) continue;
    EXPECT_EQ(ran.code, 3) << limit << ": " << ran.output;
    EXPECT_THAT(ran.output, testing::AnyOf(AllOf(HasSubstr("heddle: out of memory: "), HasSubstr("ulimit -v")),
                                           HasSubstr("cannot read big.json: there is no memory for its")));
    ++ended;
  }
  EXPECT_GT(ended, 0);
}

TEST_F(CliFiles, MessagesHaveNoCodesOfTerminals) {
  const Ran ran = heddle("inspect \"$(printf 'a\\033[31m\\nb.ptx')\"");
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.output, HasSubstr("a\\x1b[31m\\nb.ptx"));
  for (const char* command : {"compile a.cu -o \"$(printf 'b\\033[31m\\n.ptx')\"",
                              "launch a.cu --block 4 --arg \"out:$(printf 'c\\033[31m\\nd.npy'):i32:4\"",
                              "launch a.cu --block 4 --arg \"inout:$(printf 'e\\033[31m\\nf.npy')\"",
                              "timeline t.json -o \"$(printf 'g\\033[31m\\n.svg')\""}) {
    const Ran written = heddle(command);
    EXPECT_THAT(written.output, AllOf(HasSubstr("\\x1b[31m\\n"), testing::Not(HasSubstr("\x1b")))) << command;
  }
  write("broken", "#!/nonexistent/interpreter -x\n");
  fs::permissions(folder_.path() / "broken", fs::perms::owner_all);
  EXPECT_THAT(heddle("run ./broken").output, HasSubstr("there is no /nonexistent/interpreter, which its first line"));
  write("lists.json", "[[1, 2], {}]");
  EXPECT_THAT(heddle("metrics lists.json").output, HasSubstr("event 1 is no object but a list"));
}

TEST_F(CliFiles, EndlessRecursionIsAStackOverflowOnTheInterpreter) {
  for (const char* parameters : {"", "(.param .b32 n)"}) {
    const bool with = *parameters != '\0';
    write("r.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.func f" + std::string(parameters) + "\n{\n" +
                       (with ? "{ .param .b32 a; st.param.b32 [a], 1; call f, (a); }" : "call f;") +
                       "\nret;\n}\n.visible .entry k()\n{\n" +
                       (with ? "{ .param .b32 a; st.param.b32 [a], 1; call f, (a); }" : "call f;") + "\nret;\n}\n");
    const Ran ran = heddle("launch r.ptx --device interp --block 32", "&1", "timeout 100");
    EXPECT_EQ(ran.code, 99) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("stack overflow: recursion")) << parameters;
  }
}

// What cannot be started leaves the trace of before.
TEST_F(CliFiles, FailuresLeaveTheOldFile) {
  write("broken", "#!/nonexistent/interpreter\n");
  fs::permissions(folder_.path() / "broken", fs::perms::owner_all);
  EXPECT_NE(heddle("run --trace t.json ./broken").code, 0);
  EXPECT_EQ(read("t.json"), trace);
  EXPECT_NE(heddle("run --trace new.json ./broken").code, 0);
  EXPECT_FALSE(fs::exists(folder_.path() / "new.json"));
  write("old.ptx", "old");
  const Ran ran = heddle("compile a.cu -o old.ptx", "&1", "trap '' XFSZ; ulimit -f 0;");
  EXPECT_EQ(ran.code, 1) << ran.output;
  EXPECT_EQ(read("old.ptx"), "old");
  for (const auto& entry : fs::directory_iterator(folder_.path()))
    EXPECT_EQ(entry.path().filename().string().find("old.ptx."), std::string::npos) << entry.path();
}

TEST_F(CliFiles, AFullDiskEndsAKernelThatPrints) {
  write("p.cu", R"(extern "C" __global__ void p() { for (;;) printf("%d\n", threadIdx.x); })");
  for (const char* device : {"cpu", "interp"}) {
    const Ran ran = heddle(std::string("launch p.cu --block 32 --device ") + device, "&1 >/dev/full");
    EXPECT_EQ(ran.code, 99) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("what the kernel prints cannot be written: No space left on device"));
  }
}

// A file that is opened does not become standard output.
TEST_F(CliFiles, ClosedStandardFilesStayClosed) {
  const std::string launch = "launch a.cu --device interp --block 4 --arg out:x.npy:i32:4";
  ASSERT_EQ(heddle(launch).code, 0);
  const std::string expected = read("x.npy");
  for (const char* closed : {"<&-", ">&-", "2>&-", "<&- >&-", "<&- 2>&-", ">&- 2>&-", "<&- >&- 2>&-"}) {
    fs::remove(folder_.path() / "x.npy");
    const std::string shell = "timeout -k 1 100 sh -c 'exec \"$@\" " + std::string(closed) + "' sh";
    const bool is_told = (" " + std::string(closed)).find(" >&-") != std::string::npos;
    const Ran ran = heddle(launch, "/dev/null; echo $?", shell);
    EXPECT_EQ(ran.output.substr(ran.output.size() - 2), is_told ? "1\n" : "0\n") << closed << ": " << ran.output;
    EXPECT_EQ(read("x.npy"), expected) << closed;
  }
  write("script", "#!/bin/sh\nls -l /proc/self/fd\n");
  fs::permissions(folder_.path() / "script", fs::perms::owner_all);
  EXPECT_THAT(heddle("run ./script <&-").output, testing::Not(HasSubstr(" 0 -> /dev/null")));
}

// What is said beside the work is no part of it.
TEST_F(CliFiles, MessagesThatNobodyGetsAreNoFailure) {
  write("w.cu", "int main() { int unused; }\n");
  write("k.ptx", ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n  ret;\n}\n");
  write("s.toml", "results = \"r.db\"\nmachines = [\"tesla-g80\"]\n[[kernels]]\nfile = \"k.ptx\"\n");
  write("empty.json", "[\n]\n");
  for (const char* command : {"cc -Xcompiler -Wall w.cu -o w", "sim sweep s.toml", "sim sweep s.toml",
                              "timeline empty.json -o e.svg", "launch k.ptx --device interp"}) {
    const Ran ran = heddle(command, "/dev/full");
    EXPECT_EQ(ran.code, 0) << command << ": " << ran.output;
  }
}

TEST_F(CliFiles, IncludedFilesAreNotReplaced) {
  write("inc.h", "#define ONE 1\n");
  write("inc.cu", "#include \"inc.h\"\nextern \"C\" __global__ void k(int* p) { *p = ONE; }");
  for (const char* command :
       {"compile inc.cu -o inc.h", "cc -c inc.cu -o inc.h", "cc -c inc.cu -o inc.o -MD -MF inc.h"}) {
    const Ran ran = heddle(command);
    EXPECT_NE(ran.code, 0) << command;
    EXPECT_THAT(ran.output, HasSubstr("a source or a header by its name")) << command;
    EXPECT_EQ(read("inc.h"), "#define ONE 1\n") << command;
  }
}

TEST_F(CliFiles, AResultIsNotWaitedForInAPipe) {
  ASSERT_EQ(::mkfifo((folder_.path() / "pipe").c_str(), 0600), 0);
  const Ran ran = heddle("launch a.cu --block 4 --arg out:pipe:i32:4", "&1", "timeout 20");
  EXPECT_EQ(ran.code, 1) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("it is a pipe, and no process reads it"));
}

TEST_F(CliFiles, ALaunchHasATimeLimit) {
  write("l.cu",
        R"(extern "C" __global__ void l(volatile int* p) { for (int i = 1; i != 0; i = (i + 2) & 255) p[0] = i; })");
  for (const char* device : {"cpu", "interp"}) {
    const Ran ran = heddle(std::string("launch l.cu --arg zeros:i32:1 --timeout 0.1 --device ") + device);
    EXPECT_EQ(ran.code, 99) << ran.output;
    EXPECT_THAT(ran.output, AllOf(HasSubstr("has run for 100 ms, its time limit"), HasSubstr("l.cu:1")));
  }
  for (const char* wrong : {"0", "-1", "soon", "nan", "0x10"})
    EXPECT_EQ(heddle(std::string("launch l.cu --arg zeros:i32:1 --timeout ") + wrong).code, 2) << wrong;
}

}  // namespace
}  // namespace heddle::tests
