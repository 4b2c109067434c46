// What commands write and what they are told: no file of somebody's is lost, nothing is made that nobody asked for, and
// what makes no sense is refused with a sentence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <string>
#include <utility>

#include "base/file.hpp"
#include "cli/heddle_command.hpp"
#include "cli/small_kernel.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace fs = std::filesystem;

constexpr const char* many_launches = R"(#include <cstdio>
__global__ void k(int* p) { p[threadIdx.x] = 1; }
int main() {
  int *p, one = 0;
  cudaMalloc(&p, 128);
  for (int i = 0; i < 60000; ++i) k<<<1, 32>>>(p);
  const cudaError_t failed = cudaMemcpy(&one, p, 4, cudaMemcpyDeviceToHost);
  std::printf("result %d\n", one);
  return failed != cudaSuccess || one != 1;
}
)";

class Outputs : public HeddleCommand {
 protected:
  Outputs() {
    write("k.ptx", kernel);
    write("t.json", "[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"cpu\"}}\n]\n");
    write("script", "#!/bin/sh\necho ran\n");
    ::chmod((folder_.path() / "script").c_str(), 0755);
  }
};

TEST_F(Outputs, ATimelineReplacesTimelinesAlone) {
  write("notes.txt", "my notes\n");
  write("other.json", "[{\"mine\": 1}]\n");
  write("drawn.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"10\"></svg>\n");
  fs::create_symlink("notes.txt", folder_.path() / "link.json");
  for (const char* name : {"notes.txt", "other.json", "drawn.svg", "link.json"}) {
    const std::string before = read(name);
    const Ran ran = here("run --trace " + std::string(name) + " ./script");
    EXPECT_EQ(ran.code, 1) << name << ": " << ran.output;
    EXPECT_THAT(ran.output, AllOf(HasSubstr("the timeline would replace this file"), Not(HasSubstr("ran")))) << name;
    EXPECT_EQ(read(name), before) << name;
  }
  for (const char* name : {"t.json", "new.json"})
    EXPECT_EQ(here("run --trace " + std::string(name) + " ./script").code, 0);
}

// Nobody writes the timeline of a program that calls nothing of CUDA.
TEST_F(Outputs, ProgramsWithoutCudaLeaveTimelinesAsTheyWere) {
  const std::string before = read("t.json");
  for (const char* name : {"t.json", "new.json", "new.svg"}) {
    const Ran ran = here("run --trace " + std::string(name) + " ./script");
    EXPECT_EQ(ran.code, 0) << ran.output;
    EXPECT_THAT(ran.output, AllOf(HasSubstr("ran\n"), HasSubstr("heddle: there is no new timeline, as the program has "
                                                                "called nothing of CUDA")))
        << name;
    EXPECT_THAT(ran.output, HasSubstr(std::string(name) + (name[0] == 't' ? " is as it was\n" : " is not there\n")));
  }
  EXPECT_EQ(read("t.json"), before);
  for (const auto& entry : fs::directory_iterator(folder_.path()))
    EXPECT_THAT(entry.path().filename().string(), testing::AnyOf("t.json", "k.ptx", "script", "cache"));
  // A program that it starts says nothing of it.
  const Ran ran = here("run --trace t.json sh -c './script; ./script'");
  const std::size_t first = ran.output.find("no new timeline");
  EXPECT_EQ(ran.output.find("no new timeline", first + 1), std::string::npos) << ran.output;
}

// The program would run to its end before anyone missed the timeline.
TEST_F(Outputs, TimelinesAreWrittenToFiles) {
  ASSERT_EQ(::mkfifo((folder_.path() / "fifo").c_str(), 0600), 0);
  for (const auto& [name, why] :
       {std::pair("''", "--trace: its value is empty"), std::pair("fifo", "--trace fifo: it is a pipe; name a file"),
        std::pair(".", "--trace .: it is a folder; name a file")}) {
    const Ran ran = here("run --trace " + std::string(name) + " ./script");
    EXPECT_EQ(ran.code, std::string_view(name) == "''" ? 2 : 1) << ran.output;
    EXPECT_THAT(ran.output, AllOf(HasSubstr(why), Not(HasSubstr("ran")))) << name;
  }
}

TEST_F(Outputs, LinksIntoMissingFoldersMakeNothing) {
  for (const char* name : {"l.svg", "l.npy", "l.json", "l.dot"})
    fs::create_symlink("absent/deep/x", folder_.path() / name);
  for (const char* command : {"timeline t.json -o l.svg", "graph t.json -o l.dot", "run --trace l.json ./script",
                              "launch k.ptx --device interp --block 4 --arg out:l.npy:u32:4"}) {
    const Ran ran = here(command);
    EXPECT_EQ(ran.code, 1) << command << ": " << ran.output;
    EXPECT_THAT(ran.output, AllOf(HasSubstr("there is no folder absent/deep"), Not(HasSubstr("ran")))) << command;
    EXPECT_FALSE(fs::exists(folder_.path() / "absent")) << command;
  }
}

TEST_F(Outputs, EmptyValuesAreRefused) {
  write("j.toml", "[[job]]\nfile = \"k.ptx\"\nblock = 4\nargs = [\"zeros:u32:4\"]\n");
  for (const char* command : {"launch k.ptx --block 4 --arg zeros:u32:4 --device ''",
                              "launch k.ptx --device= --block 4 --arg zeros:u32:4",
                              "launch '' --block 4",
                              "batch j.toml --device ''",
                              "batch j.toml --policy=",
                              "devices --device ''",
                              "timeline t.json -o ''",
                              "inspect k.ptx --entry ''",
                              "sim report ''",
                              "compile k.ptx -o ''",
                              "tenant run --memory '' ./script",
                              "tenant run --name= ./script",
                              "launch k.ptx --repeat '' --block 4",
                              "launch k.ptx --repeat= --block 4",
                              "compile k.cu -O ''",
                              "launch k.ptx --shared '' --block 4",
                              "batch j.toml --ratios ''",
                              "batch j.toml --timeout ''",
                              "sim sweep s.toml --jobs ''",
                              "daemon start --units ''",
                              "compile k.cu --compiler ''",
                              "completion ''"}) {
    const Ran ran = here(command);
    EXPECT_EQ(ran.code, 2) << command << ": " << ran.output;
    EXPECT_THAT(ran.output, AllOf(StartsWith("heddle: "), HasSubstr("empty"))) << command;
  }
  for (const char* command : {"run --policy '' ./script", "run --device '' ./script", "cc -o '' a.cu"}) {
    const Ran ran = here(command);
    EXPECT_NE(ran.code, 0) << command << ": " << ran.output;
    EXPECT_THAT(ran.output, AllOf(StartsWith("heddle: "), Not(HasSubstr("ran")))) << command;
  }
}

TEST_F(Outputs, AmountsOfMemoryAreReadInOneWay) {
  for (const char* amount : {"1M", "20G", "20 GiB", "1g", "1048576"}) {
    const Ran ran = here("devices --device cpu", "HEDDLE_MEMORY_LIMIT='" + std::string(amount) + "'");
    EXPECT_EQ(ran.code, 0) << amount << ": " << ran.output;
  }
  for (const char* amount : {"1023K", "x", "-1", "20X"}) {
    const Ran ran = here("devices --device cpu", "HEDDLE_MEMORY_LIMIT='" + std::string(amount) + "'");
    EXPECT_EQ(ran.code, 1) << amount;
    EXPECT_THAT(ran.output, HasSubstr("expected an amount from 1.00 MiB on, as 20G, 20 GiB or a number of bytes"));
  }
  const Ran twice = here("tenant run --memory 10m --memory 20m ./script");
  EXPECT_EQ(twice.code, 2);
  EXPECT_THAT(twice.output, HasSubstr("--memory is given twice"));
}

TEST_F(Outputs, RunsThatFailedAreNoComparison) {
  const std::string launch = "launch k.ptx --block 4 --device sim:tesla-g80,report=";
  ASSERT_EQ(here(launch + "good.json --arg zeros:u32:4").code, 0);
  ASSERT_EQ(here(launch + "bad.json --arg zeros:u32:1").code, 99);
  const Ran ran = here("sim compare good.json bad.json");
  EXPECT_EQ(ran.code, 1) << ran.output;
  EXPECT_THAT(ran.output, AllOf(HasSubstr("bad.json, launch 1 of 1, one"), HasSubstr("has failed"),
                                Not(HasSubstr("good.json, launch"))));
  EXPECT_EQ(here("sim compare good.json bad.json --html c.html").code, 1);
  EXPECT_EQ(here("sim compare good.json good.json").code, 0);
}

TEST_F(Outputs, ReportsThatCannotBeWrittenLeaveNoFile) {
  for (const char* output : {"report=n.json", "trace=n.json"}) {
    const Ran ran = heddle("launch k.ptx --block 4 --arg zeros:u32:4 --device sim:tesla-g80," + std::string(output),
                           "&1", "ulimit -f 0;");
    EXPECT_EQ(ran.code, 1) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("cannot write 'n.json': "));
    EXPECT_FALSE(fs::exists(folder_.path() / "n.json")) << output;
  }
}

// As on a full disk.
TEST_F(Outputs, WhatHasNoRoomIsSaidFirstAndLeavesNoFile) {
  write("s.toml",
        "results = \"r.db\"\nmachines = [\"tesla-g80\"]\n[[kernels]]\nfile = \"k.ptx\"\n"
        "arguments = [\"--block\", \"4\", \"--arg\", \"zeros:u32:4\"]\n");
  const std::string old = read("t.json");
  for (const auto& [command, name] :
       {std::pair("run --trace n.json ./script", "n.json"), std::pair("run --trace n.svg ./script", "n.svg"),
        std::pair("run --trace t.json ./script", "t.json"), std::pair("sim sweep s.toml", "r.db")}) {
    const Ran ran = heddle(command, "&1", "ulimit -f 0; HEDDLE_CACHE_DIR='" + folder_.path().string() + "/cache' ");
    EXPECT_EQ(ran.code, 1) << command << ": " << ran.output;
    EXPECT_THAT(ran.output,
                AllOf(StartsWith("heddle: "), HasSubstr(name), HasSubstr("File too large"), Not(HasSubstr("ran"))));
    EXPECT_EQ(fs::exists(folder_.path() / name), std::string_view(name) == "t.json") << command;
  }
  EXPECT_EQ(read("t.json"), old);
  for (const auto& entry : fs::directory_iterator(folder_.path()))
    EXPECT_THAT(entry.path().filename().string(), testing::AnyOf("t.json", "k.ptx", "script", "cache", "s.toml"));
}

// The disk becomes full in the program's first moments. Where each launch tried all again that could not be written,
// such a program took minutes.
TEST_F(Outputs, ATimelineThatCanGrowNoMoreHindersNoProgram) {
  write("many.cu", many_launches);
  ASSERT_EQ(here("cc many.cu -o many").code, 0);
  const Ran ran = heddle("run --trace n.json ./many", "&1",
                         "ulimit -f 64; HEDDLE_CACHE_DIR='" + folder_.path().string() + "/cache' timeout 100");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, AllOf(HasSubstr("result 1\n"), HasSubstr("the timeline "),
                                HasSubstr("n.json cannot be written: File too large")));
  EXPECT_LE(fs::file_size(folder_.path() / "n.json"), 64u * 1024);
  EXPECT_EQ(here("timeline n.json -o n.svg").code, 0);
}

TEST_F(Outputs, OptionsOfSimulatedGpusAreListed) {
  const Ran ran = here("launch k.ptx --block 4 --arg zeros:u32:4 --device sim:tesla-g80,sampel=3");
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.output, AllOf(HasSubstr("no option 'sampel'; did you mean 'sample'? It has divergence, "),
                                HasSubstr("threads, sample, report, trace,")));
}

TEST_F(Outputs, UnknownKeysOfJobsEndTheirSentence) {
  write("j.toml", "[[job]]\nfile = \"k.ptx\"\nfoo = 4\n");
  EXPECT_THAT(here("batch j.toml").output, HasSubstr("unknown key 'foo'; there are name, file, kernel"));
  write("j.toml", "[[job]]\nfile = \"k.ptx\"\nfiel = 4\n");
  EXPECT_THAT(here("batch j.toml").output, HasSubstr("'fiel'; did you mean 'file'? There are name, file, kernel"));
}

TEST_F(Outputs, NamesOfSourcesHaveNoLineEnds) {
  write("a\nb.cu", "extern \"C\" __global__ void k(int* p) { p[0] = 1; }\n");
  for (const char* step : {"-ptx", "-c", "-dc"}) {
    const Ran ran = here("cc " + std::string(step) + " \"$(printf 'a\\nb.cu')\" -o made");
    EXPECT_EQ(ran.code, 1) << step << ": " << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("a\\nb.cu: the name of a source must have no line end")) << step;
    EXPECT_FALSE(fs::exists(folder_.path() / "made")) << step;
  }
  write("other\nname.cu", read("a\nb.cu"));
  for (const char* command : {"compile", "inspect", "launch --block 4 --arg zeros:i32:4", "run"}) {
    const Ran ran = here(std::string(command) + " \"$(printf 'other\\nname.cu')\"");
    EXPECT_EQ(ran.code, 1) << command << ": " << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("other\\nname.cu: the name of a source must have no line end")) << command;
  }
}

TEST_F(Outputs, CompilersThatSayNothingAreNamed) {
  write("a.cpp", "int main() {}\n");
  write("silent", "#!/bin/sh\nexit 7\n");
  ::chmod((folder_.path() / "silent").c_str(), 0755);
  const Ran ran = here("cc -ccbin ./silent -c a.cpp -o made.o");
  EXPECT_EQ(ran.code, 1) << ran.output;
  EXPECT_THAT(ran.output, AllOf(HasSubstr("a.cpp does not compile: "), HasSubstr("silent ended with status 7")));
}

// The program runs from the cache; where there is none, from the folder that it was built in.
TEST_F(Outputs, FoldersOfBuildsDoNotStay) {
  write("p.cu", "#include <cstdio>\nint main() { puts(\"works\"); }\n");
  fs::create_directory(folder_.path() / "tmp");
  const auto left = [&] { return std::distance(fs::directory_iterator(folder_.path() / "tmp"), {}); };
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(here("run --device cpu p.cu", "TMPDIR=tmp ").output, HasSubstr("works"));
    EXPECT_EQ(left(), 0) << "run " << i;
  }
  write("none", "");
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(here("run --device cpu p.cu", "TMPDIR=tmp HEDDLE_CACHE_DIR=none/cache ").output, HasSubstr("works"));
    EXPECT_EQ(left(), 1) << "run " << i;
  }
}

TEST_F(Outputs, EmptiedProgramsAreBuiltAnew) {
  write("p.cu", "#include <cstdio>\nint main() { puts(\"works\"); }\n");
  ASSERT_THAT(here("run --device cpu p.cu").output, HasSubstr("works"));
  unsigned emptied = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / "cache" / "programs")) {
    if (!entry.is_regular_file()) continue;
    fs::resize_file(entry.path(), 0);
    ++emptied;
  }
  EXPECT_EQ(emptied, 2u);  // the program, and the list of what it was made of
  for (int i = 0; i < 2; ++i) {
    const Ran ran = here("run --device cpu p.cu");
    EXPECT_EQ(ran.code, 0) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("works"));
  }
}

}  // namespace
}  // namespace heddle::tests
