// The text of a function in a report: PTX, and the lines of the source from which it was compiled.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.hpp"
#include "base/kernel_name.hpp"
#include "device/sim/record/launch_json.hpp"
#include "ptx/printer.hpp"

namespace heddle::device::sim {
namespace {

using nlohmann::json;

const ptx::SourceFile* file_of(const ptx::Module& module, std::uint32_t index) {
  for (const ptx::SourceFile& file : module.files)
    if (file.index == index) return &file;
  return nullptr;
}

// The wanted lines of a file, by number; none where it cannot be read.
json lines_of(const std::string& file, const std::set<std::uint32_t>& wanted) {
  json lines = json::object();
  const auto text = base::read_file_if_there(file);
  if (!text) return lines;
  std::uint32_t number = 1;
  for (std::size_t begin = 0; begin < text->size(); ++number) {
    const std::size_t end = std::min(text->find('\n', begin), text->size());
    if (wanted.count(number) != 0) lines[std::to_string(number)] = text->substr(begin, end - begin);
    begin = end + 1;
  }
  return lines;
}

}  // namespace

std::string function_json(const ptx::Module& module, const machine::Code& code, std::uint64_t number) {
  const ptx::Function& function = *code.function;
  std::map<std::string, std::set<std::uint32_t>> wanted;
  json instructions = json::array();
  for (const machine::Operation& operation : code.operations) {
    const ptx::Instruction& inst = *operation.instruction;
    json one = {{"text", ptx::print(module, function, inst)}, {"line", inst.where.line}};
    if (inst.where.loc != 0) {
      const ptx::Loc& loc = function.locs[inst.where.loc - 1];
      const ptx::SourceFile* file = file_of(module, loc.file);
      if (file && loc.line != 0) {
        one["source"] = {file->name, loc.line};
        wanted[file->name].insert(loc.line);
      }
    }
    instructions.push_back(std::move(one));
  }
  instructions.push_back({{"text", "}"}, {"line", 0}});  // the return at the end of the text
  json sources = json::object();
  for (const auto& [file, lines] : wanted) sources[file] = lines_of(file, lines);
  const json object = {{"kind", "function"},
                       {"number", number},
                       {"name", base::demangled(function.name)},
                       {"instructions", std::move(instructions)},
                       {"sources", std::move(sources)}};
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace heddle::device::sim
