// The manual page.
#include <fmt/format.h>

#include <boost/algorithm/string.hpp>

#include "cli/command.hpp"
#include "cli/describe.hpp"
#include "heddle/version.hpp"

namespace heddle::cli {
namespace {

// A line may not begin with a dot or a quote, which would be a request.
std::string roff(std::string text) {
  boost::replace_all(text, "\\", "\\e");
  boost::replace_all(text, "-", "\\-");
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((i == 0 || text[i - 1] == '\n') && (text[i] == '.' || text[i] == '\'')) safe += "\\&";
    safe += text[i];
  }
  return safe;
}

std::string options_of(const CommandDescription& command) {
  std::string text;
  for (const OptionDescription& option : command.options) {
    std::string names = boost::join(option.names, ", ");
    const std::string value = option.choices.empty() ? option.value : boost::join(option.choices, "|");
    text +=
        fmt::format(".TP\n\\fB{}\\fR{}{}\n{}\n", roff(names), names.empty() ? "" : " ", roff(value), roff(option.text));
  }
  return text;
}

std::string section_of(const CommandDescription& command) {
  std::string text = fmt::format(".SS heddle {}\n{}.\n", command.name, roff(command.text));
  if (command.help.empty()) return text + options_of(command);
  return text + ".PP\n.nf\n" + roff(command.help) + ".fi\n";
}

}  // namespace

std::string manual(const std::vector<CommandDescription>& commands) {
  std::string text = fmt::format(
      ".TH HEDDLE 1 \"\" \"heddle {}\"\n.ad l\n.SH NAME\nheddle \\- runs GPU kernels and CUDA programs on whatever a "
      "machine "
      "has\n.SH SYNOPSIS\n.B heddle\n.I COMMAND\n[options]\n.SH COMMANDS\n",
      roff(version));
  for (const CommandDescription& command : commands) text += section_of(command);
  text += fmt::format(
      ".SH EXIT STATUS\n.TP\n0\ndone\n.TP\n{}\nan error; a sentence on standard error describes it\n.TP\n{}\nan "
      "invalid "
      "command line\n.TP\n{}\nthe kernel itself failed: a bad access, a trap, an assertion, a deadlock\n"
      ".PP\nThe exit status of \\fBheddle run\\fR is the program's own.\n",
      exit_error, exit_usage, exit_kernel_fault);
  text +=
      ".SH ENVIRONMENT\n.TP\nHEDDLE_LOG\nhow much Heddle logs: trace, debug, info, warning, error, off\n.TP\n"
      "HEDDLE_CACHE_DIR\nthe folder of the caches\n";
  return text;
}

}  // namespace heddle::cli
