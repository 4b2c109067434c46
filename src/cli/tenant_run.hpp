// heddle tenant run: a program as one of the tenants of this node.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "sched/tenant.hpp"

namespace heddle::cli {

struct TenantRun {
  sched::TenantSettings settings;
  std::vector<std::string> words;  // of heddle run
  bool help = false;
};

// Words after "heddle tenant run". Throws UsageError.
TenantRun parse_tenant_run(const std::vector<std::string>& words);
std::string tenant_run_help();
// This process, and the program that it becomes, is the tenant from now on.
void become_tenant(const TenantRun& tenant);
// Registers the command for the list of commands and their description.
void describe_tenant_run(CLI::App& tenant);

}  // namespace heddle::cli
