// heddle inspect: what is known of each kernel.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/fail.hpp"
#include "base/file.hpp"
#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "cli/source_options.hpp"
#include "ptx/analysis/inspect.hpp"
#include "ptx/parser.hpp"
#include "runtime/kernel_name.hpp"

namespace heddle::cli {
namespace {

struct Options {
  std::string file;
  std::vector<std::string> entries;
  CompileOptions compile;
  bool json = false;
};

std::string ptx_of(const Options& options) {
  if (std::filesystem::path(options.file).extension() == ".ptx") return base::read_file(options.file);
  return compile_to_ptx(options.file, options.compile);
}

bool wanted(const Options& options, const std::string& kernel) {
  return options.entries.empty() ||
         std::any_of(options.entries.begin(), options.entries.end(), [&](const std::string& entry) {
           return kernel == entry || runtime::source_name_matches(kernel, entry);
         });
}

void run(const Options& options) {
  using ptx::analysis::Inspection;
  const Progress progress("inspecting " + options.file);
  Inspection inspection = ptx::analysis::inspect(ptx::parse(ptx_of(options), options.file));
  const std::size_t all = inspection.kernels.size();
  std::string names;
  for (const auto& kernel : inspection.kernels) {
    names += (names.empty() ? "" : ", ") + runtime::readable_name(kernel.name);
  }
  std::erase_if(inspection.kernels, [&](const auto& kernel) { return !wanted(options, kernel.name); });
  if (inspection.kernels.empty() && all > 0) {
    base::fail(ErrorCode::not_found, "{} has no kernel '{}'; it has {}", options.file, options.entries.front(), names);
  }
  if (options.json) {
    fmt::print("{}\n", ptx::analysis::to_json(inspection).dump(2));
  } else if (all == 0) {
    fmt::print("{} has no kernels\n", options.file);
  } else {
    fmt::print("{}", ptx::analysis::to_text(inspection));
  }
}

}  // namespace

void add_inspect(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("inspect", "shows parameters, access, resources and block independence of kernels");
  command->add_option("file", options->file, "a .ptx or .cu file")->required();
  command->add_option("--entry", options->entries, "only this kernel (may be repeated)")->allow_extra_args(false);
  command->add_flag("--json", options->json, "as JSON");
  add_compile_options(*command, options->compile);
  command->callback([options] { run(*options); });
}

}  // namespace heddle::cli
