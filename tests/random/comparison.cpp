#include "random/comparison.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "device/interp/interp.hpp"
#include "ptx/analysis/flow/control_flow.hpp"
#include "ptx/analysis/flow/liveness.hpp"
#include "ptx/parser.hpp"
#include "ptx/verifier.hpp"
#include "support/short_patience.hpp"

namespace heddle::test::random_kernel {

namespace {

std::unique_ptr<device::Device> make_interp(const TestDeviceOptions& options) {
  device::interp::InterpOptions chosen;
  chosen.poison = options.poison;
  chosen.deadlock_timeout = short_patience;
  return device::interp::make_interp_device(chosen);
}

}  // namespace

CaseResult run_on_interp(const PtxCase& c) { return run_case(c, make_interp); }

const char* name(Verdict verdict) {
  static constexpr const char* names[] = {"equal", "different", "failed", "refused", "invalid", "crashed", "no end"};
  return names[static_cast<int>(verdict)];
}

Comparison compare_results(const PtxCase& c, const CaseResult& want, const CaseResult& got) {
  if (want.error) return {Verdict::invalid, "the interpreter: " + want.error_text};
  if (got.error) return {*got.error == ErrorCode::unsupported ? Verdict::refused : Verdict::failed, got.error_text};
  for (const Expectation& expectation : c.expectations)
    for (std::size_t i = 0; i < c.arguments.size(); ++i) {
      if (c.arguments[i].name != expectation.name) continue;
      const std::string problem = compare(c.arguments[i].type, got.arguments[i], want.arguments[i], {});
      if (!problem.empty()) return {Verdict::different, fmt::format("{}: {}", expectation.name, problem)};
    }
  return {};
}

Comparison compare_with_interp(const std::string& text, const Run& run) {
  const PtxCase c = parse_cases(text, "random.ptx").at(0);
  try {
    ptx::verify(ptx::parse(text, "random.ptx"));
  } catch (const Error& error) {
    return {Verdict::invalid, error.what()};
  }
  return compare_results(c, run_on_interp(c), run(c));
}

Comparison compare_apart(const std::string& text, const Run& run, unsigned seconds) {
  int ends[2];
  if (pipe(ends) != 0) return {Verdict::crashed, "no pipe"};
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    alarm(seconds);
    Comparison comparison;
    try {
      comparison = compare_with_interp(text, run);
    } catch (const std::exception& error) {
      comparison = {Verdict::invalid, error.what()};
    }
    const auto written = write(ends[1], comparison.text.data(), comparison.text.size());
    _exit(written < 0 ? static_cast<int>(Verdict::crashed) : static_cast<int>(comparison.verdict));
  }
  close(ends[1]);
  Comparison comparison;
  char buffer[4096];
  for (ssize_t n; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    comparison.text.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status))
    comparison.verdict = static_cast<Verdict>(WEXITSTATUS(status));
  else
    comparison = {Verdict::crashed, WTERMSIG(status) == SIGALRM ? "no end after the time allowed"
                                                                : fmt::format("signal {}", WTERMSIG(status))};
  return comparison;
}

bool reads_uninitialised(const std::string& text) {
  const ptx::Module module = ptx::parse(text, "random.ptx");
  for (const ptx::Function& function : module.functions) {
    const ptx::analysis::ControlFlowGraph cfg(function, &module);
    const ptx::analysis::RegisterTable table(function);
    const ptx::analysis::Liveness liveness(cfg, function, table);
    bool found = false;
    liveness.for_each_live_in(cfg.order()[0], [&](std::uint32_t) { found = true; });
    if (found) return true;
  }
  return false;
}

}  // namespace heddle::test::random_kernel
