// What it takes until a queue of one device goes on after an event of another: 64 queues in a ring, each of which waits
// for the one before it, on a GPU and the CPU, or on the CPU and the interpreter where there is no GPU. And what the
// thread that watches for events takes of a processor while all of them wait.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "heddle/heddle.hpp"
#include "support/results.hpp"
#include "support/statistics.hpp"

namespace {

using Clock = std::chrono::steady_clock;
constexpr int queues = 64, rounds = 201;

double microseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::micro>(Clock::now() - since).count();
}

// Threads of this process with that name, and the processor time that they have taken, in seconds.
struct Threads {
  int count = 0;
  double seconds = 0;
};
Threads threads_called(const std::string& name) {
  Threads found;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream named(task.path() / "comm"), spent(task.path() / "schedstat");
    std::string word;
    if (!std::getline(named, word) || word != name) continue;
    double nanoseconds = 0;
    spent >> nanoseconds;
    ++found.count;
    found.seconds += nanoseconds * 1e-9;
  }
  return found;
}

class Ring {
 public:
  explicit Ring(heddle::Runtime& runtime) {
    for (int i = 0; i < queues; ++i) {
      const heddle::Device device = runtime.device(i % 2);
      queues_.push_back(device.queue());
      events_.push_back(device.untimed_event());
    }
  }
  // All wait for `ready`; then each for the one before it.
  void put(std::function<bool()> ready) {
    queues_[0].wait_until(std::move(ready));
    for (int i = 0; i < queues; ++i) {
      if (i > 0) queues_[i].wait(events_[i - 1]);
      queues_[i].record(events_[i]);
    }
  }
  void wait() { events_.back().wait(); }

 private:
  std::vector<heddle::Queue> queues_;
  std::vector<heddle::Event> events_;
};

std::string devices() {
  try {
    const heddle::Runtime gpu({.devices = "cuda:0"});
    return "cuda:0,cpu";
  } catch (const heddle::Error&) {
    return "cpu,interp";
  }
}

}  // namespace

int main() {
  const std::string used = devices();
  heddle::Runtime runtime({.devices = used});
  Ring ring(runtime);
  std::vector<double> each;
  for (int round = 0; round < rounds; ++round) {
    std::atomic<bool> go{false};
    std::atomic<std::int64_t> began{0};
    ring.put([&] {
      if (!go) return false;
      if (began == 0) began = Clock::now().time_since_epoch().count();
      return true;
    });
    go = true;
    ring.wait();
    each.push_back(microseconds(Clock::time_point(Clock::duration(began.load()))) / (queues - 1));
  }
  std::atomic<bool> go{false};
  ring.put([&] { return go.load(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const Threads before = threads_called("heddle-watcher");
  const auto start = Clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const Threads after = threads_called("heddle-watcher");
  const double waited = microseconds(start) * 1e-6;
  go = true;
  ring.wait();
  heddle::bench::Results results("overhead");
  const std::string where = " (" + used + ")";
  results.add({"wait for an event of another device" + where, heddle::bench::median(each), "us",
               heddle::bench::at_most(15), ""});
  results.add({"threads that watch, 64 queues waiting" + where, static_cast<double>(after.count), "",
               heddle::bench::at_most(1), ""});
  results.add({"of a processor that they take meanwhile" + where, 100 * (after.seconds - before.seconds) / waited, "%",
               heddle::bench::at_most(5), ""});
  return results.finish();
}
