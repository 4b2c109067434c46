#include "skeleton/platforms.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>

#include "base/fail.hpp"
#include "base/format.hpp"

namespace heddle::skeleton {
namespace {

std::string line_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

// "0-3,8" as numbers.
std::vector<unsigned> list_of(const std::string& text) {
  std::vector<unsigned> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    unsigned first = 0, last = 0;
    auto read = std::from_chars(at, end, first);
    if (read.ec != std::errc()) return {};
    last = first;
    if (read.ptr < end && *read.ptr == '-') read = std::from_chars(read.ptr + 1, end, last);
    if (read.ec != std::errc() || last - first > 1U << 16) return {};
    for (unsigned number = first; number <= last; ++number) numbers.push_back(number);
    at = read.ptr < end ? read.ptr + 1 : end;
  }
  return numbers;
}

// The first processor of each core that the process may use, which is where the CPU device's workers are.
std::vector<unsigned> cores(const std::filesystem::path& cpus, unsigned workers) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const bool known = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0;
  std::vector<unsigned> found;
  std::set<std::string> seen;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE && found.size() < workers; ++cpu) {
    if (known && !CPU_ISSET(cpu, &allowed)) continue;
    const std::string siblings = line_of(cpus / fmt::format("cpu{}/topology/thread_siblings_list", cpu));
    if (siblings.empty() || seen.insert(siblings).second) found.push_back(cpu);
  }
  return found;
}

// A name of what the processor shares with others at this level; empty: not known.
std::string shared_at(knowledge::Fission fission, const std::filesystem::path& root, unsigned cpu) {
  if (fission == knowledge::Fission::numa) {
    for (unsigned node = 0; node < 1024; ++node) {
      const std::string list = line_of(root / fmt::format("node/node{}/cpulist", node));
      if (list.empty()) return {};
      const std::vector<unsigned> members = list_of(list);
      if (std::find(members.begin(), members.end(), cpu) != members.end()) return list;
    }
    return {};
  }
  const std::string level = std::string(knowledge::name(fission)).substr(1);
  for (unsigned index = 0; index < 16; ++index) {
    const std::filesystem::path cache = root / fmt::format("cpu/cpu{}/cache/index{}", cpu, index);
    const std::string found = line_of(cache / "level");
    if (found.empty()) return {};
    if (found == level && line_of(cache / "type") != "Instruction") return line_of(cache / "shared_cpu_list");
  }
  return {};
}

bool is_gpu(const DeviceInfo& device) { return device.capability != 0 || device.simulated; }

// Of whatever fission, which a search may choose later.
void check_domains(const std::vector<std::vector<unsigned>>& domains, const std::vector<DeviceInfo>& devices) {
  unsigned workers = 0;
  for (const DeviceInfo& device : devices)
    if (!is_gpu(device)) workers = std::max(workers, device.processors);
  for (std::size_t i = 0; i < domains.size(); ++i) {
    const std::vector<unsigned>& domain = domains[i];
    if (domain.empty())
      base::fail(ErrorCode::invalid_argument,
                 "domain {} of ExecutorOptions::domains is empty; a domain has one worker or more", i);
    if (std::ranges::adjacent_find(domain, std::greater_equal{}) != domain.end())
      base::fail(ErrorCode::invalid_argument,
                 "domain {} of ExecutorOptions::domains is {}; it names each of its workers once, in ascending order",
                 i, fmt::join(domain, ", "));
    if (workers > 0 && domain.back() >= workers)
      base::fail(ErrorCode::invalid_argument,
                 "domain {} of ExecutorOptions::domains has worker {}, but the CPU device has {}, counted from 0", i,
                 domain.back(), base::counted(workers, "worker"));
  }
}

}  // namespace

std::vector<std::vector<unsigned>> cache_domains(knowledge::Fission fission, unsigned workers,
                                                 const std::string& root) {
  std::map<std::string, std::vector<unsigned>> domains;
  const std::vector<unsigned> found =
      fission == knowledge::Fission::none ? std::vector<unsigned>{} : cores(root + "/cpu", workers);
  for (unsigned worker = 0; worker < workers; ++worker) {
    const std::string shared = worker < found.size() ? shared_at(fission, root, found[worker]) : std::string();
    domains[shared].push_back(worker);
  }
  std::vector<std::vector<unsigned>> list;
  for (auto& [name, members] : domains) list.push_back(std::move(members));
  std::sort(list.begin(), list.end());
  return list;
}

std::vector<std::vector<unsigned>> CacheDomains::of(knowledge::Fission fission, unsigned workers) const {
  const base::Lock lock(mutex_);
  const auto [place, added] = known_.try_emplace({fission, workers});
  if (added) place->second = cache_domains(fission, workers, root_);
  return place->second;
}

Platforms::Platforms(Runtime& runtime, const ExecutorOptions& options) : given_domains_(options.domains) {
  const std::vector<DeviceInfo> devices = runtime.devices();
  check_domains(given_domains_, devices);
  std::map<std::string, double> speeds(options.speeds.begin(), options.speeds.end());
  double all = 0, of_gpus = 0;
  for (const DeviceInfo& device : devices) {
    const auto given = speeds.find(device.id);
    const double speed = given != speeds.end() ? given->second
                         : devices.size() > 1  ? measure_speed(runtime, device)
                                               : 1;
    if (!(speed > 0)) base::fail(ErrorCode::invalid_argument, "the speed of device {} must be more than 0", device.id);
    const bool gpu = is_gpu(device);
    (gpu ? gpus_ : cpus_).push_back({device, speed});
    all += speed;
    if (gpu) of_gpus += speed;
    machine_ += fmt::format("{}{} {}", machine_.empty() ? "" : " + ", device.name, device.processors);
  }
  static_gpu_share_ = of_gpus / all;
}

Platforms::Domains Platforms::domains_of(knowledge::Fission fission, const DeviceInfo& cpu) const {
  if (fission == knowledge::Fission::none || cpu.processors < 2) return {{}};
  Domains domains = given_domains_.empty() ? cache_domains_.of(fission, cpu.processors) : given_domains_;
  return domains.size() < 2 ? Domains{{}} : domains;
}

std::vector<knowledge::Fission> Platforms::fissions() const {
  if (cpus_.empty()) return {knowledge::Fission::none};
  std::vector<knowledge::Fission> levels;
  std::set<Domains> seen;
  for (const knowledge::Fission level : knowledge::fission_levels)
    if (seen.insert(domains_of(level, cpus_.front().info)).second) levels.push_back(level);
  return levels;
}

std::vector<Execution> Platforms::executions(knowledge::Fission fission, unsigned overlap) const {
  std::vector<Execution> list;
  double gpus = 0, cpus = 0;
  for (const Device& device : gpus_) gpus += device.speed;
  for (const Device& device : cpus_) cpus += device.speed;
  for (const Device& device : gpus_)
    for (unsigned i = 0; i < overlap; ++i)
      list.push_back({.device = device.info.id,
                      .gpu = true,
                      .simulated = device.info.simulated,
                      .weight = device.speed / gpus / overlap,
                      .max_threads = device.info.max_threads_per_block});
  for (const Device& device : cpus_) {
    const Domains domains = domains_of(fission, device.info);
    std::size_t workers = 0;
    for (const auto& domain : domains) workers += domain.size();
    for (const auto& domain : domains)
      list.push_back({.device = device.info.id,
                      .processors = domain,
                      .weight = device.speed / cpus *
                                (workers == 0 ? 1 : static_cast<double>(domain.size()) / static_cast<double>(workers)),
                      .max_threads = device.info.max_threads_per_block});
  }
  return list;
}

}  // namespace heddle::skeleton
