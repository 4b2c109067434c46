// Access modes, block independence, waiting and resources of the kernels in tests/ptx/analysis/facts. Each file lists
// what is expected of each function in lines `//@ access|fields|variables|elsewhere|blocks|waiting|resources FUNCTION
// ...`.
#include <gtest/gtest.h>

#include "ptx/analysis/annotations.hpp"
#include "ptx/analysis/inspect.hpp"
#include "ptx/analysis/instruction_text.hpp"

namespace heddle::ptx::analysis {
namespace {

void append(std::string& text, const std::string& word) { text += (text.empty() ? "" : " ") + word; }

struct Facts {
  explicit Facts(const Module& m)
      : module(m),
        access(find_access(m)),
        waiting(find_waiting(m, {.lanes = LaneModel::rows(32)})),
        blocks(find_block_independence(m, waiting)),
        resources(find_resources(m, waiting)) {}

  std::string find(const std::string& key, std::uint32_t f) const {
    if (key == "access") return access_text(f);
    if (key == "fields") return fields_text(f);
    if (key == "variables") return variables_text(f);
    if (key == "elsewhere") return name(access[f].elsewhere);
    if (key == "blocks") return blocks_text(f);
    if (key == "waiting") return waiting_text(f);
    return resources_text(f);
  }

  // A number of 64 bits that is added to addresses.
  bool may_be_distance(std::uint32_t f, const MemoryUse& use) const {
    return use.in_addresses && module.functions[f].parameters[use.index].size() == 8;
  }
  // The mode of each parameter; * for those that are used as pointers, + for those that may be distances.
  std::string access_text(std::uint32_t f) const {
    std::string text;
    for (const MemoryUse& use : access[f].parameters)
      append(text, std::string(name(use.mode)) + (use.is_pointer ? "*" : may_be_distance(f, use) ? "+" : ""));
    return text;
  }
  std::string fields_text(std::uint32_t f) const {
    std::string text;
    for (const MemoryUse& use : access[f].fields)
      append(text, std::to_string(use.index) + "+" + std::to_string(use.offset) + ":" + name(use.mode));
    return text;
  }
  std::string variables_text(std::uint32_t f) const {
    std::string text;
    for (const MemoryUse& use : access[f].variables)
      append(text, module.variables[use.index].name + ":" + name(use.mode));
    return text;
  }
  std::string blocks_text(std::uint32_t f) const {
    std::string text = name(blocks[f].order);
    if (blocks[f].whole_clusters) append(text, "clusters");
    if (blocks[f].function != no_node)
      append(text, mnemonic(module.functions[blocks[f].function].body[blocks[f].instruction]));
    return text;
  }
  std::string waiting_text(std::uint32_t f) const {
    const FunctionWaiting& w = waiting[f];
    std::string text;
    const auto flag = [&](bool set, const char* word) {
      if (set) append(text, word);
    };
    flag(w.has_barrier, "barrier");
    flag(!w.divergent_barriers.empty(), "divergent-barrier");
    flag(w.has_cluster_barrier, "cluster-barrier");
    flag(w.may_spin, "spins");
    for (const SpinLoop& spin : w.spin_loops) flag(spin.intra_warp, "intra-warp");
    for (const SpinLoop& spin : w.spin_loops) flag(spin.takes(), "takes");
    for (const SpinLoop& spin : w.spin_loops) flag(spin.endless, "endless");
    for (const SpinLoop& spin : w.spin_loops) flag(spin.counted, "counted");
    flag(w.sleeps, "sleeps");
    flag(w.needs_warp_semantics, "warp");
    flag(w.calls_indirectly, "indirect");
    flag(w.recursive, "recursive");
    flag(w.reaches_recursion, "recursion");
    flag(w.prints, "prints");
    flag(w.allocates, "allocates");
    flag(w.asserts, "asserts");
    flag(w.calls_unknown, "unknown");
    flag(w.uses_local, "local");
    for (std::uint32_t callee : w.functions) append(text, "->" + module.functions[callee].name);
    return text;
  }
  std::string resources_text(std::uint32_t f) const {
    const Resources& r = resources[f];
    std::string text = "shared " + std::to_string(r.static_shared) + (r.dynamic_shared ? "+" : "");
    append(text, "local " + std::to_string(r.local));
    append(text, "barriers " + std::to_string(r.barriers) + "/" + std::to_string(r.barrier_numbers));
    append(text, "atomics " + std::to_string(r.atomics));
    append(text, "words " + std::to_string(r.registers));
    if (r.required_block[0] != 0)
      append(text, "block " + std::to_string(r.required_block[0] * r.required_block[1] * r.required_block[2]));
    for (SpecialRegister special : r.special_registers) append(text, std::string(ptx::name(special)));
    return text;
  }

  const Module& module;
  std::vector<FunctionAccess> access;
  std::vector<FunctionWaiting> waiting;
  std::vector<BlockIndependence> blocks;
  std::vector<Resources> resources;
};

class FactFiles : public ::testing::TestWithParam<std::string> {};

TEST_P(FactFiles, FindWhatTheyExpect) {
  const auto file = testing::AnnotatedFile::load(GetParam());
  const Facts facts(file.module);
  testing::check_facts(file, {"access", "fields", "variables", "elsewhere", "blocks", "waiting", "resources"},
                       [&](const std::string& key, std::uint32_t function) { return facts.find(key, function); });
}

INSTANTIATE_TEST_SUITE_P(, FactFiles, ::testing::ValuesIn(testing::files_in("ptx/analysis/facts")),
                         [](const auto& info) {
                           const std::string& path = info.param;
                           const std::size_t begin = path.rfind('/') + 1;
                           return path.substr(begin, path.rfind('.') - begin);
                         });

}  // namespace
}  // namespace heddle::ptx::analysis
