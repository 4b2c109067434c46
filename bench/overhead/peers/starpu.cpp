// What the host pays for a task in StarPU and for a launch in Heddle, on the same arrays in the same order, in one run.
//
// StarPU is given what costs it least: one worker, its simplest scheduler, no performance models, handles and codelet
// made before. Its tasks run nowhere (STARPU_NOWHERE: dependences are found and nothing is executed, which is what
// Heddle's device that does nothing does), or an empty kernel on one core. Its worker looks for work all the time, and
// is paused where there is none for it: it would slow down the one that is measured.
#include <fmt/format.h>
#include <starpu.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "four_arrays.hpp"
#include "support/folders.hpp"
#include "support/results.hpp"
#include "support/statistics.hpp"

namespace {

using namespace heddle::bench;
using Clock = std::chrono::steady_clock;

void check(int result, const char* what) {
  if (result != 0) throw std::runtime_error(fmt::format("StarPU: {} failed ({})", what, result));
}

void empty_kernel(void*[], void*) {}

class Starpu {
 public:
  Starpu() : words_(four_arrays_count * four_arrays_bytes / 4), handles_(four_arrays_count) {
    setenv("STARPU_SILENT", "1", 0);
    setenv("STARPU_HOME", results_folder().c_str(), 0);  // it writes what it finds out about the machine
    starpu_conf conf;
    check(starpu_conf_init(&conf), "starpu_conf_init");
    conf.precedence_over_environment_variables = 1;
    conf.sched_policy_name = "eager";
    conf.ncpus = 1;
    conf.ncuda = conf.nopencl = 0;
    check(starpu_init(&conf), "starpu_init");
    for (std::uint64_t i = 0; i < four_arrays_count; ++i)
      starpu_vector_data_register(&handles_[i], STARPU_MAIN_RAM,
                                  reinterpret_cast<std::uintptr_t>(&words_[i * four_arrays_bytes / 4]),
                                  four_arrays_bytes / 4, sizeof words_[0]);
    nowhere_ = codelet(STARPU_NOWHERE);
    empty_ = codelet(STARPU_CPU);
    empty_.cpu_funcs[0] = &empty_kernel;
  }
  ~Starpu() {
    let_work(true);
    for (const starpu_data_handle_t handle : handles_) starpu_data_unregister(handle);
    starpu_shutdown();
  }
  Starpu(const Starpu&) = delete;
  Starpu& operator=(const Starpu&) = delete;

  static std::string version() {
    int major = 0, minor = 0, release = 0;
    starpu_get_version(&major, &minor, &release);
    return fmt::format("StarPU {}.{}.{}", major, minor, release);
  }
  void submit_nowhere(std::uint64_t i) { submit(nowhere_, i); }
  void submit_empty(std::uint64_t i) { submit(empty_, i); }
  void insert_empty(std::uint64_t i) {
    const auto [a, b, c, d] = four_arrays_of(i);
    check(starpu_task_insert(&empty_, STARPU_R, handles_[a], STARPU_R, handles_[b], STARPU_R, handles_[c], STARPU_RW,
                             handles_[d], 0),
          "starpu_task_insert");
  }
  // Whether the worker looks for work. StarPU counts pauses, hence the memory.
  static void let_work(bool wanted) {
    static bool works = true;
    if (wanted != works) wanted ? starpu_resume() : starpu_pause();
    works = wanted;
  }
  static void wait() { check(starpu_task_wait_for_all(), "starpu_task_wait_for_all"); }

 private:
  static starpu_codelet codelet(std::uint32_t where) {
    starpu_codelet made;
    starpu_codelet_init(&made);
    made.where = where;
    made.nbuffers = 4;
    made.modes[0] = made.modes[1] = made.modes[2] = STARPU_R;
    made.modes[3] = STARPU_RW;
    return made;
  }
  void submit(starpu_codelet& codelet, std::uint64_t i) {
    starpu_task* const task = starpu_task_create();
    task->cl = &codelet;
    const auto arrays = four_arrays_of(i);
    for (std::size_t k = 0; k < arrays.size(); ++k) task->handles[k] = handles_[arrays[k]];
    check(starpu_task_submit(task), "starpu_task_submit");
  }

  std::vector<std::uint32_t> words_;
  std::vector<starpu_data_handle_t> handles_;
  starpu_codelet nowhere_, empty_;
};

struct Contender {
  std::string name;
  std::function<void(std::uint64_t)> submit;
  std::function<void()> wait;
  bool worker = false;  // StarPU's has something to do
  // ns a task: for each batch, until the host has handed it over; for each round, until all have ended.
  std::vector<double> submitted = {}, completed = {};
};

// A batch takes less time than a scheduler gives a thread, so that most are undisturbed on a busy machine too.
constexpr std::uint64_t batch = 1'000;

double nanoseconds(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

void run(Contender& contender, std::uint64_t tasks) {
  Starpu::let_work(contender.worker);
  const auto start = Clock::now();
  for (std::uint64_t done = 0; done < tasks; done += batch) {
    const auto batch_start = Clock::now();
    for (std::uint64_t i = done; i < done + batch; ++i) contender.submit(i);
    contender.submitted.push_back(nanoseconds(batch_start) / batch);
  }
  contender.wait();
  contender.completed.push_back(nanoseconds(start) / static_cast<double>(tasks));
}

// The first contender is Heddle.
void compare(Results& results, std::vector<Contender> contenders, std::uint64_t tasks) {
  const std::uint64_t rounds = std::clamp<std::uint64_t>(1'000'000 / tasks, 1, 21);
  for (std::uint64_t round = 0; round < rounds; ++round)
    for (Contender& contender : contenders) run(contender, tasks);
  const double ours = median(contenders.front().submitted);
  for (const Contender& contender : contenders) {
    const bool heddle = &contender == &contenders.front();
    const double submitted = median(contender.submitted);
    const std::string name = fmt::format("{} tasks, {}", tasks, contender.name);
    results.add({name + ", submission", submitted, "ns", heddle ? std::optional(at_most(300)) : std::nullopt, ""});
    results.add({name + ", completed", median(contender.completed), "ns", {}, ""});
    if (!heddle) results.add({name + ", submission over Heddle's", submitted / ours, "x", {}, "Heddle"});
  }
}

}  // namespace

int main() {
  FourArrays ours({.replay = false});
  Starpu starpu;
  const std::string name = Starpu::version();
  const std::vector<Contender> contenders = {
      {"Heddle", [&](std::uint64_t i) { ours.launch(i); }, [&] { ours.synchronize(); }},
      {name + ", run nowhere", [&](std::uint64_t i) { starpu.submit_nowhere(i); }, &Starpu::wait},
      {name + ", empty kernel", [&](std::uint64_t i) { starpu.submit_empty(i); }, &Starpu::wait, true},
      {name + ", empty kernel, task_insert", [&](std::uint64_t i) { starpu.insert_empty(i); }, &Starpu::wait, true}};
  for (Contender warm_up : contenders) run(warm_up, batch);
  Results results("overhead");
  for (const std::uint64_t tasks : {1'000, 10'000, 100'000, 1'000'000}) compare(results, contenders, tasks);
  return results.finish();
}
