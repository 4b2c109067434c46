// Whatever parses can be analysed: no crash, no endless loop, and the text of what is found can be written.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "heddle/error.hpp"
#include "ptx/analysis/inspect.hpp"
#include "ptx/analysis/lanes/uniformity.hpp"
#include "ptx/parser.hpp"

namespace {

using namespace heddle::ptx;

void analyse(const Module& module, const Function& function, const analysis::LaneModel& lanes) {
  const analysis::ControlFlowGraph cfg(function, &module);
  const analysis::PostDominators post(cfg);
  const analysis::RegisterTable table(function);
  const analysis::Webs webs(cfg, analysis::dominators(cfg), function, table);
  const analysis::Uniformity uniformity(module, function, cfg, post, webs, {.lanes = lanes});
  for (std::uint32_t web : webs.of_occurrences())
    if (web >= webs.size()) std::abort();
  for (std::uint32_t i = 0; i < function.body.size(); ++i)
    for (std::uint16_t o = 0; o < function.body[i].operands.size(); ++o) uniformity.operand(i, o);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Module module;
  try {
    module = parse(std::string_view(reinterpret_cast<const char*>(data), size), "input");
  } catch (const heddle::Error& error) {
    if (error.code() == heddle::ErrorCode::parse_error) return 0;
    throw;
  }
  const analysis::Inspection inspection = analysis::inspect(module);
  if (analysis::to_text(inspection).empty() && !inspection.kernels.empty()) std::abort();
  analysis::to_json(inspection).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (const Function& function : module.functions) {
    if (function.is_declaration) continue;
    analyse(module, function, analysis::LaneModel::rows(8));
    analyse(module, function, analysis::LaneModel::for_block({16, 16, 1}, 32));
  }
  return 0;
}
