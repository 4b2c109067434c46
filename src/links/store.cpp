#include "links/store.hpp"

#include <fmt/ranges.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <optional>
#include <string>

#include "base/cache_folder.hpp"
#include "base/database.hpp"
#include "base/log.hpp"
#include "heddle/error.hpp"
#include "links/measurement.hpp"

namespace heddle::links {
namespace {

constexpr base::Database::Schema schema{
    1,
    "CREATE TABLE links (machine TEXT, memories TEXT, source INTEGER, target INTEGER, bytes_per_second REAL,"
    " PRIMARY KEY (machine, memories, source, target)) WITHOUT ROWID"};

std::string machine_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

// Numbers of GPUs change with the environment; where one is plugged in does not.
std::string describe(device::Device& device) {
  constexpr int bus = 33, slot = 34, domain = 50;  // CUDA's attributes
  std::string text = fmt::format("{} {}", device.info().id, device.info().name);
  const auto b = device.cuda_attribute(bus), s = device.cuda_attribute(slot), d = device.cuda_attribute(domain);
  if (b && s) text += fmt::format(", PCI {:04x}:{:02x}:{:02x}", d.value_or(0), *b, *s);
  return text;
}

// What was measured on one machine for one list of memories, which rows number by their places.
struct Kept {
  base::Database& database;
  const std::string machine, memories;
  const std::size_t count;

  std::optional<MeasuredLinks> read() const {
    MeasuredLinks links(count, std::vector<double>(count));
    std::size_t left = count * (count - 1);
    base::Rows rows = database.find(
        "SELECT source, target, bytes_per_second FROM links WHERE machine = ?1 AND memories = ?2", machine, memories);
    for (; rows.next(); --left) {
      const auto from = static_cast<std::size_t>(rows.integer(0)), to = static_cast<std::size_t>(rows.integer(1));
      const double speed = rows.real(2);
      if (left == 0 || from >= count || to >= count || from == to || !std::isfinite(speed) || speed <= 0)
        return std::nullopt;
      links[from][to] = speed;
    }
    if (left > 0) return std::nullopt;
    return links;
  }
  void write(const MeasuredLinks& links) const {
    database.change("DELETE FROM links WHERE machine = ?1 AND memories = ?2", machine, memories);
    for (std::size_t from = 0; from < count; ++from)
      for (std::size_t to = 0; to < count; ++to)
        if (from != to)
          database.change("INSERT INTO links VALUES (?1, ?2, ?3, ?4, ?5)", machine, memories,
                          static_cast<std::int64_t>(from), static_cast<std::int64_t>(to), links[from][to]);
  }
};

}  // namespace

MeasuredLinks LinkStore::read_or_measure() {
  const std::filesystem::path folder = base::cache_directory() / "links";
  if (!base::make_cache(folder)) return measure_all_links(devices_);
  const std::filesystem::path file = folder / "links.sqlite";
  if (const std::string why = base::distrust_file(file); !why.empty()) {
    base::log_warn_once(why);
    return measure_all_links(devices_);
  }
  std::vector<std::string> memories;
  for (device::Device* const device : devices_) memories.push_back(describe(*device));
  memories.emplace_back("host");
  std::optional<MeasuredLinks> known, measured;
  try {
    base::use_database(file, schema, clock_, [&](base::Database& database) {
      const Kept kept{database, machine_name(), fmt::format("{}", fmt::join(memories, "\n")), memories.size()};
      known = kept.read();
      if (known) return;
      // Whoever measures has the database meanwhile.
      base::Database::Transaction writing(database);
      known = kept.read();
      if (known) return;
      if (!measured) measured = measure_all_links(devices_);
      kept.write(*measured);
      writing.commit();
    });
    // Whatever the umask is: see base/cache_folder.hpp.
    std::error_code ignored;
    std::filesystem::permissions(file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write,
                                 ignored);
  } catch (const base::DatabaseError& error) {
    base::log_warn("the links' bandwidths are not kept: {}", error.what());
  }
  if (known) return *known;
  return measured ? *measured : measure_all_links(devices_);
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

}  // namespace heddle::links
