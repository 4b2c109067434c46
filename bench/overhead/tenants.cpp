// Launches per second of an almost empty kernel on the CPU device under each policy: of one tenant, of a latency and a
// batch tenant of one process, and of two processes under a daemon. Each launches as fast as it can and waits once in
// `--each` launches. The times of two are those of the slower one.
//
// overhead_tenants [POLICY...]: these policies only.
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/temporary_folder.hpp"
#include "daemon/server.hpp"
#include "daemon/tenant_variable.hpp"
#include "heddle/heddle.hpp"
#include "support/results.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using namespace heddle;

constexpr const char* source = R"(
.version 7.8
.target sm_80
.address_size 64
.visible .entry count(.param .u64 p_at) {
  .reg .b32 %r<3>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p_at];
  cvta.to.global.u64 %rd2, %rd1;
  ld.global.u32 %r1, [%rd2];
  add.u32 %r2, %r1, 1;
  st.global.u32 [%rd2], %r2;
  ret;
}
)";

struct Load {
  std::uint32_t launches = 150'000, each = 150'000;
  int rounds = 3;
};

// What a process reports, in memory that it shares with the one that measures.
struct Report {
  std::atomic<std::uint32_t> ready;  // tenants that have all they need
  std::atomic<bool> go;
  std::atomic<double> seconds[2];
};

// A tenant's launches in a queue of its own; its kernel is compiled before it says that it is ready.
void launch(const Device& device, const Queue& queue, const LoadedKernel& kernel, const Load& load, Report& report,
            unsigned number) {
  const Memory counter = device.allocate(4);
  const MemorySpan span = counter.span();
  queue.fill(span, 0, 4);
  const std::uint64_t address = span.address;
  const auto once = [&] { queue.launch(kernel, {.grid = {1}, .block = {1}}, std::as_bytes(std::span(&address, 1))); };
  once();
  queue.synchronize();
  ++report.ready;
  while (!report.go) std::this_thread::sleep_for(std::chrono::microseconds(100));
  const auto start = Clock::now();
  for (std::uint32_t i = 0; i < load.launches; ++i) {
    once();
    if ((i + 1) % load.each == 0) queue.synchronize();
  }
  queue.synchronize();
  report.seconds[number] = std::chrono::duration<double>(Clock::now() - start).count();
  std::uint32_t counted = 0;
  queue.copy(MemorySpan::of_host(&counted, 4), span);
  queue.synchronize();
  if (counted != load.launches + 1) throw std::runtime_error("launches were lost");
}

// In a process of its own: one client without a tenant, or two tenants.
void launch_in_process(const std::string& policy, unsigned tenants, const Load& load, Report& report, unsigned number) {
  Runtime runtime({.devices = "cpu", .policy = policy});
  const Device device = runtime.device("cpu");
  const LoadedKernel kernel = device.load(runtime.load_ptx(source, "count.ptx").kernel("count"));
  if (tenants == 1) return launch(device, device.queue(), kernel, load, report, number);
  const Tenant search = runtime.tenant({.name = "search", .kind = TenantKind::latency, .quota = 0.5});
  const Tenant train = runtime.tenant({.name = "train", .quota = 0.5});
  std::thread other([&] { launch(device, train.queue(device), kernel, load, report, 1); });
  launch(device, search.queue(device), kernel, load, report, 0);
  other.join();
}

pid_t start(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    work();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "overhead_tenants: %s\n", error.what());
    ::_exit(1);
  }
  ::_exit(0);
}

// Seconds until the last tenant has ended. `step` is called meanwhile.
double wait_for(Report& report, std::uint32_t tenants, std::vector<pid_t> children, const std::function<void()>& step) {
  while (!children.empty()) {
    step();
    if (report.ready == tenants) report.go = true;
    std::erase_if(children, [](pid_t child) {
      int status = 0;
      if (::waitpid(child, &status, WNOHANG) == 0) return false;
      if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error("a tenant has failed");
      return true;
    });
  }
  return std::max(report.seconds[0].load(), report.seconds[1].load());
}

Report& shared() {
  static void* const memory =
      ::mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return *new (memory) Report{};
}

double in_one_process(const std::string& policy, unsigned tenants, const Load& load) {
  Report& report = shared();
  return wait_for(report, tenants, {start([&] { launch_in_process(policy, tenants, load, report, 0); })},
                  [] { ::usleep(1000); });
}

double in_two_processes(const std::string& policy, const Load& load, const std::filesystem::path& folder) {
  using sched::TenantClass;
  const std::filesystem::path socket = folder / "run" / "socket";
  ::setenv("HEDDLE_DAEMON", socket.c_str(), 1);
  const base::SteadyClock clock;
  daemon::Server server(socket, {.units = std::thread::hardware_concurrency(), .policy = policy}, clock);
  Report& report = shared();
  std::vector<pid_t> children;
  for (unsigned i = 0; i < 2; ++i) {
    const sched::TenantSettings settings{
        .name = i == 0 ? "search" : "train", .kind = i == 0 ? TenantClass::latency : TenantClass::batch, .quota = 0.5};
    children.push_back(start([&, i] {
      ::setenv("HEDDLE_TENANT", daemon::tenant_text(settings).c_str(), 1);
      launch_in_process("", 1, load, report, i);
    }));
  }
  return wait_for(report, 2, children, [&] { server.step(1); });
}

double least(int rounds, const std::function<double()>& seconds) {
  double best = seconds();
  for (int i = 1; i < rounds; ++i) best = std::min(best, seconds());
  return best;
}

int measure(const std::vector<std::string>& policies, const Load& load) {
  base::TemporaryFolder folder;
  folder.create("tenants");
  bench::Results results("overhead");
  std::map<std::string, double> base;  // seconds under mps-like
  const auto add = [&](const std::string& policy, const std::string& who, unsigned tenants, double seconds) {
    const std::string name = "short launches, " + policy + ", " + who;
    results.add({name, load.launches * tenants / seconds, "1/s", {}, ""});
    if (tenants == 1)
      results.add({name + ", each", seconds / load.launches * 1e6, "us", bench::at_most(3), ""});
    else if (policy == "mps-like")
      base[who] = seconds;
    else if (base.contains(who))
      results.add({name + ", time", seconds / base[who], "x", bench::at_most(3), "mps-like"});
  };
  for (const std::string& policy : policies) {
    add(policy, "one client", 1, least(load.rounds, [&] { return in_one_process(policy, 1, load); }));
    add(policy, "two tenants", 2, least(load.rounds, [&] { return in_one_process(policy, 2, load); }));
    if (policy == "orion" || policy == "tgs") continue;  // within one process only
    add(policy, "two processes", 2, least(load.rounds, [&] { return in_two_processes(policy, load, folder.path()); }));
  }
  return results.finish();
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> policies = {"mps-like", "static", "priority", "lithos", "reef", "timeslice", "orion", "tgs"};
  Load load;
  CLI::App app("Launches per second of tenants on the CPU device.", "overhead_tenants");
  app.add_option("policies", policies, "policies (default: all of tenants)");
  app.add_option("--launches", load.launches, "of each tenant (default 150000)")->check(CLI::PositiveNumber);
  app.add_option("--each", load.each, "launches between two synchronisations (default: all)")
      ->check(CLI::PositiveNumber);
  app.add_option("--rounds", load.rounds, "of which the fastest counts (default 3)")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, count, arguments);
  try {
    return measure(policies, load);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "overhead_tenants: %s\n", error.what());
    return 2;
  }
}
