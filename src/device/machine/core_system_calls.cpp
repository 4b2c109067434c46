// Functions that CUDA provides to kernels without a body: vprintf, malloc, free, __assertfail.
#include <fmt/format.h>
#include <algorithm>

#include <cstdio>
#include <cstring>
#include <new>
#include <system_error>

#include "base/fail.hpp"
#include "device/kernel_printf.hpp"
#include "device/machine/core.hpp"

namespace heddle::device::machine {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

namespace {

constexpr std::size_t longest_string = 64 * 1024;

}  // namespace

std::uint64_t Core::argument_value(const Operand& arguments, unsigned i) {
  if (arguments.kind != OperandKind::vector || i >= arguments.elements.size())
    fault("a system function is called with too few arguments");
  const Operand& argument = arguments.elements[i];
  if (argument.kind != OperandKind::symbol) return read(argument, Type::b64).lo;
  const ptx::Variable& variable = variable_of(argument.symbol);
  if (variable.space != Space::param) return symbol_address(argument.symbol);
  std::uint64_t value = 0;
  const std::uint64_t bytes = std::min<std::uint64_t>(variable.size(), sizeof value);
  std::memcpy(&value, local_memory(symbol_address(argument.symbol), bytes), bytes);
  return value;
}

void Core::return_value(std::uint64_t value) {
  const Operand& results = operand(0);
  if (results.kind != OperandKind::vector || results.elements.empty()) return;
  const Operand& target = results.elements[0];
  if (target.kind == OperandKind::reg) {
    write(target, Type::b64, {value});
  } else if (target.kind == OperandKind::symbol) {
    const std::uint64_t bytes = std::min<std::uint64_t>(variable_of(target.symbol).size(), sizeof value);
    std::memcpy(local_memory(symbol_address(target.symbol), bytes), &value, bytes);
  }
}

std::string Core::read_string(std::uint64_t address) {
  std::string text;
  while (text.size() < longest_string) {
    const auto c = static_cast<char>(load({Space::generic, address++}, 1).lo);
    if (c == '\0') break;
    text += c;
  }
  return text;
}

// Every byte that vprintf reads is checked.
class Core::PrintfSource final : public KernelPrintfSource {
 public:
  PrintfSource(Core& core, std::uint64_t arguments) : core_(core), arguments_(arguments) {}
  char character(std::uint64_t address) override {
    return static_cast<char>(core_.load({Space::generic, address}, 1).lo);
  }
  std::uint64_t argument(std::uint64_t offset, unsigned bytes) override {
    return core_.load({Space::generic, arguments_ + offset}, bytes).lo;
  }

 private:
  Core& core_;
  const std::uint64_t arguments_;
};

std::int32_t Core::print(std::uint64_t format, std::uint64_t arguments) {
  PrintfSource source(*this, arguments);
  std::string text;
  const int count = format_kernel_printf(text, format, source);
  if (count < 0) return count;
  if (const auto& sink = machine_.options.print) {
    sink(text);
  } else {
    if (const int error = write_kernel_output(stdout, text); error != 0)
      fault(fmt::format("what the kernel prints cannot be written: {}", std::generic_category().message(error)));
  }
  return count;
}

std::uint64_t Core::allocate(std::uint64_t bytes) {
  const std::uint64_t rounded = align_up(bytes, heap_alignment);
  if (bytes == 0 || rounded < bytes || rounded > machine_.options.heap_bytes - machine_.heap_used) return 0;
  void* data = ::operator new(rounded, std::align_val_t{heap_alignment}, std::nothrow);
  if (!data) return 0;
  std::memset(data, machine_.options.poison ? machine_.options.poison_byte : 0, rounded);
  machine_.heap_used += rounded;
  const auto address = reinterpret_cast<std::uint64_t>(data);
  machine_.memory.add({Allocation::Kind::heap, address, rounded, ""});
  return address;
}

void Core::release_heap(std::uint64_t address) {
  if (address == 0) return;
  const auto allocation = machine_.memory.find(address, 1);
  if (!allocation || allocation->kind != Allocation::Kind::heap || allocation->address != address)
    fault(fmt::format("free({:#x}): malloc() did not give this address, or it was freed before", address));
  machine_.memory.remove(address);
  machine_.heap_used -= allocation->size;
  ::operator delete(reinterpret_cast<void*>(address), std::align_val_t{heap_alignment});
}

void Core::system_call(const std::string& name) {
  const Operand& arguments = operand(2);
  if (name == "vprintf") {
    const std::uint64_t format = argument_value(arguments, 0), list = argument_value(arguments, 1);
    return_value(static_cast<std::uint64_t>(static_cast<std::int64_t>(print(format, list))));
  } else if (name == "malloc") {
    return_value(allocate(argument_value(arguments, 0)));
  } else if (name == "free") {
    release_heap(argument_value(arguments, 0));
  } else if (name == "__assertfail") {
    const std::string message = read_string(argument_value(arguments, 0)),
                      file = read_string(argument_value(arguments, 1));
    const auto line = static_cast<std::uint32_t>(argument_value(arguments, 2));
    const std::string function = read_string(argument_value(arguments, 3));
    fault(fmt::format("{}:{}: {}: assertion '{}' failed", file, line, function, message), KernelFault::assertion);
  } else {
    base::fail(
        ErrorCode::unsupported,
        "{}: calls '{}', which the module declares but does not define, and which is none of vprintf, malloc, free "
        "and __assertfail",
        place(*block_, *thread_), name);
  }
}

}  // namespace heddle::device::machine
