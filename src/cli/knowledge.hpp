// heddle knowledge and heddle tune.
#pragma once

#include "cli/command.hpp"

namespace heddle::cli {

void add_knowledge(CLI::App& app);
void add_tune(CLI::App& app);

}  // namespace heddle::cli
