// heddle doctor: what works on this machine, and what is missing for the rest.
#include <fmt/core.h>
#include <sys/utsname.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/printable.hpp"
#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "doctor/doctor.hpp"
#include "heddle/error.hpp"
#include "heddle/version.hpp"

namespace heddle::cli {
namespace {

using doctor::Finding;
using doctor::Report;

std::string machine() {
  utsname system{};
  if (::uname(&system) != 0) return "an unknown system";
  return fmt::format("{} {} ({})", system.sysname, system.release, system.machine);
}

// One line, whatever a message of the system or a compiler contains.
std::string in_one_line(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return base::printable(text);
}

void print_lines(const Report& report) {
  fmt::print("heddle {} on {}\n", version, machine());
  std::size_t width = 0;
  for (const Finding& finding : report.findings) width = std::max(width, finding.subject.size());
  for (const Finding& finding : report.findings)
    fmt::print("{:<8}  {:<{}}  {}{}{}\n", doctor::name(finding.mark), finding.subject, width, in_one_line(finding.text),
               finding.mend.empty() ? "" : " ", in_one_line(finding.mend));
  if (report.works) fmt::print("Kernels in CUDA C++ and PTX run here.\n");
}

void print_json(const Report& report) {
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();
  for (const Finding& finding : report.findings)
    findings.push_back({{"subject", finding.subject},
                        {"mark", doctor::name(finding.mark)},
                        {"text", finding.text},
                        {"mend", finding.mend},
                        {"essential", finding.essential}});
  const nlohmann::ordered_json all = {
      {"version", version}, {"machine", machine()}, {"works", report.works}, {"findings", findings}};
  fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace

void add_doctor(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("doctor", "says what works on this machine, and what is missing for the rest");
  command->add_flag("--json", *json, "as JSON");
  command->callback([json] {
    std::optional<Progress> progress;
    const Report report = doctor::examine([&](const std::string& subject) {
      progress.reset();
      progress.emplace("looking at " + subject);
    });
    progress.reset();
    *json ? print_json(report) : print_lines(report);
    if (report.works) return;
    std::string subjects;
    for (const Finding& finding : report.findings)
      if (finding.essential && finding.mark != doctor::Mark::ok)
        subjects += (subjects.empty() ? "" : ", ") + finding.subject;
    throw Error(ErrorCode::unsupported, "not everything that Heddle is for works here: " + subjects);
  });
}

}  // namespace heddle::cli
