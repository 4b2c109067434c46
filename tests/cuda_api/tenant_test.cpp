// CUDA programs that are tenants of a node, on the CPU device. The programs are processes of their own, the daemon runs
// in the test's.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "cuda_api/graph_support.hpp"
#include "cuda_api/image/fat_binary.hpp"
#include "daemon/client.hpp"
#include "runtime/node_tenant_fixture.hpp"

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaRegisterFunction(void** handle, const char* stub, char*, const char* name, int, void*, void*, void*, void*,
                            int*);
}

namespace heddle::tests {
namespace {

// What a program tells the test, and is told.
struct Program {
  std::atomic<std::uint64_t> launched, wrong;
  std::atomic<bool> known, reached, go, done;
};

void need(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error("CUDA error " + std::to_string(static_cast<int>(error)));
}

std::uint32_t* zeros(unsigned count) {
  void* made = nullptr;
  need(cudaMalloc(&made, count * 4));
  need(cudaMemset(made, 0, count * 4));
  need(cudaDeviceSynchronize());
  return static_cast<std::uint32_t*>(made);
}

cudaStream_t new_stream() {
  cudaStream_t made = nullptr;
  need(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking));
  return made;
}

cudaEvent_t new_event() {
  cudaEvent_t made = nullptr;
  need(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
  return made;
}

// p[i] = p[i] * factor + more, on the device and, of one of the numbers, here: the order of launches shows.
struct Chain {
  explicit Chain(unsigned count) : numbers(count) {}
  const unsigned numbers;
  std::uint32_t* const p = zeros(numbers);
  std::uint32_t expected = 0;
  void add(cudaStream_t stream, std::uint32_t factor, std::uint32_t more) {
    AxpbArguments arguments(p, factor, more, numbers);
    need(cudaLaunchKernel(kernels().axpb, dim3{(numbers + 127) / 128, 1, 1}, dim3{128, 1, 1}, arguments.pointers, 0,
                          stream));
    expected = expected * factor + more;
  }
  std::uint64_t wrong() const {
    std::vector<std::uint32_t> got(numbers);
    need(cudaMemcpy(got.data(), p, std::size_t{numbers} * 4, cudaMemcpyDeviceToHost));
    return static_cast<std::uint64_t>(std::count_if(got.begin(), got.end(), [&](auto v) { return v != expected; }));
  }
};

void launch_often(Program& told, std::uint32_t launches) {
  kernels();
  const cudaStream_t stream = new_stream();
  Chain chain(1000);
  for (std::uint32_t i = 0; i < launches; ++i) {
    chain.add(stream, 3, i);
    ++told.launched;
  }
  need(cudaStreamSynchronize(stream));
  told.wrong = chain.wrong();
  told.done = true;
}

// A function of the host in a stream.
void wait_to_go_on(void* data) {
  auto& told = *static_cast<Program*>(data);
  const base::SteadyClock clock;
  told.reached = true;
  while (!told.go) daemon::pause(clock, 100'000);
}

// A graph of 50 kernels, captured from two streams. Each takes longer than may be in flight. It stops after 10 of them,
// or 20, until the test says to go on.
void run_a_graph(Program& told) {
  constexpr unsigned large = 1 << 20;
  kernels();
  const cudaStream_t one = new_stream(), two = new_stream();
  const cudaEvent_t fork = new_event(), join = new_event();
  Chain p(large), q(large);
  // On a busy machine a program begins before it has read the daemon's answer, and is alone until then.
  p.add(one, 1, 1);
  need(cudaStreamSynchronize(one));
  const base::SteadyClock clock;
  while (!told.known) daemon::pause(clock, 100'000);
  need(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
  for (std::uint32_t i = 0; i < 10; ++i) p.add(one, 3, i);
  need(cudaEventRecord(fork, one));
  need(cudaStreamWaitEvent(two, fork, 0));
  for (std::uint32_t i = 0; i < 10; ++i) q.add(two, 5, i);
  need(cudaLaunchHostFunc(one, wait_to_go_on, &told));
  for (std::uint32_t i = 0; i < 20; ++i) p.add(one, 7, i);
  need(cudaEventRecord(join, two));
  need(cudaStreamWaitEvent(one, join, 0));
  for (std::uint32_t i = 0; i < 10; ++i) (i % 2 == 0 ? p : q).add(one, 11, i);
  cudaGraph_t graph = nullptr;
  need(cudaStreamEndCapture(one, &graph));
  cudaGraphExec_t exec = nullptr;
  need(cudaGraphInstantiate(&exec, graph, 0));
  need(cudaGraphLaunch(exec, one));
  need(cudaStreamSynchronize(one));
  told.wrong = p.wrong() + q.wrong();
  told.done = true;
}

class CudaTenants : public NodeTenants {
 protected:
  daemon::Status status_of(const std::string& name) const {
    for (const daemon::Status& tenant : server->status().tenants)
      if (tenant.settings.name == name) return tenant;
    return {};
  }
  std::string describe(const std::string& name) const {
    const daemon::Status status = status_of(name);
    return fmt::format("{}: {} units, {} ranges, {} held, {} in flight", name, status.units, status.ranges, status.held,
                       status.in_flight);
  }
  // A latency tenant that owns all and says that it has work, until it says that it has none.
  daemon::Client& latency_tenant() {
    client_.emplace(socket, search, clock);
    EXPECT_TRUE(until_so([&] { return client_->grant().has_value(); }));
    return *client_;
  }
  bool until_so(const std::function<bool()>& so) {
    return until([&] {
      if (client_) client_->maintain();
      return so();
    });
  }

  void go_on_for(std::uint64_t ns) {
    const std::uint64_t end = clock.now_ns() + ns;
    EXPECT_TRUE(until_so([&] { return clock.now_ns() >= end; }));
  }

  const sched::TenantSettings search{.name = "search", .kind = TenantClass::latency, .quota = 1};

 private:
  std::optional<daemon::Client> client_;
};

TEST_F(CudaTenants, LaunchesReturnBeforeTheyAreSubmitted) {
  constexpr std::uint32_t launches = 1000;
  start("lithos");
  daemon::Client& latency = latency_tenant();
  latency.set_awake(true);
  Program& told = shared<Program>();
  fork_tenant({.name = "train"}, [&] { launch_often(told, launches); });
  ASSERT_TRUE(until_so([&] { return told.launched == launches && status_of("train").held >= launches; }));
  EXPECT_EQ(status_of("train").ranges + status_of("train").in_flight, 0u);
  latency.set_awake(false);
  ASSERT_TRUE(until_so([&] { return told.done.load(); }));
  EXPECT_EQ(told.wrong, 0u);
}

// The device goes to a latency tenant between two kernels of a graph. The rest follows when that has no more work, and
// the result is that of the graph's order.
TEST_F(CudaTenants, AGraphGivesTheDeviceAwayBetweenItsKernels) {
  start("lithos");
  Told& served = start_worker(search);
  served.rests = true;
  Program& told = shared<Program>();
  fork_tenant({.name = "train"}, [&] { run_a_graph(told); });
  ASSERT_TRUE(until_so([&] { return status_of("train").ranges > 0; }));
  told.known = true;
  ASSERT_TRUE(until_so([&] { return told.reached.load(); }));
  daemon::Client& latency = latency_tenant();
  latency.set_awake(true);
  go_on_for(50'000'000);  // a tenant that waits for its host has no units either: the daemon must have looked
  ASSERT_TRUE(until_so([&] { return status_of("train").units == 0; }));
  told.go = true;
  served.rests = false;
  const std::uint64_t rounds = served.rounds;
  ASSERT_TRUE(until_so([&] { return told.done || (served.rounds > rounds + 20 && status_of("train").ranges >= 10); }));
  ASSERT_FALSE(told.done) << describe("train") << "; " << describe("search");
  EXPECT_EQ(served.wrong, 0u);
  go_on_for(100'000'000);  // what was in flight is told
  const std::uint64_t ranges = status_of("train").ranges;
  go_on_for(100'000'000);
  EXPECT_EQ(status_of("train").ranges, ranges) << "nothing of it runs meanwhile";
  EXPECT_GE(status_of("train").held, 10u) << "at least what comes after both streams is left";
  EXPECT_FALSE(told.done);
  latency.set_awake(false);
  served.rests = true;
  ASSERT_TRUE(until_so([&] { return told.done.load(); }));
  EXPECT_EQ(told.wrong, 0u);
}

// Each block adds one, and waits until all have. out[block] = how many have.
constexpr const char* meeting = R"(
.version 7.0
.target sm_70
.address_size 64
.visible .entry meet(.param .u64 counter, .param .u64 out)
{
  .reg .pred %p;
  .reg .b32 %block, %all, %now;
  .reg .b64 %c, %o;
  ld.param.u64 %c, [counter];
  ld.param.u64 %o, [out];
  mov.u32 %block, %ctaid.x;
  mov.u32 %all, %nctaid.x;
  atom.add.release.gpu.u32 %now, [%c], 1;
wait:
  ld.acquire.gpu.u32 %now, [%c];
  setp.lt.u32 %p, %now, %all;
  @%p bra wait;
  mad.wide.u32 %o, %block, 4, %o;
  st.global.u32 [%o], %now;
  ret;
}
)";
char meet_stub;

void register_meeting() {
  ::setenv("HEDDLE_RUN_DEVICE", "cpu", 1);
  static const std::vector<std::byte> binary = cuda_api::write_fat_binary({70, meeting});
  static struct {
    std::uint32_t magic = 0x466243b1, version = 1;
    const void* data = binary.data();
    const void* unused = nullptr;
  } wrapper;
  void** const handle = __cudaRegisterFatBinary(&wrapper);
  __cudaRegisterFunction(handle, &meet_stub, nullptr, "meet", -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterFatBinaryEnd(handle);
}

// The error of a cooperative launch whose blocks wait for each other; wrong results are an error too.
int meet(unsigned blocks_that_meet) {
  std::uint32_t *counter = zeros(1), *out = zeros(blocks_that_meet);
  void* arguments[] = {&counter, &out};
  const cudaError_t error =
      cudaLaunchCooperativeKernel(&meet_stub, dim3{blocks_that_meet, 1, 1}, dim3{1, 1, 1}, arguments, 0, nullptr);
  if (error != cudaSuccess) return error;
  std::vector<std::uint32_t> got(blocks_that_meet);
  need(cudaMemcpy(got.data(), out, blocks_that_meet * 4, cudaMemcpyDeviceToHost));
  for (const std::uint32_t value : got)
    if (value != blocks_that_meet) return -1;
  return 0;
}

// The error of a graph with such a launch, when it is instantiated.
int instantiate_meeting(unsigned blocks_that_meet) {
  std::uint32_t *counter = zeros(1), *out = zeros(blocks_that_meet);
  void* arguments[] = {&counter, &out};
  cudaKernelNodeParams parameters = {&meet_stub, dim3{blocks_that_meet, 1, 1}, dim3{1, 1, 1}, 0, arguments, nullptr};
  cudaGraph_t graph = nullptr;
  cudaGraphNode_t node = nullptr;
  cudaGraphExec_t exec = nullptr;
  need(cudaGraphCreate(&graph, 0));
  need(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters));
  cudaLaunchAttributeValue cooperative = {};
  cooperative.cooperative = 1;
  need(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeCooperative, &cooperative));
  return cudaGraphInstantiate(&exec, graph, 0);
}

// What a program sees of the device's processors.
struct Seen {
  std::atomic<int> attribute, of_properties, each, fits, one_more, graph_fits, graph_of_one_more;
  std::atomic<int> attribute_later, fits_later, half_fits_later;
  std::atomic<bool> first, go, done;
};

void look_at_processors(Seen& seen) {
  register_meeting();
  const auto attribute = [] {
    int value = 0;
    need(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
    return value;
  };
  int each = 0;
  seen.attribute = attribute();
  cudaDeviceProp properties;
  need(cudaGetDeviceProperties(&properties, 0));
  seen.of_properties = properties.multiProcessorCount;
  need(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&each, &meet_stub, 1, 0, 0));
  seen.each = each;
  const auto fit = static_cast<unsigned>(each * seen.attribute);
  seen.fits = meet(fit);
  seen.one_more = meet(fit + 1);
  seen.graph_fits = instantiate_meeting(fit);
  seen.graph_of_one_more = instantiate_meeting(fit + 1);
  seen.first = true;
  const base::SteadyClock clock;
  while (!seen.go) daemon::pause(clock, 100'000);
  seen.attribute_later = attribute();
  seen.fits_later = meet(fit);
  seen.half_fits_later = meet(fit / 2);
  seen.done = true;
}

TEST_F(CudaTenants, ProgramsSeeTheProcessorsOfTheirQuota) {
  start("lithos");
  Seen& seen = shared<Seen>();
  fork_tenant({.name = "train", .quota = 0.5}, [&] { look_at_processors(seen); });
  ASSERT_TRUE(until([&] { return seen.first.load(); }));
  EXPECT_EQ(seen.attribute, 2);
  EXPECT_EQ(seen.of_properties, 2);
  EXPECT_EQ(seen.fits, 0) << "blocks that wait for each other";
  EXPECT_EQ(seen.one_more, cudaErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(seen.graph_fits, 0);
  EXPECT_EQ(seen.graph_of_one_more, cudaErrorCooperativeLaunchTooLarge);
  // Programs keep what they were told. What fits is what the quota holds now.
  EXPECT_EQ(ask({.kind = Request::Kind::set, .settings = {.name = "train", .quota = 0.25}}), "set");
  seen.go = true;
  ASSERT_TRUE(until([&] { return seen.done.load(); }));
  EXPECT_EQ(seen.attribute_later, 2);
  EXPECT_EQ(seen.fits_later, cudaErrorCooperativeLaunchTooLarge);
  EXPECT_EQ(seen.half_fits_later, 0);
}

TEST_F(CudaTenants, ProgramsWithoutAQuotaSeeTheWholeDevice) {
  const auto sees_all = [&](const sched::TenantSettings& settings, const char* variable = nullptr) {
    Seen& seen = shared<Seen>();
    seen.go = true;
    fork_tenant(settings, [&] {
      if (variable) ::setenv("HEDDLE_TENANT_PROCESSORS", variable, 1);
      look_at_processors(seen);
    });
    EXPECT_TRUE(until([&] { return seen.done.load(); }));
    EXPECT_EQ(seen.attribute, static_cast<int>(workers));
    EXPECT_EQ(seen.fits, 0);
    EXPECT_NE(seen.one_more, cudaErrorCooperativeLaunchTooLarge);
    end(children.back());
    children.pop_back();
  };
  sees_all({.name = "alone", .quota = 0.5});  // no daemon: the device is its own
  start("lithos");
  sees_all({.name = "batch"});
  sees_all({.name = "told", .quota = 0.5}, "device");
  server.reset();
  start("mps-like");  // all have all, whatever their quotas
  sees_all({.name = "shares", .quota = 0.5});
}

}  // namespace
}  // namespace heddle::tests
