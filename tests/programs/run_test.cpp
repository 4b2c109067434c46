// heddle run as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.hpp"
#include "programs/command.hpp"
#include "support/program_environment.hpp"
#include "support/temporary_folder.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

class RunCommand : public testing::Test {
 protected:
  Ran shell(const std::string& command) const { return run_command("cd " + quoted(folder_.path()) + " && " + command); }
  Ran run(const std::string& words, const std::string& before = "") const {
    return shell(program_environment() + before + " " + heddle_ + " run " + words);
  }
  // Of programs that load no library of this build.
  Ran run_bare(const std::string& words) const { return shell(heddle_ + " run " + words); }
  void file(const std::string& name, const std::string& text) const {
    base::write_file_atomic(folder_.path() / name, std::string_view(text));
  }
  static std::string sample(const std::string& name) {
    return quoted(test_data() / "cuda_api" / "programs" / (name + ".cu"));
  }

  TemporaryFolder folder_;
  const std::string heddle_ = quoted(heddle_program(HEDDLE_PROGRAM));
};

TEST_F(RunCommand, SourcesAreCompiledOnceAndAgainWhenSomethingChanges) {
  file("value.h", "#define VALUE 3\n");
  file("a.cu",
       "#include <cstdio>\n#ifdef __CUDA_ARCH__\n#define VALUE 0\n#else\n#include \"value.h\"\n#endif\n__global__ void "
       "k() {}\n"
       "int main(int n, char** all) { k<<<1, 1>>>(); std::printf(\"%s %d\\n\", all[1], VALUE); return n; }\n");
  const std::string cache = "HEDDLE_CACHE_DIR=" + quoted(folder_.path() / "cache");
  const auto programs = [&] {
    int count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path() / "cache" / "programs"))
      count += entry.path().filename() == "a";
    return count;
  };
  const Ran first = run("--device cpu a.cu 'x y' z", cache);
  EXPECT_EQ(first.code, 3) << first.output;
  EXPECT_EQ(first.output, "x y 3\n");
  EXPECT_EQ(programs(), 1);
  const Ran again = run("--device cpu a.cu b", cache + " PATH=/nowhere HEDDLE_LOG=warn");
  EXPECT_EQ(again.output, "b 3\n");
  file("value.h", "#define VALUE 4\n");  // which only the host's side reads
  EXPECT_EQ(run("--device cpu a.cu b", cache).output, "b 4\n");
}

TEST_F(RunCommand, SourcesMayCallTheDriver) {
  file("driver.cu", R"(#include <cuda.h>
int main() {
  int count = 0;
  return cuInit(0) == CUDA_SUCCESS && cuDeviceGetCount(&count) == CUDA_SUCCESS && count == 1 ? 7 : 1;
}
)");
  const Ran ran = run("--device cpu driver.cu");
  EXPECT_EQ(ran.code, 7) << ran.output;
  EXPECT_EQ(ran.output, "");
}

TEST_F(RunCommand, ProgramsThatCannotBeRunAreSaidToBe) {
  file("text", "not a program");
  EXPECT_THAT(run_bare("./none").output, HasSubstr("there is no program './none'"));
  EXPECT_THAT(run_bare("./text").output, HasSubstr("not executable"));
  file("a.cpp", "int main() {}");
  EXPECT_THAT(run_bare("./a.cpp").output, HasSubstr("heddle cc"));
  file("a.ptx", "not a program");
  EXPECT_THAT(run_bare("./a.ptx").output, HasSubstr("heddle launch"));
  file("kernel.cu", "__global__ void k() {}");
  const Ran kernel = run_bare("kernel.cu");
  EXPECT_EQ(kernel.code, 1);
  EXPECT_THAT(kernel.output, testing::MatchesRegex("heddle: [^\n]*kernel.cu has no main[^\n]*heddle launch[^\n]*\n"));
  EXPECT_EQ(run_bare("--device gpu0 ./text").code, 2);
  EXPECT_EQ(run_bare("").code, 2);
  shell("chmod +x text");
  const Ran text = run_bare("./text");
  EXPECT_EQ(text.code, 1);
  EXPECT_THAT(text.output, HasSubstr("is no program of this machine"));
  file("script", "#!/bin/sh\necho \"$1 in $LD_LIBRARY_PATH\"; kill -9 $$\n");
  shell("chmod +x script");
  const Ran script = run_bare("./script word");
  EXPECT_THAT(script.output, AllOf(HasSubstr("word in "), HasSubstr("lib/heddle/cuda")));
  EXPECT_EQ(script.code, 128 + 9);
  EXPECT_EQ(run_bare("sh -c 'exit 7'").code, 7);  // found on PATH
}

TEST_F(RunCommand, CheckNamesTheBadAccessAndEndsWith99) {
  const Ran plain = run("--device cpu " + sample("bad_access"));
  EXPECT_EQ(plain.code, 0) << plain.output;
  const Ran checked = run("--check --device cpu " + sample("bad_access"));
  EXPECT_EQ(checked.code, 99) << checked.output;
  EXPECT_THAT(checked.output, AllOf(HasSubstr("========= HEDDLE CHECK"), HasSubstr("write"), HasSubstr("block"),
                                    HasSubstr("thread"), HasSubstr("bad_access.cu:"), HasSubstr("ended\n")));
  const Ran good = run("--check --device cpu " + sample("vector_add"));
  EXPECT_EQ(good.code, 0) << good.output;
  EXPECT_THAT(good.output, Not(HasSubstr("CHECK")));
}

TEST_F(RunCommand, AMistakeOfManyLaunchesDoesNotHideOthers) {
  file("a.cu",
       "__global__ void waits(int* o) { if (threadIdx.x == 3) return; __syncthreads(); o[threadIdx.x] = 1; }\n"
       "__global__ void races(int* o) { __shared__ int s[64]; s[threadIdx.x] = threadIdx.x;\n"
       "  o[threadIdx.x] = s[63 - threadIdx.x]; }\n"
       "int main() { int* o; cudaMalloc(&o, 4096); for (int i = 0; i < 100; ++i) waits<<<1, 64>>>(o);\n"
       "  races<<<1, 64>>>(o); cudaDeviceSynchronize(); return cudaFree(o); }\n");
  const Ran ran = run("--check=race,sync --device cpu a.cu");
  EXPECT_EQ(ran.code, 99) << ran.output;
  EXPECT_THAT(ran.output, AllOf(HasSubstr("waits(int*)"), HasSubstr("races(int*)"),
                                HasSubstr("99 times one of these mistakes again")));
}

TEST_F(RunCommand, FaultsThatNobodyWaitsForAreFoundAtTheEnd) {
  file("a.cu",
       "__global__ void bad(int* p) { p[1 << 20] = 1; }\n"
       "int main() { int* p; cudaMalloc(&p, 4); bad<<<1, 1>>>(p); return 5; }\n");
  const Ran ran = run("--check --device cpu a.cu");
  EXPECT_EQ(ran.code, 99) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("HEDDLE CHECK"));
}

// The stream that calls the function waits for it, so the end of the program must not wait for the stream.
TEST_F(RunCommand, CheckedProgramsMayEndInAFunctionThatAStreamCalls) {
  file("a.cu",
       "#include <cstdlib>\n__global__ void k() {}\n"
       "int main() { k<<<1, 1>>>(); cudaLaunchHostFunc(0, [](void*) { std::exit(9); }, nullptr);\n"
       "cudaDeviceSynchronize(); return 1; }\n");
  EXPECT_EQ(run("--check --device cpu a.cu").code, 9);
}

TEST_F(RunCommand, RacesAreLookedForInGridsOfAnySize) {
  file("a.cu",
       "__global__ void k(int* p) { p[threadIdx.x] = 1; __threadfence(); *(volatile int*)(p + threadIdx.x); }\n"
       "int main() { int* p; cudaMalloc(&p, 4096); k<<<dim3(1 << 30, 1 << 15, 1 << 15), 256>>>(p);\n"
       "return cudaDeviceSynchronize() != cudaErrorLaunchTimeout; }\n");
  const Ran ran = run("--check=race --timeout 0.5 --device cpu a.cu");
  EXPECT_EQ(ran.code, 99) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("its time limit"));
}

TEST_F(RunCommand, TheTimelineIsJson) {
  const Ran ran = run("--device cpu --slice 5 --trace t.json " + sample("streams"));
  ASSERT_EQ(ran.code, 0) << ran.output;
  const auto events = nlohmann::json::parse(base::read_file(folder_.path() / "t.json"));
  std::set<std::string> kinds;
  std::set<int> queues;
  for (const auto& event : events) {
    if (event["ph"] != "X") continue;
    kinds.insert(event["cat"]);
    if (event["cat"] == "launch") queues.insert(event["tid"].get<int>());
    EXPECT_GE(event["dur"].get<double>(), 0.0);
  }
  EXPECT_TRUE(kinds.count("launch") && kinds.count("copy"));
  EXPECT_GE(queues.size(), 2u);
}

// Streams and events give the edges; the graph, the picture and the figures are made of the file.
TEST_F(RunCommand, TheTimelineIsReadAgain) {
  file("a.cu",
       "__global__ void one(int* p) { *p = 1; }\n__global__ void two(int* p) { *p += 2; }\n"
       "int main() { int* p; cudaMalloc(&p, 4); cudaStream_t a, b; cudaStreamCreate(&a); cudaStreamCreate(&b);\n"
       "cudaEvent_t e; cudaEventCreate(&e); one<<<1, 1, 0, a>>>(p); cudaEventRecord(e, a); cudaStreamWaitEvent(b, e, "
       "0);\n"
       "two<<<1, 1, 0, b>>>(p); int h = 0; cudaMemcpyAsync(&h, p, 4, cudaMemcpyDeviceToHost, b);\n"
       "cudaDeviceSynchronize(); return h == 3 ? 0 : 1; }\n");
  const Ran ran = run("--device cpu --trace t.json a.cu");
  ASSERT_EQ(ran.code, 0) << ran.output;
  const Ran graph = shell(heddle_ + " graph t.json");
  EXPECT_EQ(graph.code, 0) << graph.output;
  EXPECT_THAT(graph.output, AllOf(HasSubstr("label=\"one\""), HasSubstr("label=\"two\""),
                                  HasSubstr("v0 -> v1 [penwidth=2 style=dashed]"), HasSubstr("v1 -> v2 [style=dashed]"),
                                  HasSubstr("label=\"copy to host, 4 B\"")));
  const Ran metrics = shell(heddle_ + " metrics t.json --json");
  EXPECT_EQ(metrics.code, 0) << metrics.output;
  const auto figures = nlohmann::json::parse(metrics.output);
  EXPECT_EQ(figures["kernels"], 2);
  EXPECT_EQ(figures["transfers"], 1);
  EXPECT_EQ(figures["by_kernel"][0]["name"], "one");
  EXPECT_EQ(shell(heddle_ + " timeline t.json").code, 0);
  EXPECT_THAT(base::read_file(folder_.path() / "t.svg"), HasSubstr("</svg>"));
  EXPECT_EQ(run("--device cpu --trace direct.svg a.cu").code, 0);
  EXPECT_THAT(base::read_file(folder_.path() / "direct.svg"), AllOf(HasSubstr("2 kernels"), HasSubstr("comes behind")));
}

TEST_F(RunCommand, WhatIsCutOffLeavesATimelineOfWhatHadEnded) {
  file("a.cu",
       "#include <csignal>\n__global__ void k(int* p) { ++*p; }\n"
       "int main(int n, char**) { int* p; cudaMalloc(&p, 4); for (int i = 0; i < 7; ++i) k<<<1, 1>>>(p);\n"
       "cudaDeviceSynchronize(); if (n > 1) _Exit(5); std::raise(SIGTERM); }\n");
  for (const char* words : {"", " x"}) {
    const Ran ran = run("--device cpu --trace t.json a.cu" + std::string(words));
    EXPECT_NE(ran.code, 0) << ran.output;
    const auto events = nlohmann::json::parse(base::read_file(folder_.path() / "t.json"));
    EXPECT_EQ(std::count_if(events.begin(), events.end(), [](const auto& event) { return event["name"] == "k"; }), 7);
  }
}

// What the program prints then goes nowhere, and its own files have the numbers that it closes.
TEST_F(RunCommand, TheTimelineIsNoFileOfThePrograms) {
  file("a.cu",
       "#include <cstdio>\n#include <fcntl.h>\n#include <unistd.h>\n__global__ void k() {}\n"
       "int main(int n, char**) {\n"
       "k<<<1, 1>>>(); cudaDeviceSynchronize();\n"
       "if (n == 1) return std::fputs(\"printed\", stdout) < 0 || std::fflush(stdout) == 0 ||\n"
       "std::fputs(\"printed\", stderr) >= 0;\n"
       "for (int i = 3; i < 100; ++i) close(i);\n"
       "for (int i = 0; i < 20; ++i) {\n"
       "char name[9]; std::sprintf(name, \"user%d\", i); if (write(open(name, O_CREAT | O_RDWR, 0600), \"x\", 1) != 1) "
       "return 1; }\n"
       "for (int i = 0; i < 9; ++i) { k<<<1, 1>>>(); cudaDeviceSynchronize(); } }\n");
  ASSERT_EQ(shell(heddle_ + " cc a.cu -o a").code, 0);
  const auto launches = [&] {
    const auto events = nlohmann::json::parse(base::read_file(folder_.path() / "t.json"));
    return std::count_if(events.begin(), events.end(), [](const auto& event) { return event["name"] == "k"; });
  };
  const Ran closed = run("--device cpu --trace t.json ./a 1>&- 2>&-");
  EXPECT_EQ(closed.code, 0);
  EXPECT_EQ(launches(), 1);
  const Ran ran = run("--device cpu --trace t.json ./a x");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_EQ(launches(), 10);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(base::read_file(folder_.path() / ("user" + std::to_string(i))), "x");
}

TEST_F(RunCommand, EachProcessHasATimelineOfItsOwn) {
  file("a.cu",
       "#include <cstdlib>\n#include <string>\n__global__ void parents() {}\n__global__ void childs() {}\n"
       "int main(int n, char** all) { if (n > 1) childs<<<1, 1>>>(); else parents<<<1, 1>>>(); "
       "cudaDeviceSynchronize();\n"
       "return n > 1 ? 0 : std::system((std::string(all[0]) + \" x\").c_str()); }\n");
  ASSERT_EQ(shell(heddle_ + " cc a.cu -o a").code, 0);
  for (int round = 0; round < 2; ++round) {  // what an earlier run has left is written anew
    const Ran ran = run("--device cpu --trace t.json ./a");
    ASSERT_EQ(ran.code, 0) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("is the timeline of another process"));
    EXPECT_THAT(base::read_file(folder_.path() / "t.json"), AllOf(HasSubstr("parents"), Not(HasSubstr("childs"))));
  }
  int others = 0;
  for (const auto& entry : fs::directory_iterator(folder_.path())) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with("t.") || name == "t.json") continue;
    EXPECT_THAT(base::read_file(entry.path()), AllOf(HasSubstr("childs"), Not(HasSubstr("parents"))));
    ++others;
  }
  EXPECT_EQ(others, 2);
}

TEST_F(RunCommand, AccessesToFreedMemoryAreReportedWithItsPlaces) {
  file("a.cu",
       "#include <cstdio>\n__global__ void k(int* p) { p[3] = 1; }\n"
       "int main() { int *p, *q; cudaMalloc(&p, 4096); cudaFree(p); cudaMalloc(&q, 4096);\n"
       "std::printf(\"%s\\n\", p == q ? \"again\" : \"kept\"); k<<<1, 1>>>(p); return cudaDeviceSynchronize() == 0; "
       "}\n");
  const Ran ran = run("--check --device cpu a.cu");
  EXPECT_EQ(ran.code, 99) << ran.output;
  EXPECT_THAT(
      ran.output,
      AllOf(HasSubstr("kept"), HasSubstr("kernel 'k(int*)'"), HasSubstr("at offset 12 of the allocation of 4096"),
            testing::MatchesRegex("(.|\n)*which was freed at [^ ]*/a.cu:3 .a.0x[0-9a-f]+. and had been allocated "
                                  "at [^ ]*/a.cu:3 .a.0x(.|\n)*")));
}

// On a terminal, which script makes, a line stands below the output while the program waits; elsewhere there is none.
// As on a full disk: files may not grow beyond a block.
TEST_F(RunCommand, ATimelineThatIsNotWrittenIsSaid) {
  file("a.cu",
       "__global__ void k() {}\nint main() { for (int i = 0; i < 100; ++i) k<<<1, 1>>>();\n"
       "return cudaDeviceSynchronize(); }\n");
  ASSERT_EQ(run("--device cpu a.cu").code, 0);  // all is in the cache
  const std::string old =
      "[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"of before\"}}\n]\n";
  file("t.json", old);
  const Ran ran = run("--device cpu --trace t.json a.cu", "ulimit -f 1;");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("t.json cannot be written"));
  EXPECT_EQ(shell("cat t.json").output, old);
  EXPECT_EQ(shell("ls t.json*").output, "t.json\n");
  // Where there is room, the old one is gone in the end.
  EXPECT_EQ(run("--device cpu --trace t.json a.cu").code, 0);
  EXPECT_THAT(shell("cat t.json").output, HasSubstr("\"launch\""));
  EXPECT_EQ(shell("ls t.json*").output, "t.json\n");
}

// A new one has what was recorded while there was room.
TEST_F(RunCommand, ATimelineThatGrowsTooLargeIsWholeAllTheSame) {
  file("a.cu",
       "__global__ void k() {}\nint main() { for (int i = 0; i < 100; ++i) { k<<<1, 1>>>(); "
       "cudaDeviceSynchronize(); } }\n");
  ASSERT_EQ(run("--device cpu a.cu").code, 0);  // all is in the cache
  const Ran ran = run("--device cpu --trace t.json a.cu", "ulimit -f 4;");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("t.json cannot be written"));
  const auto events = nlohmann::json::parse(base::read_file(folder_.path() / "t.json"));
  const auto seen = std::count_if(events.begin(), events.end(), [](const auto& event) { return event["name"] == "k"; });
  EXPECT_GT(seen, 0);
  EXPECT_LT(seen, 100);
}

TEST_F(RunCommand, DevicesThatAreNotThereAreToldOnce) {
  file("a.cu", "int main() { for (int i = 0; i < 3; ++i) { void* p; cudaMalloc(&p, 4); } }\n");
  const Ran ran = run("--device cuda:999 a.cu");
  EXPECT_EQ(ran.code, 0) << ran.output;
  const std::size_t first = ran.output.find("there is no device 'cuda:999'");
  ASSERT_NE(first, std::string::npos) << ran.output;
  EXPECT_EQ(ran.output.find("there is no device", first + 1), std::string::npos) << ran.output;
}

TEST_F(RunCommand, TracesOfNothingAndWindowsThatAreNoneAreSaid) {
  file("t.json", "[]");
  const Ran empty = shell(heddle_ + " metrics t.json");
  EXPECT_EQ(empty.code, 0);
  EXPECT_THAT(empty.output, HasSubstr("t.json has no launches"));
  const Ran window = shell(heddle_ + " metrics t.json --from x");
  EXPECT_EQ(window.code, 2);
  EXPECT_THAT(window.output, HasSubstr("'x' is no number of milliseconds"));
}

TEST_F(RunCommand, LongWaitsAreShownOnATerminal) {
  if (shell("script --version").code != 0) GTEST_SKIP() << "NO script HERE";
  file("a.cu",
       "#include <cstdio>\n__global__ void slow() { for (int i = 0; i < 3500; ++i) __nanosleep(1000000); }\n"
       "int main() { std::printf(\"begun \"); std::fflush(stdout); slow<<<1, 1>>>(); cudaDeviceSynchronize();\n"
       "std::puts(\"ended\"); }\n");
  ASSERT_EQ(shell(heddle_ + " cc a.cu -o program").code, 0);
  const Ran shown = shell("script -qec '" + heddle_ + " run --device cpu ./program' /dev/null </dev/null");
  EXPECT_THAT(shown.output, HasSubstr("waiting for slow, 2 s"));
  EXPECT_THAT(shown.output, HasSubstr("\x1b[J"));  // it goes away
  EXPECT_THAT(shown.output, HasSubstr("ended"));
  EXPECT_EQ(run("--device cpu ./program").output, "begun ended\n");
}

TEST_F(RunCommand, NvidiasRuntimeWithinTheProgramRuns) {
  if (shell("nvcc --version").code != 0) GTEST_SKIP() << "NO NVCC HERE";
  file("a.cu", R"(#include <cstdio>
#include <vector>
__device__ int counted;
__constant__ float scale;
__global__ void add(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += scale * x[i];
  if (i < n && i % 1000 == 0) atomicAdd(&counted, 1);
}
int main() {
  const int n = 100000;
  std::vector<float> x(n, 1.5f);
  float *a, *b, two = 2;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMemcpy(a, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(b, 0, n * sizeof(float));
  cudaMemcpyToSymbol(scale, &two, sizeof two);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  for (int i = 0; i < 10; ++i) add<<<(n + 255) / 256, 256, 0, stream>>>(b, a, n);
  cudaStreamSynchronize(stream);
  cudaMemcpy(x.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost);
  int count = 0;
  cudaMemcpyFromSymbol(&count, counted, sizeof count);
  std::printf("%g %g %d %s\n", x[0], x[n - 1], count, cudaGetErrorString(cudaDeviceReset()));
}
)");
  const Ran built = shell("nvcc -arch=compute_80 a.cu -o static && strip static");
  ASSERT_EQ(built.code, 0) << built.output;
  EXPECT_EQ(run("--device cpu ./static").output, "30 30 1000 no error\n");
  EXPECT_EQ(run("--device cpu --slice 7 ./static").output, "30 30 1000 no error\n");
}

TEST_F(RunCommand, MachineCodeAloneIsSeen) {
  if (shell("nvcc --version").code != 0) GTEST_SKIP() << "NO NVCC HERE";
  file("a.cu", "__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n");
  ASSERT_EQ(shell("nvcc -gencode arch=compute_80,code=sm_80 a.cu -o machine").code, 0);
  const Ran ran = run("--device cpu ./machine");
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.output, HasSubstr("machine code for sm_80 only"));
}

TEST_F(RunCommand, AProgramsOwnPathDoesNotWin) {
  file("a.cu",
       "#include <cstdio>\n__global__ void k() {}\n"
       "int main() { k<<<1, 1>>>(); std::puts(cudaDeviceSynchronize() == cudaSuccess ? \"ran\" : \"failed\"); }\n");
  file("fake.c", "int nothing_of_use;\n");
  ASSERT_EQ(shell("mkdir own && cc -shared -fPIC fake.c -Wl,-soname,libcudart.so.12 -o own/libcudart.so.12").code, 0);
  const Ran built = shell(heddle_ + " cc a.cu -o program -Xlinker '-rpath=$ORIGIN/own' -Xlinker --disable-new-dtags");
  ASSERT_EQ(built.code, 0) << built.output;
  EXPECT_EQ(run("--device cpu ./program").output, "ran\n");
}

// As Python packages open theirs.
TEST_F(RunCommand, ALibraryThatIsOpenedByItsPathIsHeddles) {
  file("fake.c", "int nothing_of_use;\n");
  file("open.c",
       "#include <dlfcn.h>\n#include <stdio.h>\nint main(int argc, char** argv) {\n"
       "  void* library = dlopen(argv[1], RTLD_NOW);\n"
       "  puts(!library ? \"none\" : dlsym(library, argv[2]) ? \"found\" : \"lacks it\");\n}\n");
  ASSERT_EQ(shell("mkdir own && cc -shared -fPIC fake.c -o own/libnvJitLink.so.12 && cp own/libnvJitLink.so.12 "
                  "own/libcudart.so.12 && cp own/libcudart.so.12 own/libother.so && cc open.c -o opener -ldl")
                .code,
            0);
  EXPECT_EQ(shell("./opener $PWD/own/libcudart.so.12 cudaMalloc").output, "lacks it\n");
  EXPECT_EQ(run("--device cpu ./opener $PWD/own/libcudart.so.12 cudaMalloc").output, "found\n");
  EXPECT_EQ(run("--device cpu ./opener $PWD/own/libnvJitLink.so.12 nvJitLinkCreate").output, "found\n");
  EXPECT_EQ(run("--device cpu ./opener libcuda.so.1 cuInit").output, "found\n");
  EXPECT_EQ(run("--device cpu ./opener $PWD/own/libother.so nothing_of_use").output, "found\n");
  EXPECT_EQ(run("--device cpu ./opener /no/such/library.so x").output, "none\n");
}

TEST_F(RunCommand, LibrariesOfMachineCodeAreNamed) {
  file("empty.c", "int cublas(void) { return 0; }\n");
  file("a.cu", "int main() { return 0; }\n");
  const std::string make = "cc -shared -fPIC -Wl,-soname,libcublas.so.13 empty.c -o libcublas.so.13 && " +
                           program_environment() + heddle_ + " cc a.cu -Wl,--no-as-needed ./libcublas.so.13 -o a && " +
                           heddle_;
  const Ran made = shell(make + " --version");
  ASSERT_EQ(made.code, 0) << made.output;
  const Ran ran = run("--device cpu ./a", "LD_LIBRARY_PATH=.");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("needs libcublas.so.13, a library of NVIDIA's whose kernels are machine code"));
}

}  // namespace
}  // namespace heddle::tests
