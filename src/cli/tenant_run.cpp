#include "cli/tenant_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <set>

#include "base/byte_count.hpp"
#include "cli/command.hpp"
#include "cli/usage.hpp"
#include "daemon/tenant_variable.hpp"
#include "heddle/error.hpp"
#include "programs/run/run.hpp"

namespace heddle::cli {

namespace {

std::uint64_t memory_of(const std::string& text) {
  constexpr std::uint64_t least = 1 << 20;
  const auto bytes = base::parse_bytes(text);
  if (!bytes || *bytes < least)
    throw UsageError("--memory " + text + ": expected an amount from 1M on, as 20G, 20 GiB or a number of bytes");
  return *bytes;
}

// The name of the program, and of its process: no other has it. Words that `heddle run` refuses are its to refuse.
std::string usual_name(const std::vector<std::string>& words) {
  std::string program;
  try {
    program = std::filesystem::path(programs::parse_run_options(words).program).stem().string();
  } catch (const std::exception&) {
    program = "program";
  }
  for (char& c : program)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_' && c != '.') c = '_';
  return fmt::format("{}-{}", program.substr(0, 40), ::getpid());
}

}  // namespace

TenantRun parse_tenant_run(const std::vector<std::string>& words) {
  TenantRun made;
  std::size_t i = 0;
  std::set<std::string> given;
  for (; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    if (name == "--help" || name == "-h") {
      made.help = true;
      return made;
    }
    if (name != "--class" && name != "--quota" && name != "--name" && name != "--memory") break;
    if (equals == std::string::npos && i + 1 == words.size()) throw UsageError(name + " lacks its value");
    const std::string value = equals == std::string::npos ? words[++i] : words[i].substr(equals + 1);
    if (value.empty()) throw UsageError(name + ": its value is empty");
    if (!given.insert(name).second) throw UsageError(name + " is given twice");
    of_option(name + " " + value, [&] {
      if (name == "--class") made.settings.kind = daemon::parse_class(value);
      if (name == "--quota") made.settings.quota = daemon::parse_quota(value);
      if (name == "--name") made.settings.name = value;
      if (name == "--memory") made.settings.memory_bytes = memory_of(value);
    });
  }
  made.words.assign(words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
  if (made.words.empty()) throw UsageError("no program is named: heddle tenant run [options] PROGRAM [arguments]");
  if (made.settings.name.empty()) made.settings.name = usual_name(made.words);
  of_option("--name " + made.settings.name,
            [&] { static_cast<void>(daemon::parse_tenant(daemon::tenant_text(made.settings))); });
  return made;
}

std::string tenant_run_help() {
  return R"(heddle tenant run: runs a program as one of the tenants that share this node's devices.

  heddle tenant run [options] [options of heddle run] PROGRAM [arguments]

  --class CLASS      latency (somebody waits for each request) or batch (only the rate counts; the default)
  --quota PART       the part of the device that is its own while it has work: 75%, or 0.75 (default: none)
  --memory SIZE      of each device's memory that the program may take together: 20G (default: all of it)
  --name NAME        what the other commands call it (default: the program's name and a number); processes of one
                     name are one tenant

The daemon divides the devices (heddle daemon start). Without it the program has them for itself.
)";
}

void become_tenant(const TenantRun& tenant) {
  ::setenv("HEDDLE_TENANT", daemon::tenant_text(tenant.settings).c_str(), 1);
  if (tenant.settings.memory_bytes != 0)
    ::setenv("HEDDLE_MEMORY_LIMIT", std::to_string(tenant.settings.memory_bytes).c_str(), 1);
  // NVIDIA's MPS, where it runs, then puts the kernels of other programs before this one's: 1 is "below normal".
  if (tenant.settings.kind == sched::TenantClass::batch) ::setenv("CUDA_MPS_CLIENT_PRIORITY", "1", 0);
}

void describe_tenant_run(CLI::App& tenant) {
  CLI::App* run = tenant.add_subcommand("run", "runs a program as a tenant");
  const auto ignore = [](const std::string&) {};
  run->add_option_function<std::string>("--class", ignore, "latency or batch")
      ->check(CLI::IsMember({"latency", "batch"}));
  run->add_option_function<std::string>("--quota", ignore, "the part of the device that is its own, as 75%");
  run->add_option_function<std::string>("--name", ignore, "what the other commands call it");
}

}  // namespace heddle::cli
