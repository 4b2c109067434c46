// Processes that are tenants of a node. The daemon runs in the test's process, which has one thread, so that it can
// fork.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/temporary_folder.hpp"
#include "daemon/pause.hpp"
#include "daemon/server.hpp"
#include "daemon/tenant_variable.hpp"
#include "heddle/heddle.hpp"

namespace heddle::tests {

using daemon::Request;
using sched::TenantClass;

inline constexpr const char* source = R"(
.version 7.8
.target sm_80
.address_size 64
// x[i] = x[i] * 3 + 1, so many times; y[block] = the processor of the block
.visible .entry work(.param .u64 p_x, .param .u64 p_y, .param .u32 p_times) {
  .reg .pred %p<3>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  ld.param.u64 %rd1, [p_x];
  ld.param.u64 %rd5, [p_y];
  ld.param.u32 %r1, [p_times];
  cvta.to.global.u64 %rd2, %rd1;
  cvta.to.global.u64 %rd6, %rd5;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  mul.wide.u32 %rd3, %r5, 4;
  add.u64 %rd4, %rd2, %rd3;
  ld.global.u32 %r6, [%rd4];
  mov.u32 %r7, 0;
again:
  mad.lo.u32 %r6, %r6, 3, 1;
  add.u32 %r7, %r7, 1;
  setp.lt.u32 %p1, %r7, %r1;
  @%p1 bra again;
  st.global.u32 [%rd4], %r6;
  setp.ne.u32 %p2, %r4, 0;
  @%p2 bra end;
  mul.wide.u32 %rd7, %r2, 4;
  add.u64 %rd8, %rd6, %rd7;
  mov.u32 %r8, %smid;
  st.global.u32 [%rd8], %r8;
end:
  ret;
}
// x[i] = x[i] * 31 + value: the order of launches with different values shows.
.visible .entry append(.param .u64 p_x, .param .u32 p_value) {
  .reg .b32 %r<7>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [p_x];
  ld.param.u32 %r1, [p_value];
  cvta.to.global.u64 %rd2, %rd1;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  mul.wide.u32 %rd3, %r5, 4;
  add.u64 %rd4, %rd2, %rd3;
  ld.global.u32 %r6, [%rd4];
  mad.lo.u32 %r6, %r6, 31, %r1;
  st.global.u32 [%rd4], %r6;
  ret;
}
)";
inline constexpr unsigned blocks = 64, threads = 32, workers = 4;

// What a tenant's process tells the test.
struct Told {
  std::atomic<std::uint64_t> rounds, wrong, processors;  // processors: a bit for each that has run a block
  std::atomic<std::uint64_t> asked, cleared;             // the test raises `asked` to have the bits cleared
  std::atomic<bool> rests;                               // the test says that it has no work
};

// Launches for ever, and looks at each result.
[[noreturn]] inline void work_for_ever(Told& told) {
  const base::SteadyClock clock;
  Runtime runtime({.devices = "cpu"});
  const Module module = runtime.load_ptx(source, "source.ptx");
  const Kernel kernel = module.kernel("work");
  auto x = runtime.array<std::uint32_t>(blocks * threads), y = runtime.array<std::uint32_t>(blocks);
  std::uint32_t expected = 0;
  for (;;) {
    while (told.rests.load()) daemon::pause(clock, 200'000);
    const std::uint64_t asked = told.asked.load();
    constexpr std::uint32_t times = 2000;
    runtime.launch(kernel, {.grid = {blocks}, .block = {threads}}, x, y, times);
    for (std::uint32_t i = 0; i < times; ++i) expected = expected * 3 + 1;
    std::uint64_t processors = 0;
    for (const std::uint32_t value : x.read()) told.wrong += value == expected ? 0 : 1;
    for (const std::uint32_t number : y.read()) processors |= std::uint64_t{1} << number;
    if (told.cleared.load() != asked) {
      told.processors.store(processors);
      told.cleared.store(asked);
    } else {
      told.processors |= processors;
    }
    ++told.rounds;
  }
}

class NodeTenants : public testing::Test {
 protected:
  void SetUp() override {
    folder.create("node");
    socket = folder.path() / "run" / "socket";
    ::setenv("HEDDLE_DAEMON", socket.c_str(), 1);
    ::setenv("HEDDLE_CPU_WORKERS", std::to_string(workers).c_str(), 1);
  }
  void TearDown() override {
    for (const pid_t child : children) end(child);
    ::unsetenv("HEDDLE_DAEMON");
    ::unsetenv("HEDDLE_TENANT");
    ::unsetenv("HEDDLE_CPU_WORKERS");
  }
  void start(const char* policy) {
    server = std::make_unique<daemon::Server>(socket, daemon::ServerOptions{.units = workers, .policy = policy}, clock);
  }
  // Steps the daemon, if there is one, until something is so.
  bool until(const std::function<bool()>& so) {
    const std::uint64_t limit = clock.now_ns() + 120'000'000'000;
    while (clock.now_ns() < limit) {
      if (so()) return true;
      if (server)
        server->step(5);
      else
        daemon::pause(clock, 1'000'000);
    }
    return false;
  }
  // Memory that a process shares with this one.
  template <class T>
  static T& shared() {
    void* const memory = ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return *static_cast<T*>(memory);
  }
  pid_t fork_tenant(const sched::TenantSettings& settings, const std::function<void()>& work) {
    const pid_t child = ::fork();
    if (child != 0) return children.emplace_back(child);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::setenv("HEDDLE_TENANT", daemon::tenant_text(settings).c_str(), 1);
    try {
      work();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", settings.name.c_str(), error.what());
      ::_exit(1);
    }
    ::_exit(0);
  }
  Told& start_worker(const sched::TenantSettings& settings) {
    Told& told = shared<Told>();
    fork_tenant(settings, [&] { work_for_ever(told); });
    return told;
  }
  void end(pid_t child) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  // The processors of some rounds that begin from now on.
  std::uint64_t processors_of(Told& told) {
    const std::uint64_t asked = ++told.asked;
    if (!until([&] { return told.cleared.load() == asked; })) return 0;
    const std::uint64_t rounds = told.rounds.load();
    until([&] { return told.rounds.load() >= rounds + 10; });
    return told.processors.load();
  }
  std::size_t units_of(std::size_t tenant) const { return server->status().tenants.at(tenant).units; }
  std::string ask(const Request& request) {
    const auto tool = daemon::connect_to(socket);
    daemon::Packet answer;
    if (!tool || !daemon::send_packet(*tool, daemon::encode(request))) return "no daemon";
    if (!until([&] { return daemon::receive_packet(*tool, answer) == daemon::Received::packet; })) return "no answer";
    return {reinterpret_cast<const char*>(answer.bytes.data()), answer.bytes.size()};
  }

  base::TemporaryFolder folder;
  std::filesystem::path socket;
  base::SteadyClock clock;
  std::unique_ptr<daemon::Server> server;
  std::vector<pid_t> children;
};

}  // namespace heddle::tests
