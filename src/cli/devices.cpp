// heddle devices: what was found.
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/format.hpp"
#include "base/table.hpp"
#include "cli/command.hpp"
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
    const Runtime runtime({.devices = options->devices});
    options->json ? print_json(runtime) : print_table(runtime);
  });
}

}  // namespace heddle::cli
