// Random programs on real devices: heddle_random_programs [--devices cpu] [--seeds 0:1000] [--placement POLICY]
// [--check on|off]
// With a policy, most launches name no device. With --check, kernels may touch only what their launches were given.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

#include "heddle/heddle.hpp"
#include "random_programs/program.hpp"

namespace {

using namespace heddle;

class Real final : public test::random_programs::Machine {
 public:
  Real(const std::string& devices, Scheduling::Placement placement, bool check, bool replay)
      : runtime_({.devices = devices,
                  .check = check,
                  .scheduling = {.placement = placement, .replay = replay, .early_start_bytes = 1}}),
        module_(runtime_.load_ptx(test::random_programs::kernels, "kernels.ptx")) {
    for (const DeviceInfo& device : runtime_.devices()) ids_.push_back(device.id);
    if (placement != Scheduling::Placement::first) ids_.insert(ids_.end(), 3 * ids_.size(), "");
  }
  Array<std::uint32_t> array(std::size_t count) override { return runtime_.array<std::uint32_t>(count); }
  void launch(const char* kernel, const LaunchOptions& options, std::span<const Argument> arguments) override {
    runtime_.launch_list(module_.kernel(kernel), options, arguments);
  }
  void synchronize() override { runtime_.synchronize(); }
  const std::vector<std::string>& devices() const override { return ids_; }

 private:
  Runtime runtime_;
  Module module_;
  std::vector<std::string> ids_;
};

Scheduling::Placement placement_of(const std::string& name) {
  static const char* const names[] = {
      "first", "round_robin", "stream_aware", "min_transfer_size", "minmin_transfer_time", "minmax_transfer_time"};
  for (int i = 0; i < 6; ++i)
    if (name == names[i]) return static_cast<Scheduling::Placement>(i);
  throw std::invalid_argument("no policy of placement is " + name);
}

int run(const std::string& devices, Scheduling::Placement placement, bool check, std::uint64_t begin,
        std::uint64_t end) {
  Real replayed(devices, placement, check, true), plain(devices, placement, check, false);
  int differ = 0;
  for (std::uint64_t seed = begin; seed < end; ++seed) {
    const std::string difference = test::random_programs::run(seed % 4 == 3 ? plain : replayed, seed);
    if (difference.empty()) continue;
    ++differ;
    std::printf("program %llu: %s\n", static_cast<unsigned long long>(seed), difference.c_str());
  }
  std::printf("%llu programs on %s, %d of them different\n", static_cast<unsigned long long>(end - begin),
              devices.c_str(), differ);
  return differ > 0;
}

}  // namespace

int main(int argc, char** argv) try {
  std::string devices = "cpu", seeds = "0:1000", placement = "first", check = "off";
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--devices")
      devices = argv[i + 1];
    else if (option == "--seeds")
      seeds = argv[i + 1];
    else if (option == "--placement")
      placement = argv[i + 1];
    else if (option == "--check")
      check = argv[i + 1];
    else
      return std::fprintf(stderr, "unknown option %s\n", argv[i]), 2;
  }
  return run(devices, placement_of(placement), check == "on", std::stoull(seeds),
             std::stoull(seeds.substr(seeds.find(':') + 1)));
} catch (const heddle::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.code() == heddle::ErrorCode::not_found ? 77 : 2;  // no such device: skipped
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 2;
}
