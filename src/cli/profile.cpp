// heddle profile: what a kernel does on a GPU, simulated or real, in the numbers from which Kernelet decides.
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "base/watcher.hpp"
#include "batch/constants.hpp"
#include "batch/knowledge.hpp"
#include "batch/profile.hpp"
#include "cli/command.hpp"
#include "cli/job_file.hpp"
#include "cli/launch_options.hpp"
#include "cli/launch_text.hpp"
#include "cli/source_options.hpp"
#include "cli/usage.hpp"
#include "runtime/devices.hpp"

namespace heddle::cli {
namespace {

struct Options {
  JobText job{.words = {"--entry", "--grid", "--block", "--arg"}};
  std::string device = "sim:fermi-c2050";
  bool json = false, again = false;
  double timeout = 0;  // seconds; 0: none
  CompileOptions compile;
};

void print_json(const batch::Kernel& kernel, const sched::KernelTraits& traits, unsigned resident) {
  const model::Candidate& of = traits.kernel;
  const nlohmann::json json = {{"kernel", kernel.entry()},
                               {"instructions_per_block", of.block_instructions},
                               {"memory_ratio", of.profile.memory_ratio},
                               {"uncoalesced", of.profile.uncoalesced},
                               {"accesses_per_wait", of.profile.accesses_per_wait},
                               {"misses", of.profile.misses},
                               {"ipc", traits.alone_ipc},
                               {"pur", of.pipeline_use},
                               {"mur", of.memory_use},
                               {"blocks_per_sm", resident},
                               {"registers", of.needs.registers},
                               {"shared_bytes", of.needs.shared},
                               {"smallest_slice", of.least_blocks},
                               {"sliceable", kernel.divisible()}};
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

// What is wrong with these words is so whatever the file holds.
void check_words(const JobText& job) {
  parse_shape(job.grid, job.words.grid, largest_grid);
  parse_shape(job.block, job.words.block, largest_block);
  for (const std::string& argument : job.arguments) {
    const ArgumentText::Kind kind = parse_argument(argument, job.words.argument).kind;
    if (kind == ArgumentText::Kind::out || kind == ArgumentText::Kind::inout)
      throw UsageError(fmt::format("{} {}: heddle profile writes no results; expected {}", job.words.argument, argument,
                                   kind == ArgumentText::Kind::out ? "zeros:TYPE:SHAPE" : "in:FILE.npy"));
  }
}

void run(const Options& options) {
  check_device_of("heddle profile", options.device);
  check_words(options.job);
  const auto devices = runtime::open_devices(options.device, {.launch_timeout_ms = milliseconds_of(options.timeout)});
  device::Device& device = *devices.front();
  check_block_limits(options.job.block, options.job.shared, device.info());
  const auto profiler = batch::make_profiler(device, base::process_watcher());
  batch::Kernel kernel(device, read_kernel(options.job, options.compile).spec);
  const base::SteadyClock clock;
  batch::Knowledge knowledge(clock, !options.again);
  const std::string name = batch::describe_for_knowledge(device);
  const sched::CoRunDevice corun =
      profiler->corun(knowledge.latency(name, [&] { return batch::measure_latency(device); }));
  const auto traits = knowledge.profile(name, kernel.id(), [&] { return batch::profile(*profiler, kernel, corun); });
  const model::SmLimits& limits = corun.limits;
  if (options.json)
    print_json(kernel, traits, model::resident_blocks(limits, traits.kernel.needs));
  else
    fmt::print("{}", batch::profile_text(kernel, traits, limits));
}

}  // namespace

void add_profile(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("profile", "what a kernel does on a GPU, simulated or real: instructions, memory, use");
  command->add_option("file", options->job.file, "a .ptx or .cu file")->required();
  command->add_option("--entry", options->job.kernel, "the kernel; may be left out where there is only one");
  command->add_option("--grid", options->job.grid, "blocks: X, XxY or X,Y,Z")->capture_default_str();
  command->add_option("--block", options->job.block, "threads of a block, in the same form")->capture_default_str();
  command->add_option("--shared", options->job.shared, "bytes of dynamic shared memory")->capture_default_str();
  command
      ->add_option("--arg", options->job.arguments,
                   "one for each parameter, in order, as of heddle launch but for out: and inout:")
      ->allow_extra_args(false);
  command->add_flag("--any-type", options->job.any_type,
                    "arrays whose elements are of another type than the kernel's are meant");
  command->add_option("--device", options->device, "a simulated GPU, or cuda:0")->capture_default_str();
  add_timeout_option(*command, options->timeout);
  command->add_flag("--again", options->again, "measure, whatever is known from before");
  command->add_flag("--json", options->json, "JSON");
  add_compile_options(*command, options->compile);
  command->callback([options] { run(*options); });
}

}  // namespace heddle::cli
