// heddle::write_initial_values.
#include "heddle/placed_variables.hpp"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "base/fail.hpp"
#include "base/format.hpp"
#include "ptx/parser.hpp"

namespace heddle {
namespace {

// Pages that are zero already stay untouched: nobody may ever need them.
void clear(std::byte* data, std::size_t size) {
  constexpr std::size_t piece = 4096;
  for (std::size_t at = 0; at < size; at += piece) {
    const std::size_t bytes = std::min(piece, size - at);
    if (std::any_of(data + at, data + at + bytes, [](std::byte b) { return b != std::byte{}; }))
      std::memset(data + at, 0, bytes);
  }
}

class Writer {
 public:
  Writer(const ptx::Module& module, std::span<const PlacedVariable> placed) : module_(module) {
    for (const PlacedVariable& variable : placed) placed_.emplace(variable.name, &variable);
  }

  std::vector<OpenAddress> write() {
    for (const ptx::Variable& variable : module_.variables) {
      const auto found = placed_.find(variable.name);
      if (found != placed_.end() && variable.linkage != ptx::Linkage::external) write(variable, *found->second);
    }
    return std::move(open_);
  }

 private:
  void write(const ptx::Variable& variable, const PlacedVariable& place) {
    const std::size_t element = ptx::byte_size(variable.type);
    if (std::max<std::size_t>(variable.size(), variable.init.size() * element) > place.size)
      base::fail(ErrorCode::invalid_argument, "the variable '{}' has {}, and is given memory of {}", variable.name,
                 base::counted(variable.size(), "byte"), place.size);
    auto* const data = static_cast<std::byte*>(place.data);
    clear(data, place.size);
    for (std::size_t i = 0; i < variable.init.size(); ++i) {
      const std::uint64_t bits = value_of(variable.init[i], variable, data + i * element);
      std::memcpy(data + i * element, &bits, std::min(element, sizeof bits));
    }
  }

  std::uint64_t value_of(const ptx::InitValue& value, const ptx::Variable& variable, std::byte* at) {
    using Kind = ptx::InitValue::Kind;
    if (value.kind == Kind::integer || value.kind == Kind::real) return value.bits;
    const ptx::SymbolRef& symbol = value.symbol;
    const bool function = symbol.kind == ptx::SymbolRef::Kind::function;
    const std::string& name = function ? module_.functions[symbol.index].name : module_.variables[symbol.index].name;
    const auto found = function ? placed_.end() : placed_.find(name);
    if (found != placed_.end())
      return value.selected(reinterpret_cast<std::uint64_t>(found->second->data) +
                            static_cast<std::uint64_t>(value.offset));
    if (value.mask != 0 || ptx::byte_size(variable.type) != sizeof address_of_device)
      base::fail(
          ErrorCode::unsupported,
          "the initial value of the variable '{}' has the address of '{}' on the device in it at a place that is "
          "not aligned; let the program set it",
          variable.name, name);
    open_.push_back({at, name, value.offset});
    return address_of_device;
  }

  const ptx::Module& module_;
  std::unordered_map<std::string_view, const PlacedVariable*> placed_;
  std::vector<OpenAddress> open_;
};

}  // namespace

std::vector<OpenAddress> write_initial_values(std::string_view ptx, std::span<const PlacedVariable> placed) {
  return Writer(ptx::parse(ptx, "the program's PTX"), placed).write();
}

}  // namespace heddle
