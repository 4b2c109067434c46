// heddle devices: what was found.
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "base/table.hpp"
#include "cli/command.hpp"
#include "cli/launch_options.hpp"
#include "heddle/runtime.hpp"

namespace heddle::cli {
namespace {

struct Options {
  std::string devices;
  bool json = false;
};

void print_table(const Runtime& runtime) {
  base::Table table({{"id"},
                     {"device"},
                     {"processors", base::Align::right},
                     {"vectors", base::Align::right},
                     {"memory", base::Align::right},
                     {"bandwidth", base::Align::right}});
  for (const DeviceInfo& device : runtime.devices()) {
    table.add_row({device.id, device.name, std::to_string(device.processors),
                   device.vector_bits > 0 ? fmt::format("{} bit", device.vector_bits) : "-",
                   base::format_bytes(device.memory_bytes),
                   base::format_bandwidth(runtime.measured_bandwidth(device.id))});
  }
  fmt::print("{}", table.text());
}

// Devices with memory of their own, which is what links lead to.
std::vector<std::string> ends_of_links(const Runtime& runtime) {
  std::vector<std::string> ends{"host"};
  for (const DeviceInfo& device : runtime.devices())
    if (!device.host_memory) ends.push_back(device.id);
  return ends;
}

void print_links(const Runtime& runtime) {
  const std::vector<std::string> ends = ends_of_links(runtime);
  if (ends.size() < 2) return;
  std::vector<base::Table::Column> columns{{"from, to"}};
  for (const std::string& to : ends) columns.push_back({to, base::Align::right});
  base::Table table(std::move(columns));
  for (const std::string& from : ends) {
    std::vector<std::string> row{from};
    for (const std::string& to : ends)
      row.push_back(from == to ? "-" : base::format_bandwidth(runtime.measured_link(from, to)));
    table.add_row(std::move(row));
  }
  fmt::print("\n{}", table.text());
}

// Those among which placement chooses: like the first one.
std::vector<std::string> ends_of_placement(const Runtime& runtime) {
  std::vector<std::string> ends;
  const std::vector<DeviceInfo> devices = runtime.devices();
  for (const DeviceInfo& device : devices)
    if ((device.capability != 0) == (devices.front().capability != 0)) ends.push_back(device.id);
  if (ends.size() < 2) return {};
  ends.emplace_back("host");
  return ends;
}

void print_placement_links(const Runtime& runtime) {
  const std::vector<std::string> ends = ends_of_placement(runtime);
  if (ends.empty()) return;
  std::vector<base::Table::Column> columns{{"placement counts"}};
  for (const std::string& end : ends) columns.push_back({end, base::Align::right});
  base::Table table(std::move(columns));
  for (const std::string& from : ends) {
    std::vector<std::string> row{from};
    for (const std::string& to : ends)
      row.push_back(from == to ? "-" : base::format_bandwidth(runtime.placement_link(from, to)));
    table.add_row(std::move(row));
  }
  fmt::print("\n{}", table.text());
}

nlohmann::json placement_links_of(const Runtime& runtime, const std::string& from) {
  nlohmann::json links = nlohmann::json::object();
  for (const std::string& to : ends_of_placement(runtime))
    if (to != from) links[to] = runtime.placement_link(from, to);
  return links;
}

nlohmann::json links_of(const Runtime& runtime, const std::string& from) {
  nlohmann::json links = nlohmann::json::object();
  for (const std::string& to : ends_of_links(runtime))
    if (to != from) links[to] = runtime.measured_link(from, to);
  return links;
}

void print_json(const Runtime& runtime) {
  nlohmann::json list = nlohmann::json::array();
  for (const DeviceInfo& device : runtime.devices()) {
    list.push_back({{"id", device.id},
                    {"name", device.name},
                    {"processors", device.processors},
                    {"warp_size", device.warp_size},
                    {"vector_bits", device.vector_bits},
                    {"memory_bytes", device.memory_bytes},
                    {"max_threads_per_block", device.max_threads_per_block},
                    {"max_shared_per_block", device.max_shared_per_block},
                    {"bandwidth_bytes_per_second", runtime.measured_bandwidth(device.id)}});
    const std::vector<std::string> placed = ends_of_placement(runtime);
    if (std::find(placed.begin(), placed.end(), device.id) != placed.end())
      list.back()["placement_link_bytes_per_second"] = placement_links_of(runtime, device.id);
    if (!device.host_memory) {
      list.back()["link_to_bytes_per_second"] = links_of(runtime, device.id);
      list.back()["link_from_host_bytes_per_second"] = runtime.measured_link("host", device.id);
    }
  }
  fmt::print("{}\n", list.dump(2));
}

}  // namespace

void add_devices(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("devices", "lists the devices: cores, vectors, memory, measured bandwidth");
  command->add_option("--device", options->devices,
                      "only these ids, comma separated; also devices that only tests use");
  command->add_flag("--json", options->json, "as JSON");
  command->callback([options] {
    check_device_option(options->devices);
    const Runtime runtime({.devices = options->devices});
    if (options->json) return print_json(runtime);
    print_table(runtime);
    print_links(runtime);
    print_placement_links(runtime);
  });
}

}  // namespace heddle::cli
