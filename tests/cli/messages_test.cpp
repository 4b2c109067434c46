// What the program says of values that it does not take, and which it does not take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "base/file.hpp"
#include "base/npy.hpp"
#include "cli/heddle_command.hpp"
#include "cli/small_kernel.hpp"
#include "cli/small_program.hpp"

namespace heddle::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace fs = std::filesystem;

class Messages : public HeddleCommand {
 protected:
  Messages() { write("k.ptx", kernel); }
  Ran batch(const std::string& lines, const std::string& options) const {
    write("j.toml", "[[job]]\nfile = \"k.ptx\"\nblock = 4\n" + lines);
    return here("batch j.toml " + options);
  }
};

TEST_F(Messages, RangesAreNamed) {
  for (const char* key : {"count", "seed", "shared"}) {
    for (const char* value : {"-1", "1.5", "2000000000", "\"4\""}) {
      const Ran ran = batch(std::string(key) + " = " + value + "\nargs = [\"zeros:u32:4\"]\n", "--device interp");
      EXPECT_EQ(ran.code, 1) << key;
      EXPECT_THAT(ran.output, HasSubstr("'" + std::string(key) + "' must be a whole number from 0 to 1000000000"));
    }
  }
  for (const char* wrong : {"1e300", "2e9", "0.0001"}) {
    EXPECT_THAT(here("launch k.ptx --block 4 --arg zeros:u32:4 --timeout " + std::string(wrong)).output,
                HasSubstr("expected a number of seconds from 0.001 to 1e9"));
    EXPECT_THAT(here("run --timeout " + std::string(wrong) + " /bin/true").output,
                HasSubstr("expected a number of seconds from 0.001 to 1e9"));
  }
  EXPECT_THAT(here("run /bin/true", "HEDDLE_RUN_TIMEOUT_MS=99999999999999999").output,
              HasSubstr("expected a number from 1 to 1000000000000"));
}

// The program would only see that there is no device.
TEST_F(Messages, SimulatedDevicesOfProgramsAreRefusedBeforeTheyStart) {
  const std::pair<const char*, const char*> wrong[] = {{"sim:nosuch", "nosuch"},
                                                       {"cpu,sim:fermi-gtx480,divergence=nosuch", "nosuch"}};
  for (const auto& [device, named] : wrong) {
    const Ran ran = here("run --device " + std::string(device) + " /bin/echo started");
    EXPECT_EQ(ran.code, 2) << ran.output;
    EXPECT_THAT(ran.output, AllOf(HasSubstr(named), Not(HasSubstr("started"))));
    const std::string variable = "HEDDLE_RUN_DEVICE=" + std::string(device);
    const Ran by_variable = here("run /bin/echo started", variable);
    EXPECT_EQ(by_variable.code, 1) << by_variable.output;
    const std::string given = "heddle: --device " + std::string(device) + ": ";
    ASSERT_THAT(ran.output, testing::StartsWith(given));
    EXPECT_EQ(by_variable.output, "heddle: " + variable + ": " + ran.output.substr(given.size()));
  }
}

// The same code, and the same words, whichever command has the option. A machine may be a file.
TEST_F(Messages, WrongSimulatedDevicesEndWithTwo) {
  write("j.toml", "[[job]]\nfile = \"k.ptx\"\nblock = 4\nargs = [\"zeros:u32:4\"]\n");
  for (const char* command : {"run", "tenant run", "launch k.ptx --block 4 --arg zeros:u32:4", "batch j.toml",
                              "profile k.ptx --block 4 --arg zeros:u32:4", "devices"}) {
    const bool runs = std::string_view(command).ends_with("run");
    const auto with = [&](const std::string& device) {
      return here(command + (" --device sim:" + device) + (runs ? " /bin/echo started" : ""));
    };
    for (const auto& [device, why] : {std::pair{"nosuch", "there is no machine 'nosuch'"},
                                      {"tesla-g80,speed=9", "the simulator has no option 'speed'"},
                                      {"tesla-g80,threads=x", "threads=x"}}) {
      const Ran ran = with(device);
      EXPECT_EQ(ran.code, 2) << command << ": " << ran.output;
      EXPECT_THAT(ran.output, AllOf(HasSubstr(why), Not(HasSubstr("started")))) << command;
    }
    EXPECT_EQ(with("absent.toml").code, 1) << command;
  }
  for (const char* command : {"run --device sim:tesla-g80,report=x.npy /bin/true",
                              "launch k.ptx --block 4 --arg zeros:u32:4 --device sim:tesla-g80,report=x.npy"}) {
    const Ran ran = here(command);
    EXPECT_EQ(ran.code, 2) << command << ": " << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("the name of a file that ends with .json")) << command;
  }
}

TEST_F(Messages, ProgramsOfCudaHaveNothingToTune) {
  base::write_file_atomic(folder_.path() / "a.cu", program);
  ASSERT_EQ(here("cc a.cu -o prog").code, 0);
  const Ran ran = here("tune ./prog");
  EXPECT_EQ(ran.code, 1) << ran.output;
  EXPECT_THAT(ran.output, AllOf(HasSubstr("./prog is a CUDA program"), HasSubstr("heddle run runs it")));
  EXPECT_EQ(here("tune sh -c 'exit 7'").code, 7);
}

// Whatever devices and files there are, a policy that cannot be is a wrong command line, and the option is named.
TEST_F(Messages, WrongPoliciesEndWithTwo) {
  const std::pair<const char*, const char*> wrong[] = {
      {"nosuch", "there is no policy 'nosuch'"},
      {"slice:x",
       "the parameter of the policy 'slice' is 'x'; it is the number of blocks in a range, a whole number "
       "from 1 to 2147483647"},
      {"base:0", "the parameter of the policy 'base' is '0'; it is the number of kernels that run at a time"},
      {"bounded:1", "the parameter of the policy 'bounded' is '1'; it is the time in microseconds"},
      {"timeslice:1",
       "the parameter of the policy 'timeslice' is '1'; it is the length of a turn in microseconds, a "
       "whole number from 100 to 10000000"},
      {"static:99", "the parameter of the policy 'static' is '99'; it is the number of units"},
      {"slice:", "the policy 'slice:' ends with a colon"},
      {"lithos:", "the policy 'lithos:' ends with a colon"},
      {":", "the policy ':' ends with a colon"},
      {":4", "there is no policy ''"},
      {"opt:3", "the policy 'opt' has no parameter; it was given '3'"},
      {"serial:2", "the policy 'serial' has no parameter; it was given '2'"},
      {"direct:2", "the policy 'direct' has no parameter; it was given '2'"}};
  for (const auto& [policy, why] : wrong)
    for (const char* command : {"batch absent.toml", "run /bin/echo", "tenant run /bin/echo"}) {
      const std::string words(command), option = "--policy " + std::string(policy);
      const std::size_t last = words.rfind(' ');
      const Ran ran = here(words.substr(0, last) + " " + option + words.substr(last));
      EXPECT_EQ(ran.code, 2) << command << ran.output;
      EXPECT_THAT(ran.output, StartsWith("heddle: " + option + ": " + why)) << command;
    }
  EXPECT_EQ(here("batch absent.toml --policy opt").code, 1) << "of the file";
  EXPECT_THAT(here("run --policy opt /bin/true").output, HasSubstr("'heddle batch' measures them"));
  for (const char* command : {"daemon start --units 2 --policy ", "policy "}) {
    const Ran unknown = here(std::string(command) + "orion:1"), parameter = here(std::string(command) + "static:1");
    EXPECT_EQ(unknown.code, 2) << command << unknown.output;
    EXPECT_THAT(unknown.output, HasSubstr("works within one process only"));
    EXPECT_EQ(parameter.code, 2) << command << parameter.output;
    EXPECT_THAT(parameter.output, HasSubstr("the policy 'static' has no parameter; it was given '1'"));
  }
}

// What pthread_exit does there is undefined in CUDA.
TEST_F(Messages, HostFunctionsThatEndTheirThreadEndTheProcessWithASentence) {
  base::write_file_atomic(folder_.path() / "ends.cu", std::string_view(R"(#include <cstdio>
#include <pthread.h>
void ends(void*) { pthread_exit(nullptr); }
void ends_too(cudaStream_t, cudaError_t, void*) { pthread_exit(nullptr); }
int main(int count, char**) {
  std::printf("begun\n");
  if (count > 1) cudaStreamAddCallback(nullptr, ends_too, nullptr, 0);
  else cudaLaunchHostFunc(nullptr, ends, nullptr);
  cudaDeviceSynchronize();
  std::printf("ended\n");
}
)"));
  ASSERT_EQ(here("cc ends.cu -o ends").code, 0);
  for (const char* command : {"run --device cpu ./ends", "run --device cpu ./ends x"}) {
    const Ran ran = here(command);
    EXPECT_EQ(ran.code, 1) << ran.output;
    EXPECT_THAT(ran.output, AllOf(HasSubstr("a host function of a stream has ended the thread"), HasSubstr("begun\n"),
                                  Not(HasSubstr("ended\n")), Not(HasSubstr("FATAL"))));
  }
}

TEST_F(Messages, HostFunctionsThatThrowEndTheProcessWithASentence) {
  base::write_file_atomic(folder_.path() / "throws.cu", std::string_view(R"(#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
void throws(void* p) {
  if (p != nullptr) throw 7;
  throw std::runtime_error("the disk is full");
}
void throws_too(cudaStream_t, cudaError_t, void* p) { throws(p); }
void seen() {
  std::printf("terminate\n");
  std::fflush(stdout);
  std::abort();
}
int main(int, char** arguments) {
  std::set_terminate(seen);
  int number = 0;
  switch (arguments[1][0]) {
    case 'f': cudaLaunchHostFunc(nullptr, throws, nullptr); break;
    case 'n': cudaLaunchHostFunc(nullptr, throws, &number); break;
    case 'c': cudaStreamAddCallback(nullptr, throws_too, nullptr, 0); break;
    case 'u': {
      cudaUserObject_t object;
      cudaUserObjectCreate(&object, &number, throws, 1, cudaUserObjectNoDestructorSync);
      cudaUserObjectRelease(object, 1);
      break;
    }
    default: {
      cudaGraph_t graph;
      cudaGraphNode_t node;
      cudaGraphExec_t exec;
      const cudaHostNodeParams parameters = {throws, nullptr};
      cudaGraphCreate(&graph, 0);
      cudaGraphAddHostNode(&node, graph, nullptr, 0, &parameters);
      cudaGraphInstantiate(&exec, graph, 0);
      cudaGraphLaunch(exec, nullptr);
    }
  }
  cudaDeviceSynchronize();
  std::printf("ended\n");
}
)"));
  ASSERT_EQ(here("cc throws.cu -o throws").code, 0);
  for (const char* way : {"f", "n", "c", "u", "g"}) {
    const Ran ran = here("run --device cpu ./throws " + std::string(way));
    EXPECT_NE(ran.code, 0) << way;
    const bool is_number = *way == 'n' || *way == 'u';
    EXPECT_THAT(ran.output,
                AllOf(HasSubstr(is_number ? "has thrown an exception: its type is no std::exception"
                                          : "has thrown an exception: the disk is full"),
                      HasSubstr("terminate\n"), Not(HasSubstr("ended\n")), Not(HasSubstr("invalid argument"))))
        << way;
  }
}

// They would wait for themselves.
TEST_F(Messages, HostFunctionsDoNotWaitForTheirStream) {
  base::write_file_atomic(folder_.path() / "waits.cu", std::string_view(R"(#include <cuda.h>
#include <cstdio>
cudaStream_t stream;
cudaEvent_t event;
void waits(void*) {
  std::printf("%d %d %d %d %d\n", cudaStreamSynchronize(stream), cudaEventSynchronize(event), cudaDeviceSynchronize(),
              cudaStreamQuery(stream), cudaDeviceReset());
  std::printf("driver %d %d %d %d %d\n", cuStreamSynchronize(stream), cuEventSynchronize(event), cuCtxSynchronize(),
              cuDevicePrimaryCtxReset(0), cuDevicePrimaryCtxRelease(0));
}
void waits_too(cudaStream_t, cudaError_t, void* p) { waits(p); }
int main() {
  cudaStreamCreate(&stream);
  cudaEventCreate(&event);
  cudaLaunchHostFunc(stream, waits, nullptr);
  cudaStreamAddCallback(stream, waits_too, nullptr, 0);
  cudaEventRecord(event, stream);
  std::printf("%d\n", cudaStreamSynchronize(stream));
}
)"));
  ASSERT_EQ(here("cc waits.cu -o waits -lcuda").code, 0);
  for (const char* options :
       {"--device cpu", "--device interp", "--device sim:tesla-g80", "--device cpu --policy lithos"}) {
    const Ran ran = here("run " + std::string(options) + " ./waits", "HEDDLE_LOG=info");
    EXPECT_EQ(ran.code, 0) << options << ran.output;
    EXPECT_THAT(ran.output,
                AllOf(HasSubstr("800 800 800 800 800\n"), HasSubstr("driver 800 800 800 800 800\n"), HasSubstr("\n0\n"),
                      HasSubstr("host functions of streams must not call CUDA functions")))
        << options;
  }
}

TEST_F(Messages, TuneSaysWhatItTakes) {
  write("saxpy.cu", "__global__ void k() {}\n");
  write("jobs.toml", "[[job]]\n");
  write("mine.sh", "#!/bin/sh\necho ran\n");
  fs::permissions(folder_.path() / "mine.sh", fs::perms::owner_all);
  for (const char* word : {"saxpy.cu", "./saxpy.cu", "jobs.toml"}) {
    const Ran ran = here(std::string("tune ") + word);
    EXPECT_EQ(ran.code, 1) << ran.output;
    EXPECT_THAT(ran.output, AllOf(StartsWith("heddle: " + std::string(word) + " is no program that can be run"),
                                  HasSubstr("heddle/skeleton.hpp")));
  }
  EXPECT_THAT(here("tune mine.sh").output, HasSubstr("heddle tune ./mine.sh runs the one in this folder"));
  EXPECT_EQ(here("tune ./mine.sh").output, "ran\n");
  EXPECT_THAT(here("tune .").output, HasSubstr(". is a folder"));
  EXPECT_THAT(here("tune absent").output, HasSubstr("absent cannot be run: No such file or directory"));
}

TEST_F(Messages, DevicesOfTheVariableAreRefusedWithTheReason) {
  const std::pair<const char*, const char*> wrong[] = {{"cpu,cpu", "'cpu' is there more than once"},
                                                       {"cpu,,", "a name is empty between commas"},
                                                       {"cpu,gpus", "'gpus' is no device"}};
  for (const auto& [devices, why] : wrong) {
    const Ran option = here("run --device " + std::string(devices) + " /bin/echo started"),
              variable = here("run /bin/echo started", "HEDDLE_RUN_DEVICE=" + std::string(devices));
    EXPECT_EQ(option.code, 2);
    EXPECT_THAT(option.output, AllOf(HasSubstr(why), Not(HasSubstr("started"))));
    EXPECT_EQ(variable.code, 1);
    EXPECT_THAT(variable.output, AllOf(StartsWith("heddle: HEDDLE_RUN_DEVICE=" + std::string(devices) + ": "),
                                       HasSubstr(why), Not(HasSubstr("started"))));
  }
}

TEST_F(Messages, AnEmptyFolderIsNone) {
  const Ran ran = here("launch k.ptx --block 4 --arg out:x.npy:u32:4 --out-dir ''");
  EXPECT_EQ(ran.code, 2) << ran.output;
  EXPECT_THAT(ran.output, AllOf(HasSubstr("--out-dir"), HasSubstr("its value is empty")));
  EXPECT_FALSE(fs::exists(folder_.path() / "x.npy"));
}

// Which of the two is meant nobody knows.
TEST_F(Messages, OptionsThatAreGivenTwiceAreRefused) {
  const std::string launch = "launch k.ptx --block 4 --arg zeros:u32:4 --device sim:";
  for (const auto& [device, what] : {std::pair{"fermi-gtx480,scheduler=gto,scheduler=lrr", "scheduler is given twice"},
                                     {"fermi-gtx480,report=a.json,report=text", "report is given twice"},
                                     {"dwf-g80,divergence=dwf,pool=8,pool=9", "pool is given twice"}}) {
    const Ran ran = here(launch + device);
    EXPECT_EQ(ran.code, 2) << device;
    EXPECT_THAT(ran.output, HasSubstr(what)) << device;
  }
  write("m.toml", "based-on = \"dwf-g80\"\n[policies]\ndivergence = \"dwf\"\noptions = \"pool=8,pool=9\"\n");
  EXPECT_THAT(here(launch + "m.toml").output, HasSubstr("pool of a policy is given twice"));
  EXPECT_THAT(batch("args = [\"zeros:u32:4\"]\n", "--device interp --policy lithos:slip=2,slip=3").output,
              HasSubstr("'slip' of the policy 'lithos' is given twice"));
}

TEST_F(Messages, OptionsOfACommandAreGivenOnce) {
  const std::string launch = "launch k.ptx --arg zeros:u32:4 ";
  for (const auto& [command, what] :
       {std::pair{launch + "--block 4 --block 8", "--block is given twice"},
        {launch + "--block 4 --device cpu --device interp", "--device is given twice"},
        {launch + "--block 4 --timeout 1 --timeout 2 --timeout 3", "--timeout is given 3 times"},
        {launch + "--block 4 --device interp --check --check=race", "--check is given twice"},
        {std::string("compile a.cu -o a -o b"), "--output is given twice"},
        {std::string("compile a.cu -O1 -O2"), "-O is given twice"},
        {std::string("batch j.toml --policy serial --policy opt"), "--policy is given twice"},
        {std::string("timeline t.json --from 1 --from 2"), "--from is given twice"},
        {std::string("run --device cpu --device interp /bin/true"), "--device is given twice"},
        {std::string("run --trace a.json --trace b.json /bin/true"), "--trace is given twice"},
        {std::string("tenant run --quota 50% --quota 60% /bin/true"), "--quota is given twice"},
        {std::string("sim sweep s.toml --list --show"), "--list excludes --show"},
        {std::string("sim sweep s.toml --list --wait"), "excludes"},
        {std::string("sim sweep s.toml --show --wait"), "excludes"},
        {std::string("knowledge forget x --all"), "--all stands for all programs, and x is named"}}) {
    const Ran ran = here(command);
    EXPECT_EQ(ran.code, 2) << command << ": " << ran.output;
    EXPECT_THAT(ran.output, HasSubstr(what)) << command;
  }
}

TEST_F(Messages, ProgramsThatAreNoClangAreNamed) {
  write("a.cu", "extern \"C\" __global__ void k() {}\n");
  for (const char* program : {"/bin/true", "/bin/false", "/bin/cat"}) {
    const Ran ran = here("compile a.cu", "HEDDLE_CLANG=" + std::string(program));
    EXPECT_EQ(ran.code, 1) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr(program));
  }
  EXPECT_THAT(here("compile a.cu", "HEDDLE_CLANG=/bin/true").output,
              AllOf(HasSubstr("/bin/true has made no PTX of a.cu: it is not clang 19"), HasSubstr("HEDDLE_CLANG")));
  EXPECT_THAT(here("compile a.cu -X -fsyntax-only").output,
              AllOf(HasSubstr("with the options that it was passed: -fsyntax-only"), Not(HasSubstr("HEDDLE_CLANG"))));
}

TEST_F(Messages, ListingMakesNoFile) {
  for (const char* command : {"knowledge list", "knowledge show x", "knowledge forget --all"}) {
    const Ran ran = here(std::string(command) + " --file nope.db");
    EXPECT_EQ(ran.code, 1) << command;
    EXPECT_EQ(ran.output, "heddle: there is no file nope.db\n") << command;
    EXPECT_FALSE(fs::exists(folder_.path() / "nope.db")) << command;
    const Ran zero = here(std::string(command) + " --file /dev/zero");
    EXPECT_EQ(zero.code, 1) << command;
    EXPECT_THAT(zero.output,
                AllOf(HasSubstr("/dev/zero: it is a device; a regular file is expected"), Not(HasSubstr("emove"))));
  }
}

TEST_F(Messages, ReportsOfSimulatedDevicesAreNoTraces) {
  ASSERT_EQ(here("launch k.ptx --block 4 --arg zeros:u32:4 --device sim:tesla-g80,report=r.json").code, 0);
  for (const char* command : {"timeline r.json", "graph r.json", "metrics r.json"}) {
    const Ran ran = here(command);
    EXPECT_EQ(ran.code, 1) << command;
    EXPECT_THAT(ran.output, HasSubstr("heddle sim report shows it")) << command;
  }
}

// A batch is no launch that is recorded.
TEST_F(Messages, BatchesWriteNoReports) {
  write("r.json", "{\"kind\":\"machine\"}\n");
  const Ran ran = batch("args = [\"zeros:u32:4\"]\n", "--device sim:tesla-g80,report=r.json --policy serial");
  EXPECT_EQ(ran.code, 2) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("has no report="));
  EXPECT_EQ(read("r.json"), "{\"kind\":\"machine\"}\n");
}

// Results of what was not run.
TEST_F(Messages, JobsWithoutLaunchesLeaveTheirResults) {
  base::write_npy(folder_.path() / "x.npy", {base::NpyType::u32, {4}, std::vector<std::byte>(16, std::byte{7})});
  const std::string before = read("x.npy");
  const Ran ran = batch(
      "count = 0\nargs = [\"out:x.npy:u32:4\"]\n[[job]]\nfile = \"k.ptx\"\nblock = 4\nargs = [\"out:y.npy:u32:4\"]\n",
      "--device interp --policy serial");
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_EQ(read("x.npy"), before);
  EXPECT_TRUE(fs::exists(folder_.path() / "y.npy"));
  EXPECT_EQ(batch("count = 0\nargs = [\"out:x.npy:u32:4\"]\n", "--device interp --policy serial").code, 0);
  EXPECT_EQ(read("x.npy"), before);
}

// Time in which nothing runs is skipped where it is simulated, and not waited for in silence where it is not.
TEST_F(Messages, JobsThatArriveLate) {
  const Ran rare =
      batch("rate = 1e-6\ncount = 20\nargs = [\"zeros:u32:4\"]\n", "--device sim:tesla-g80 --policy serial");
  EXPECT_EQ(rare.code, 0) << rare.output;
  EXPECT_THAT(rare.output, HasSubstr("for 20 jobs"));
  const Ran late = batch("arrival = 1e9\nargs = [\"zeros:u32:4\"]\n", "--device sim:tesla-g80 --policy serial");
  EXPECT_EQ(late.code, 0) << late.output;
  for (const char* device : {"cpu", "interp"}) {
    const Ran ran =
        batch("arrival = 1e9\nargs = [\"zeros:u32:4\"]\n", std::string("--policy serial --device ") + device);
    EXPECT_EQ(ran.code, 1) << ran.output;
    EXPECT_THAT(ran.output,
                AllOf(HasSubstr("would arrive after 1000000000 s"), HasSubstr("waits for 86400 s at most")));
  }
  const Ran waits =
      heddle("batch j.toml --device interp --policy serial", "&1", "sed -i s/1e9/1000/ j.toml; timeout 3");
  EXPECT_EQ(waits.code, 124) << waits.output;
  EXPECT_THAT(waits.output,
              HasSubstr("note: the last launch, of one, arrives after 16 min 40 s; until then interp waits"));
}

// Machines on which blocks start late.
TEST_F(Messages, LongTimesOfMachinesAreSkipped) {
  for (const char* line :
       {"kernel-cycles = 1_000_000_000", "block-cycles = 1_000_000_000", "blocks-per-cycle = 1e-6"}) {
    write("m.toml", std::string("based-on = \"tesla-g80\"\n[launching]\n") + line + "\n");
    const Ran ran = here("launch k.ptx --grid 50 --block 4 --arg out:x.npy:u32:4 --device sim:m.toml");
    EXPECT_EQ(ran.code, 0) << line << ran.output;
  }
  write("m.toml", "based-on = \"tesla-g80\"\n[clocks]\nsm-mhz = 100000\ndram-mhz = 1\n");
  EXPECT_THAT(here("launch k.ptx --block 4 --arg zeros:u32:4 --device sim:m.toml").output,
              HasSubstr("m.toml:4: clocks.dram-mhz must be at least 1000 MHz, a hundredth of clocks.sm-mhz"));
}

}  // namespace
}  // namespace heddle::tests
