#include "one.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <stdexcept>

#include "base/file.hpp"
#include "gpgpusim.hpp"
#include "sim/comparison/kernels.hpp"
#include "sim/comparison/measure.hpp"
#include "simreport/run.hpp"

namespace heddle::bench::peers {
namespace {

namespace fs = std::filesystem;
using comparison::Kernel;

Kernel find_kernel(const std::string& name, comparison::Sizes sizes) {
  for (Kernel& kernel : comparison::kernel_list(sizes))
    if (kernel.name == name) return std::move(kernel);
  if (name != "nothing") throw std::runtime_error("there is no kernel '" + name + "'");
  return {"nothing", "nothing", {1, 1}, {1, 1}, [](comparison::Arrays&, const device::Function&) {
            return std::vector<std::byte>();
          }};
}

std::string ptx_of(const Kernel& kernel, const fs::path& kernels) {
  return kernel.name == "nothing" ? comparison::nothing : base::read_file(kernels / (kernel.file + ".ptx"));
}

// Seconds on the processor that each thread of this process has had.
std::map<std::string, double> thread_seconds() {
  std::map<std::string, double> all;
  for (const auto& entry : fs::directory_iterator("/proc/self/task")) {
    double nanoseconds = 0;
    std::ifstream(entry.path() / "schedstat") >> nanoseconds;
    all[entry.path().filename()] = nanoseconds / 1e9;
  }
  return all;
}

// Of the thread that had most since then: the one that simulates.
double busiest_since(const std::map<std::string, double>& before) {
  double most = 0;
  for (const auto& [thread, seconds] : thread_seconds()) {
    const auto earlier = before.find(thread);
    most = std::max(most, seconds - (earlier == before.end() ? 0.0 : earlier->second));
  }
  return most;
}

}  // namespace

Figures run_on_heddle(const std::string& name, comparison::Sizes sizes, const fs::path& kernels,
                      const fs::path& machine) {
  const Kernel kernel = find_kernel(name, sizes);
  Figures figures;
  {
    comparison::Measure measure("sim:" + machine.string() + ",threads=1,report=report.json");
    device::Function& function = measure.load(ptx_of(kernel, kernels), kernel.name);
    const std::vector<std::byte> packed = kernel.arguments(measure, function);
    const auto before = thread_seconds();
    figures.cycles = measure.cycles(function, kernel.config(), [&] { return packed; });
    figures.seconds = busiest_since(before);
  }
  const simreport::Run report = simreport::read_run("report.json");
  figures.thread_instructions = report.launches.at(0).thread_instructions;
  figures.warp_instructions = report.launches.at(0).warp_instructions;
  return figures;
}

Figures run_on_gpgpusim(const std::string& name, comparison::Sizes sizes, const fs::path& kernels,
                        const fs::path& library) {
  const Kernel kernel = find_kernel(name, sizes);
  const std::string ptx = ptx_of(kernel, kernels);
  // A device of Heddle's says where arguments lie.
  comparison::Measure measure("sim:fermi-gtx480");
  const device::Function& function = measure.load(ptx, kernel.name);
  base::write_file_atomic("kernel.ptx", std::string_view(ptx));
  GpgpuSim simulator(library, "kernel.ptx", kernel.name);
  const std::vector<std::byte> packed = kernel.arguments(simulator, function);
  const auto before = thread_seconds();
  simulator.launch(kernel, function, packed);
  return {.seconds = busiest_since(before)};
}

}  // namespace heddle::bench::peers
