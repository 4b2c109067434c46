#include "compile/trace.hpp"

#include <system_error>

#include "base/file.hpp"
#include "compile/dependencies.hpp"

namespace heddle::compile {
namespace {

std::vector<std::string> lines(std::string_view text) {
  std::vector<std::string> result;
  for (std::size_t end; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1)) {
    result.emplace_back(text.substr(0, end));
  }
  return result;
}

}  // namespace

TracedRun run_traced(std::vector<std::string> command, const std::vector<std::string>& last, std::string_view input,
                     const std::vector<std::string>& environment, const std::filesystem::path& scratch) {
  const auto rule = scratch / "files", entered = scratch / "entered";
  std::error_code ignored;
  for (const auto& list : {rule, entered}) std::filesystem::remove(list, ignored);  // clang appends
  command.insert(command.end(), {"-MD", "-MT", "x", "-MF", rule.string(), "-Xclang", "-v", "-Xclang",
                                 "-header-include-file", "-Xclang", entered.string(), "-Xclang", "-sys-header-deps"});
  command.insert(command.end(), last.begin(), last.end());
  TracedRun run;
  run.process = run_process(command, input, environment);
  const auto rule_text = base::read_file_if_there(rule);
  run.known = take_search_path(run.process.err, run.path) && rule_text;
  if (rule_text) run.read = parse_make_rule(*rule_text);
  std::erase_if(run.read, [](const std::string& path) { return path == "-" || path == "<stdin>"; });
  if (const auto text = base::read_file_if_there(entered))
    run.entered = lines(*text);
  else if (std::filesystem::exists(entered, ignored))
    run.known = false;
  return run;
}

}  // namespace heddle::compile
