#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>

#include "gpu/experiments.hpp"
#include "support/statistics.hpp"

namespace heddle::bench::lithos_gpu {
namespace {

using Numbers = std::set<std::uint32_t>;

std::uint64_t bytes_of(std::uint64_t numbers) { return numbers * sizeof(std::uint32_t); }

// The numbers by which kernels know the processors of each unit: the driver's own are others than ours.
std::vector<Numbers> numbers_of_units(Machine& machine, const Step& step) {
  const Buffers buffers = machine.buffers(step.blocks * step.threads / 32);
  const Memory where = machine.device().allocate(bytes_of(step.blocks));
  std::vector<Numbers> made;
  for (unsigned unit = 0; unit < machine.units(); ++unit) {
    std::vector<unsigned> processors;
    for (unsigned i = 0; i < machine.grain(); ++i) processors.push_back(unit * machine.grain() + i);
    const Queue queue = machine.device().queue({.processors = processors});
    machine.launch_where(queue, step, buffers, where.address());
    queue.synchronize();
    const auto found = machine.read(where, step.blocks);
    made.emplace_back(found.begin(), found.end());
  }
  return made;
}

// Launches for a tenant, and the processors of their blocks.
class Recorder {
 public:
  Recorder(const Machine& machine, const Tenant& tenant, const Step& step, unsigned launches)
      : machine_(machine),
        queue_(tenant.queue(machine.device())),
        step_(step),
        buffers_(machine.buffers(step.blocks * step.threads / 32)),
        where_(machine.device().allocate(bytes_of(step.blocks * launches))),
        launches_(launches) {}
  void launch() { machine_.launch_where(queue_, step_, buffers_, where_.address() + bytes_of(step_.blocks * next_++)); }
  void synchronize() const { queue_.synchronize(); }
  void start_again() { next_ = 0; }
  // Of each launch so far.
  std::vector<Numbers> numbers() const {
    const auto all = machine_.read(where_, step_.blocks * next_);
    std::vector<Numbers> made(next_);
    for (std::size_t i = 0; i < all.size(); ++i) made[i / step_.blocks].insert(all[i]);
    return made;
  }
  unsigned launches() const { return launches_; }

 private:
  const Machine& machine_;
  const Queue queue_;
  const Step step_;
  const Buffers buffers_;
  const Memory where_;
  const unsigned launches_;
  unsigned next_ = 0;
};

bool within(const Numbers& some, const Numbers& all) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

Numbers joined(const std::vector<Numbers>& units, unsigned from, unsigned until) {
  Numbers made;
  for (unsigned unit = from; unit < until; ++unit) made.insert(units[unit].begin(), units[unit].end());
  return made;
}

// Two tenants at once, with 75 % and 25 %; of less than four units each has a half.
void own_processors(Machine& machine, const std::vector<Numbers>& units, const Step& step, Table& table) {
  constexpr unsigned launches = 100;
  const double part = machine.units() < 4 ? 0.5 : 0.75;
  const Tenant a = machine.runtime().tenant({.name = "a", .kind = TenantKind::latency, .quota = part});
  const Tenant b = machine.runtime().tenant({.name = "b", .quota = 1 - part});
  Recorder first(machine, a, step, launches), second(machine, b, step, launches);
  const auto run = [](Recorder& recorder) {
    for (unsigned i = 0; i < recorder.launches(); ++i) recorder.launch();
    recorder.synchronize();
  };
  std::thread other([&] { run(second); });
  run(first);
  other.join();
  const auto border = static_cast<unsigned>(part * machine.units() + 0.5);
  const Numbers mine = joined(units, 0, border), others = joined(units, border, machine.units());
  double outside = 0, used_a = 0, used_b = 0;
  for (const Numbers& launch : first.numbers()) {
    outside += within(launch, mine) ? 0 : 1;
    used_a = std::max(used_a, static_cast<double>(launch.size()));
  }
  for (const Numbers& launch : second.numbers()) {
    outside += within(launch, others) ? 0 : 1;
    used_b = std::max(used_b, static_cast<double>(launch.size()));
  }
  table.add("launches of two tenants with blocks outside of their own processors", outside, "of 200", at_most(0), "0");
  table.add(fmt::format("processors of a tenant with {:.0f} %", 100 * part), used_a, fmt::format("of {}", mine.size()));
  table.add(fmt::format("processors of a tenant with {:.0f} %", 100 - 100 * part), used_b,
            fmt::format("of {}", others.size()));
}

// A tenant's processors change before each launch, or not.
void other_processors(Machine& machine, const std::vector<Numbers>& units, const Step& small, Table& table) {
  constexpr unsigned launches = 200;
  TenantOptions options{.name = "first", .kind = TenantKind::latency, .quota = 0.25};
  const Tenant before = machine.runtime().tenant(options);
  const Tenant tenant = machine.runtime().tenant({.name = "second", .kind = TenantKind::latency, .quota = 0.5});
  Recorder recorder(machine, tenant, small, launches);
  const auto run = [&](bool changes) {
    std::vector<double> times;
    recorder.start_again();
    for (unsigned i = 0; i < launches; ++i) {
      options.quota = changes && i % 2 == 1 ? 0.5 : 0.25;
      before.set(options);
      const double start = now();
      recorder.launch();
      recorder.synchronize();
      times.push_back(now() - start);
    }
    return times;
  };
  const auto border = [&](double part) { return static_cast<unsigned>(part * machine.units() + 0.5); };
  const Numbers low = joined(units, border(0.25), border(0.75)), high = joined(units, border(0.5), machine.units());
  std::vector<double> changed = run(true);
  double wrong = 0;
  const auto numbers = recorder.numbers();
  for (unsigned i = 0; i < launches; ++i) wrong += within(numbers[i], i % 2 == 1 ? high : low) ? 0 : 1;
  table.add("launches on other processors than those of the quota that was set before", wrong, "of 200", at_most(0));
  table.add("first launch on other processors", 1e6 * changed[1], "us");
  run(false);
  std::vector<double> added;
  for (int round = 0; round < 3; ++round) added.push_back(median(run(true)) - median(run(false)));
  table.add("other processors for each launch, added to its time", 1e6 * median(added), "us", at_most(20));
}

}  // namespace

void placement(Bench& bench, Table& table) {
  Machine machine(bench.settings(), "lithos:steal=off");
  const Step step = make_step(machine, bench.calibration(), 200e-6, 50e-6);
  const std::vector<Numbers> units = numbers_of_units(machine, step);
  std::size_t numbers = 0;
  for (const Numbers& unit : units) numbers += unit.size();
  const Numbers all = joined(units, 0, machine.units());
  table.add("processors of all units, by number", static_cast<double>(numbers),
            fmt::format("of {}", machine.info().processors), at_least(machine.info().processors));
  table.add("of these, different ones", static_cast<double>(all.size()), "", at_least(machine.info().processors));
  own_processors(machine, units, step, table);
  Step small = make_step(machine, bench.calibration(), 20e-6, 20e-6);
  small.blocks = std::max<std::uint64_t>(1, machine.info().processors / 4);
  other_processors(machine, units, small, table);
  table.print("Processors: where blocks run, by %smid");
}

}  // namespace heddle::bench::lithos_gpu
