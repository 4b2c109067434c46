// heddle inspect: what is known of each kernel.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/content.hpp"
#include "base/fail.hpp"
#include "base/file.hpp"
#include "base/find_kernel.hpp"
#include "base/kernel_name.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "cli/command.hpp"
#include "cli/launch_options.hpp"
#include "cli/launch_text.hpp"
#include "cli/progress.hpp"
#include "cli/source.hpp"
#include "cli/source_options.hpp"
#include "heddle/runtime.hpp"
#include "modules/source_types.hpp"
#include "ptx/analysis/inspect.hpp"
#include "ptx/parser.hpp"
#include "ptx/verifier.hpp"

namespace heddle::cli {
namespace {

struct Options {
  std::string file;
  std::vector<std::string> entries;
  CompileOptions compile;
  bool json = false;
  std::string device, block;
  std::uint32_t shared = 0;
};

// The PTX, and what messages about it call it.
struct Text {
  std::string ptx, name;
};

Text text_of(const Options& options) {
  if (is_standard_input(options.file)) {
    const Source source = read_standard_source();
    return {ptx_of(source, options.compile), (source.is_ptx ? "" : "PTX of ") + source.name};
  }
  if (std::filesystem::path(options.file).extension() != ".ptx")
    return {compile_to_ptx(options.file, options.compile), "PTX of " + options.file};
  std::string text = base::read_file(options.file);
  base::require_text(text, options.file, "PTX");
  return {std::move(text), options.file};
}

bool has_name(const std::string& kernel, const std::string& entry) {
  return kernel == entry || base::source_name_matches(kernel, entry);
}

bool wanted(const Options& options, const std::string& kernel) {
  return options.entries.empty() || std::any_of(options.entries.begin(), options.entries.end(),
                                                [&](const auto& entry) { return has_name(kernel, entry); });
}

// Each --entry must be a kernel's.
void refuse_unknown(const Options& options, const ptx::analysis::Inspection& inspection) {
  std::vector<std::string> kernels;
  kernels.reserve(inspection.kernels.size());
  for (const auto& kernel : inspection.kernels) kernels.push_back(kernel.name);
  for (const std::string& entry : options.entries)
    if (std::none_of(kernels.begin(), kernels.end(), [&](const auto& kernel) { return has_name(kernel, entry); }))
      base::fail_without_kernel(kernels, entry, options.file);
}

// How the kernels fill a device, for people and for programs.
class Fill {
 public:
  Fill(const Options& options, Runtime& runtime, const std::string& text)
      : options_(options),
        block_(parse_shape(options.block, "--block", largest_block)),
        runtime_(runtime),
        module_(runtime_.load_ptx(text, options.file)) {}

  std::string text(const std::string& kernel) const {
    const std::vector<Occupancy> forms = runtime_.occupancy(module_.kernel(kernel), block_, options_.shared);
    if (forms.empty()) {
      const DeviceInfo device = runtime_.devices().front();
      const bool is_gpu = device.capability != 0 || device.simulated;
      return fmt::format("  on {}: {}\n", id(),
                         is_gpu ? fmt::format("blocks of {} fit on no SM", options_.block)
                                : "no SMs to fill, a worker runs a block at a time");
    }
    base::Table table({{fmt::format("{}, on {}, blocks of {}", base::readable_name(kernel), id(), options_.block)},
                       {"registers", base::Align::right},
                       {"local bytes", base::Align::right},
                       {"shared bytes", base::Align::right},
                       {"blocks an SM", base::Align::right},
                       {"occupancy", base::Align::right}});
    for (const Occupancy& form : forms) {
      const int more = static_cast<int>(form.registers) - static_cast<int>(forms.front().registers);
      table.add_row({form.form,
                     more == 0 ? std::to_string(form.registers) : fmt::format("{} ({:+})", form.registers, more),
                     std::to_string(form.local_bytes), std::to_string(form.shared_bytes), std::to_string(form.blocks),
                     fmt::format("{:.0f} %", form.share * 100)});
    }
    return "\n" + table.text();
  }

  nlohmann::json json(const std::string& kernel) const {
    nlohmann::json list = nlohmann::json::array();
    for (const Occupancy& form : runtime_.occupancy(module_.kernel(kernel), block_, options_.shared)) {
      list.push_back({{"form", form.form},
                      {"registers", form.registers},
                      {"local_bytes", form.local_bytes},
                      {"shared_bytes", form.shared_bytes},
                      {"blocks_per_processor", form.blocks},
                      {"occupancy", form.share}});
    }
    return {{"device", id()}, {"block", {block_.x, block_.y, block_.z}}, {"forms", list}};
  }

 private:
  std::string id() const { return runtime_.devices().front().id; }

  const Options& options_;
  Dim3 block_;
  Runtime& runtime_;
  Module module_;
};

void print_json(const ptx::analysis::Inspection& inspection, const std::optional<Fill>& fill) {
  nlohmann::json made = ptx::analysis::to_json(inspection);
  if (fill)
    for (nlohmann::json& kernel : made) kernel["on_device"] = fill->json(kernel["name"]);
  fmt::print("{}\n", made.dump(2));
}

// What is known of the parameters in the source.
void add_source(ptx::analysis::Inspection& inspection, const ptx::Module& module, const std::string& text) {
  const modules::SourceTypes types(module, text);
  for (ptx::analysis::InspectedKernel& kernel : inspection.kernels) {
    const std::vector<modules::SourceParameter> known = types.parameters(module.functions[kernel.function]);
    for (std::size_t i = 0; i < known.size(); ++i) {
      kernel.parameters[i].label = known[i].name;
      kernel.parameters[i].source_type = known[i].type.text;
    }
  }
}

void run(const Options& options) {
  using ptx::analysis::Inspection;
  if (options.device.empty() != options.block.empty()) {
    throw UsageError("--device and --block belong together: how a kernel fills a device depends on its block");
  }
  check_one_device("heddle inspect", options.device);
  std::optional<Runtime> runtime;
  if (!options.device.empty()) {
    parse_shape(options.block, "--block", largest_block);
    runtime.emplace(RuntimeOptions{.devices = options.device});
    check_block_limits(options.block, options.shared, runtime->devices().front());
  }
  const Progress progress("inspecting " + options.file);
  const auto [text, name] = text_of(options);
  const ptx::Module module = ptx::parse(text, name);
  ptx::verify(module, name);
  Inspection inspection = ptx::analysis::inspect(module);
  add_source(inspection, module, text);
  const std::size_t all = inspection.kernels.size();
  refuse_unknown(options, inspection);
  std::erase_if(inspection.kernels, [&](const auto& kernel) { return !wanted(options, kernel.name); });
  std::optional<Fill> fill;
  if (runtime) fill.emplace(options, *runtime, text);
  if (options.json) return print_json(inspection, fill);
  if (all == 0) return fmt::print("{} has no kernels\n", base::printable(options.file));
  fmt::print("{}", ptx::analysis::to_text(inspection));
  if (!fill) return;
  for (const auto& kernel : inspection.kernels) fmt::print("{}", fill->text(kernel.name));
}

}  // namespace

void add_inspect(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("inspect", "shows parameters, access, resources and block independence of kernels");
  command->add_option("file", options->file, "a .ptx or .cu file, or - for standard input")->required();
  command->add_option("--entry", options->entries, "only this kernel (may be repeated)")->allow_extra_args(false);
  command->add_flag("--json", options->json, "as JSON");
  command->add_option("--device", options->device, "how the kernels fill this device, with --block: registers, blocks");
  command->add_option("--block", options->block, "threads of a block: 256 or 16,16");
  command->add_option("--shared", options->shared, "bytes of dynamic shared memory")->needs("--block");
  add_compile_options(*command, options->compile);
  command->callback([options] { run(*options); });
}

}  // namespace heddle::cli
