// heddle sim sweep.
#pragma once

#include <CLI/CLI.hpp>

namespace heddle::cli {

void add_sim_sweep(CLI::App& sim);

}  // namespace heddle::cli
