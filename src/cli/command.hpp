// The commands of the heddle program. Each add_ function registers one command and what it does.
#pragma once

#include <CLI/CLI.hpp>
#include <stdexcept>
#include <string>

namespace heddle::cli {

// Exit codes of the program.
constexpr int exit_error = 1;   // an error; one sentence on stderr describes it
constexpr int exit_usage = 2;   // an invalid command line
constexpr int exit_memory = 3;  // the host has no memory for what was asked
constexpr int exit_kernel_fault =
    99;  // the kernel itself failed: a bad access, a trap, a deadlock; or --check has findings

// A command line that CLI11 accepted but that is invalid.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// --check has found mistakes, and has reported each.
class FoundMistakes : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void add_devices(CLI::App& app);
void add_compile(CLI::App& app);
void add_inspect(CLI::App& app);
void add_launch(CLI::App& app);
void add_batch(CLI::App& app);
void add_profile(CLI::App& app);
void add_traces(CLI::App& app);
void add_sim(CLI::App& app);
void add_doctor(CLI::App& app);
void add_version(CLI::App& app);
void add_programs(CLI::App& app);
void add_daemon(CLI::App& app);  // daemon and policy
void add_tenant(CLI::App& app);  // tenant and explain
void add_top(CLI::App& app);
void add_help(CLI::App& app);
void add_completion(CLI::App& app);

// Throws UsageError if there is no such command, with the one that may be meant.
void check_command(const CLI::App& app, const std::string& name);
// CLI11's message in the words of this program: about words that it did not expect, with the option that may be meant,
// and about text that is not a number, and numbers out of range.
std::string explain_unexpected(const CLI::App& app, const std::string& message);

// heddle cc, heddle run and heddle tenant run, whose arguments CLI11 must not parse. False for another command.
bool run_program_command(int count, char** arguments);

}  // namespace heddle::cli
