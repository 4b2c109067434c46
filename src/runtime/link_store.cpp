#include "runtime/link_store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <condition_variable>
#include <filesystem>
#include <mutex>

#include "base/cache_folder.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "heddle/error.hpp"
#include "runtime/link_measurement.hpp"

namespace heddle::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view first_line = "heddle links 1";
constexpr std::uint64_t patience_ns = 30'000'000'000, pause_ns = 20'000'000;

std::string machine_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

// Numbers of GPUs change with the environment; where one is plugged in does not.
std::string describe(device::Device& device) {
  constexpr int bus = 33, slot = 34, domain = 50;  // CUDA's attributes
  std::string text = fmt::format("memory {} {}", device.info().id, device.info().name);
  const auto b = device.cuda_attribute(bus), s = device.cuda_attribute(slot), d = device.cuda_attribute(domain);
  if (b && s) text += fmt::format(", PCI {:04x}:{:02x}:{:02x}", d.value_or(0), *b, *s);
  return text;
}

std::vector<std::string> memories_of(const std::vector<device::Device*>& devices) {
  std::vector<std::string> all;
  for (device::Device* const device : devices) all.push_back(describe(*device));
  all.emplace_back("memory host");
  return all;
}

// The line up to its end, which is taken off.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

std::optional<std::vector<double>> numbers(std::string_view line) {
  std::vector<double> found;
  while (!line.empty()) {
    double value = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error != std::errc() || !std::isfinite(value)) return std::nullopt;
    found.push_back(value);
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    if (line.empty()) break;
    if (line.front() != ' ') return std::nullopt;
    line.remove_prefix(1);
  }
  return found;
}

// Held by one process at a time; waits for another's, but not forever. Without effect where there is no lock to be had.
class FileLock {
 public:
  FileLock(const fs::path& path, const base::Clock& clock)
      : file_(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)) {
    if (file_ < 0) return;
    const std::uint64_t deadline = clock.now_ns() + patience_ns;
    base::Mutex mutex;
    std::condition_variable nobody_notifies;
    base::Lock lock(mutex);
    while (::flock(file_, LOCK_EX | LOCK_NB) != 0 && clock.now_ns() < deadline)
      clock.wait_until(lock, nobody_notifies, clock.now_ns() + pause_ns);
  }
  ~FileLock() {
    if (file_ >= 0) ::close(file_);
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int file_;
};

}  // namespace

std::string links_text(std::string_view machine, const std::vector<std::string>& memories,
                       const MeasuredLinks& measured) {
  std::string text = fmt::format("{}\nmachine {}\n", first_line, machine);
  for (const std::string& memory : memories) text += memory + "\n";
  for (const std::vector<double>& row : measured) {
    for (std::size_t to = 0; to < row.size(); ++to) text += fmt::format("{}{:.0f}", to > 0 ? " " : "", row[to]);
    text += "\n";
  }
  return text;
}

std::optional<MeasuredLinks> read_links(std::string_view text, std::string_view machine,
                                        const std::vector<std::string>& memories) {
  if (next_line(text) != first_line || next_line(text) != fmt::format("machine {}", machine)) return std::nullopt;
  for (const std::string& memory : memories)
    if (next_line(text) != memory) return std::nullopt;
  MeasuredLinks links;
  for (std::size_t from = 0; from < memories.size(); ++from) {
    const auto row = numbers(next_line(text));
    if (!row || row->size() != memories.size()) return std::nullopt;
    for (std::size_t to = 0; to < row->size(); ++to)
      if (from != to && (*row)[to] <= 0) return std::nullopt;
    links.push_back(*row);
  }
  if (!text.empty()) return std::nullopt;
  return links;
}

MeasuredLinks LinkStore::read_or_measure() {
  const std::string machine = machine_name();
  const std::vector<std::string> memories = memories_of(devices_);
  std::string key = machine;
  for (const std::string& memory : memories) key += "\n" + memory;
  const fs::path folder = base::cache_directory() / "links";
  const fs::path path = folder / fmt::format("{:016x}.txt", base::hash64(key));
  const auto read = [&]() -> std::optional<MeasuredLinks> {
    if (!base::may_use_cache(folder)) return std::nullopt;
    const auto text = base::read_file_if_there(path);
    if (!text) return std::nullopt;
    auto links = read_links(*text, machine, memories);
    if (!links) base::log_info("{} is damaged or of another machine; measuring links again", path.string());
    return links;
  };
  if (const auto links = read()) return *links;
  const bool kept = base::make_cache(folder);
  std::optional<FileLock> lock;
  if (kept) {
    lock.emplace(fs::path(path).concat(".lock"), clock_);
    if (const auto links = read()) return *links;  // another process has measured them meanwhile
  }
  const MeasuredLinks measured = measure_all_links(devices_);
  if (!kept) return measured;
  try {
    base::write_file_atomic(path, std::string_view(links_text(machine, memories, measured)));
  } catch (const Error& error) {
    base::log_warn("the links' bandwidths are not kept: {}", error.what());
  }
  return measured;
}

const sched::LinkTable& LinkStore::table() {
  std::call_once(once_, [this] {
    try {
      table_ = sched::LinkTable(read_or_measure());
    } catch (const Error& error) {
      base::log_warn("the links between devices cannot be measured, and all count as alike: {}", error.what());
      const std::size_t count = devices_.size() + 1;
      table_ = sched::LinkTable(MeasuredLinks(count, std::vector<double>(count, 1e9)));
    }
    known_.store(&table_, std::memory_order_release);
  });
  return table_;
}

void LinkStore::set(const MeasuredLinks& links) {
  std::call_once(once_, [&] {
    table_ = sched::LinkTable(links);
    known_.store(&table_, std::memory_order_release);
  });
}

}  // namespace heddle::runtime
