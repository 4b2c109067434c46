// Random programs on real devices: heddle_random_programs [--devices cpu] [--seeds 0:1000] [--placement POLICY]
// [--check on|off] [--policy POLICY] [--memory small]
// With a placement, most launches name no device. With --check, kernels may touch only what their launches were given.
// With --policy, it decides when launches are submitted (RuntimeOptions::policy). With small memory, a device has room
// for the three arrays of the largest launch, and a program has four times of that and more.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>

#include "heddle/heddle.hpp"
#include "random_programs/program.hpp"

namespace {

using namespace heddle;

struct Options {
  std::string devices = "cpu", policy = {};
  Scheduling::Placement placement = Scheduling::Placement::first;
  bool check = false, small_memory = false;
};

class Real final : public test::random_programs::Machine {
 public:
  static constexpr std::uint64_t small = 3 * test::random_programs::most_elements * sizeof(std::uint32_t);
  Real(const Options& options, bool replay)
      : runtime_({.devices = options.devices,
                  .check = options.check,
                  .scheduling = {.placement = options.placement, .replay = replay, .early_start_bytes = 1},
                  .policy = options.policy,
                  .memory_budget = options.small_memory ? small : 0}),
        module_(runtime_.load_ptx(test::random_programs::kernels, "kernels.ptx")) {
    for (const DeviceInfo& device : runtime_.devices()) ids_.push_back(device.id);
    small_memory_ = options.small_memory;
    if (options.placement != Scheduling::Placement::first) ids_.insert(ids_.end(), 3 * ids_.size(), "");
  }
  Array<std::uint32_t> array(std::size_t count) override { return runtime_.array<std::uint32_t>(count); }
  void launch(const char* kernel, const LaunchOptions& options, std::span<const Argument> arguments) override {
    runtime_.launch_list(module_.kernel(kernel), options, arguments);
  }
  std::size_t least_arrays() const override { return small_memory_ ? 26 : 4; }
  void synchronize() override { runtime_.synchronize(); }
  const std::vector<std::string>& devices() const override { return ids_; }

 private:
  Runtime runtime_;
  Module module_;
  std::vector<std::string> ids_;
  bool small_memory_ = false;
};

Scheduling::Placement placement_of(const std::string& name) {
  static const char* const names[] = {
      "first", "round_robin", "stream_aware", "min_transfer_size", "minmin_transfer_time", "minmax_transfer_time"};
  for (int i = 0; i < 6; ++i)
    if (name == names[i]) return static_cast<Scheduling::Placement>(i);
  throw std::invalid_argument("no policy of placement is " + name);
}

int run(const Options& options, std::uint64_t begin, std::uint64_t end) {
  Real replayed(options, true), plain(options, false);
  int differ = 0;
  for (std::uint64_t seed = begin; seed < end; ++seed) {
    const std::string difference = test::random_programs::run(seed % 4 == 3 ? plain : replayed, seed);
    if (difference.empty()) continue;
    ++differ;
    std::printf("program %llu: %s\n", static_cast<unsigned long long>(seed), difference.c_str());
  }
  std::printf("%llu programs on %s, %d of them different\n", static_cast<unsigned long long>(end - begin),
              options.devices.c_str(), differ);
  return differ > 0;
}

}  // namespace

int main(int argc, char** argv) try {
  Options options;
  std::string seeds = "0:1000";
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--devices")
      options.devices = argv[i + 1];
    else if (option == "--seeds")
      seeds = argv[i + 1];
    else if (option == "--placement")
      options.placement = placement_of(argv[i + 1]);
    else if (option == "--check")
      options.check = std::string(argv[i + 1]) == "on";
    else if (option == "--policy")
      options.policy = argv[i + 1];
    else if (option == "--memory")
      options.small_memory = std::string(argv[i + 1]) == "small";
    else
      return std::fprintf(stderr, "unknown option %s\n", argv[i]), 2;
  }
  return run(options, std::stoull(seeds), std::stoull(seeds.substr(seeds.find(':') + 1)));
} catch (const heddle::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return error.code() == heddle::ErrorCode::not_found ? 77 : 2;  // no such device: skipped
} catch (const std::exception& error) {
  return std::fprintf(stderr, "%s\n", error.what()), 2;
}
