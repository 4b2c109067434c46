#include "ptx/link/link.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "base/fail.hpp"
#include "ptx/link/reference.hpp"
#include "ptx/link/symbols.hpp"
#include "ptx/verifier.hpp"

namespace heddle::ptx {
namespace {

// 90 of sm_90a.
unsigned number_of(std::string_view target) {
  unsigned number = 0;
  if (target.starts_with("sm_")) std::from_chars(target.data() + 3, target.data() + target.size(), number);
  return number;
}

// Code of one kind of GPU only (sm_90a, sm_100f) goes with code for older ones, not with that of another kind.
bool is_special(std::string_view target) {
  return target.starts_with("sm_") && !target.empty() && (target.back() < '0' || target.back() > '9');
}

class Linker {
 public:
  explicit Linker(std::span<const LinkInput> inputs) : inputs_(inputs), symbols_(inputs) {}

  Module run() {
    header();
    files();
    place_variables();
    place_functions();
    move_variables();
    move_functions();
    aliases();
    return std::move(made_);
  }

 private:
  void header();
  void target(const LinkInput& input);
  void files();
  void place_variables();
  void place_variable(const Symbol& symbol);
  void place_functions();
  // What nothing defines; whoever uses it is told of.
  bool is_left_out(const Symbol& symbol) const { return symbols_.is_open(symbol) && !symbols_.may_stay_open(symbol); }
  void move_variables();
  void move_functions();
  void move_lines(Function& function, std::uint32_t input);
  void aliases();
  SymbolRef moved(std::uint32_t input, const SymbolRef& ref, const std::string& user);

  std::span<const LinkInput> inputs_;
  SymbolTable symbols_;
  Module made_;
  std::map<Symbol, std::uint32_t> places_;  // in made_.variables or made_.functions
  std::vector<Symbol> variables_, functions_;
  std::map<Symbol, bool> being_placed_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> file_numbers_;  // by input and number there
};

void Linker::target(const LinkInput& input) {
  for (const std::string& target : input.module.targets) {
    if (target == "debug") continue;  // without its sections there is nothing to debug
    const auto is_arch = [](const std::string& t) { return t.starts_with("sm_"); };
    const auto known = std::find_if(made_.targets.begin(), made_.targets.end(), is_arch);
    if (!is_arch(target) || known == made_.targets.end()) {
      if (std::find(made_.targets.begin(), made_.targets.end(), target) == made_.targets.end())
        made_.targets.push_back(target);
      continue;
    }
    const bool newer =
        number_of(target) > number_of(*known) || (number_of(target) == number_of(*known) && is_special(target));
    const std::string& newest = newer ? target : *known;
    const std::string& other = newer ? *known : target;
    if (is_special(other) && other != newest)
      base::fail(ErrorCode::compile_error, "modules for {} and {} do not go together ({})", *known, target, input.name);
    *known = std::string(newest);
  }
}

void Linker::header() {
  if (inputs_.empty()) base::fail(ErrorCode::invalid_argument, "nothing to link");
  made_.address_size = inputs_.front().module.address_size;
  for (const LinkInput& input : inputs_) {
    const Module& module = input.module;
    if (std::tie(module.version_major, module.version_minor) > std::tie(made_.version_major, made_.version_minor)) {
      made_.version_major = module.version_major;
      made_.version_minor = module.version_minor;
    }
    if (module.address_size != made_.address_size)
      base::fail(ErrorCode::compile_error, "{} has addresses of {} bits, {} of {}", input.name, module.address_size,
                 inputs_.front().name, made_.address_size);
    target(input);
    for (const std::string& pragma : module.module_pragmas)
      if (std::find(made_.module_pragmas.begin(), made_.module_pragmas.end(), pragma) == made_.module_pragmas.end())
        made_.module_pragmas.push_back(pragma);
  }
  // With one module its debug information still fits.
  if (inputs_.size() == 1) {
    made_.sections = inputs_.front().module.sections;
    made_.targets = inputs_.front().module.targets;
  }
}

void Linker::files() {
  for (std::uint32_t input = 0; input < inputs_.size(); ++input)
    for (const SourceFile& file : inputs_[input].module.files) {
      const auto same = [&](const SourceFile& f) {
        return f.name == file.name && f.timestamp == file.timestamp && f.size == file.size;
      };
      auto known = inputs_.size() == 1 ? made_.files.end() : std::find_if(made_.files.begin(), made_.files.end(), same);
      if (known == made_.files.end()) {
        known = made_.files.insert(made_.files.end(), file);
        if (inputs_.size() > 1) known->index = static_cast<std::uint32_t>(made_.files.size());
      }
      file_numbers_[{input, file.index}] = known->index;
    }
}

// A variable stands behind those that its initial value names.
void Linker::place_variable(const Symbol& symbol) {
  if (places_.contains(symbol) || is_left_out(symbol)) return;
  bool& under_way = being_placed_[symbol];
  if (under_way)
    base::fail(ErrorCode::unsupported, "the initial value of '{}' ({}) names itself by way of other modules",
               symbols_.written_name(symbol), inputs_[symbol.input].name);
  under_way = true;
  Variable copy = symbols_.variable(symbol);
  for_each_reference(copy, [&](SymbolRef& ref) {
    const Symbol named = symbols_.chosen({symbol.input, ref.kind, ref.index});
    if (named.kind == SymbolRef::Kind::module_variable && !(named == symbol)) place_variable(named);
  });
  places_[symbol] = static_cast<std::uint32_t>(variables_.size());
  variables_.push_back(symbol);
}

void Linker::place_variables() {
  for (std::uint32_t input = 0; input < inputs_.size(); ++input)
    for (std::uint32_t i = 0; i < inputs_[input].module.variables.size(); ++i)
      place_variable(symbols_.chosen({input, SymbolRef::Kind::module_variable, i}));
}

void Linker::place_functions() {
  for (std::uint32_t input = 0; input < inputs_.size(); ++input)
    for (std::uint32_t i = 0; i < inputs_[input].module.functions.size(); ++i) {
      const Symbol symbol = symbols_.chosen({input, SymbolRef::Kind::function, i});
      if (places_.contains(symbol) || is_left_out(symbol)) continue;
      places_[symbol] = static_cast<std::uint32_t>(functions_.size());
      functions_.push_back(symbol);
    }
}

SymbolRef Linker::moved(std::uint32_t input, const SymbolRef& ref, const std::string& user) {
  if (ref.kind != SymbolRef::Kind::module_variable && ref.kind != SymbolRef::Kind::function) return ref;
  const Symbol symbol = symbols_.chosen({input, ref.kind, ref.index});
  if (is_left_out(symbol))
    base::fail(ErrorCode::compile_error, "'{}' in {} uses the {} '{}', which no module defines", user,
               inputs_[input].name, symbol.kind == SymbolRef::Kind::function ? "function" : "variable",
               symbols_.written_name(symbol));
  return {symbol.kind, places_.at(symbol)};
}

void Linker::move_variables() {
  for (const Symbol& symbol : variables_) {
    Variable variable = symbols_.variable(symbol);
    variable.name = symbols_.name_of(symbol);
    for_each_reference(variable, [&](SymbolRef& ref) { ref = moved(symbol.input, ref, variable.name); });
    made_.variables.push_back(std::move(variable));
  }
}

void Linker::move_lines(Function& function, std::uint32_t input) {
  const auto number = [&](std::uint32_t file) {
    const auto found = file_numbers_.find({input, file});
    return found == file_numbers_.end() ? file : found->second;
  };
  for (Loc& loc : function.locs) {
    loc.file = number(loc.file);
    loc.inlined_file = number(loc.inlined_file);
    if (inputs_.size() == 1) continue;
    loc.function_name.clear();  // a place in a section
    loc.inlined_file = loc.inlined_line = loc.inlined_column = 0;
  }
}

void Linker::move_functions() {
  for (const Symbol& symbol : functions_) {
    Function function = symbols_.function(symbol);
    function.name = symbols_.name_of(symbol);
    for_each_reference(function, [&](SymbolRef& ref) { ref = moved(symbol.input, ref, function.name); });
    move_lines(function, symbol.input);
    made_.functions.push_back(std::move(function));
  }
}

// Those whose declaration is the definition that was chosen.
void Linker::aliases() {
  for (std::uint32_t input = 0; input < inputs_.size(); ++input) {
    const Module& module = inputs_[input].module;
    const auto index_of = [&](const std::string& name) {
      return static_cast<std::uint32_t>(module.find(name) - module.functions.data());
    };
    for (const Alias& alias : module.aliases) {
      if (!module.find(alias.name) || !module.find(alias.target)) {
        made_.aliases.push_back(alias);
        continue;
      }
      const Symbol symbol{input, SymbolRef::Kind::function, index_of(alias.name)};
      if (!(symbols_.chosen(symbol) == symbol)) continue;
      const Symbol target = symbols_.chosen({input, SymbolRef::Kind::function, index_of(alias.target)});
      made_.aliases.push_back({symbols_.name_of(symbol), symbols_.name_of(target)});
    }
  }
}

}  // namespace

Module link(std::span<const LinkInput> inputs) {
  Module made = Linker(inputs).run();
  verify(made, "the linked modules");
  return made;
}

}  // namespace heddle::ptx
