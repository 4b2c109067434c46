#include <fmt/core.h>

#include "cli/command.hpp"
#include "heddle/version.hpp"

namespace heddle::cli {

void add_version(CLI::App& app) {
  app.add_subcommand("version", "prints the version")->callback([] { fmt::print("heddle {}\n", version); });
}

}  // namespace heddle::cli
