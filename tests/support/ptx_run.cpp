#include "support/ptx_test.hpp"

#include <fmt/format.h>
#include <cstring>

#include "device/interp/interp.hpp"
#include "ptx/parser.hpp"
#include "support/short_patience.hpp"

namespace heddle::test {

std::vector<std::byte> to_bytes(const CaseArgument& argument) {
  const std::size_t size = ptx::byte_size(argument.type);
  std::vector<std::byte> bytes(size * argument.values.size());
  for (std::size_t i = 0; i < argument.values.size(); ++i)
    std::memcpy(bytes.data() + i * size, &argument.values[i], size);
  return bytes;
}

std::vector<std::uint64_t> from_bytes(const CaseArgument& argument, const std::vector<std::byte>& bytes) {
  const std::size_t size = ptx::byte_size(argument.type);
  std::vector<std::uint64_t> values(argument.values.size());
  for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(&values[i], bytes.data() + i * size, size);
  return values;
}

namespace {

// The buffers of a run on the device and the packed arguments that point to them.
struct Prepared {
  std::vector<std::unique_ptr<device::Memory>> memory;  // by argument; null for scalars
  std::vector<std::vector<std::byte>> host;
  std::vector<std::byte> packed;
};

void prepare(const PtxCase& c, device::Device& device, device::Queue& queue, const device::Function& function,
             Prepared& p) {
  p.packed.resize(function.parameter_bytes());
  const auto& layout = function.parameters();
  if (layout.size() != c.arguments.size()) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("the kernel has {} parameters, the case gives {}", layout.size(), c.arguments.size()));
  }
  for (std::size_t i = 0; i < c.arguments.size(); ++i) {
    const CaseArgument& argument = c.arguments[i];
    p.host.push_back(to_bytes(argument));
    p.memory.push_back(argument.buffer ? device.allocate(p.host[i].size()) : nullptr);
    const void* source = p.host[i].data();
    std::size_t size = p.host[i].size();
    std::uint64_t address = 0;
    if (argument.buffer) {
      queue.copy(p.memory[i]->span(), device::Span::host(p.host[i].data(), p.host[i].size()));
      address = p.memory[i]->span().address;
      source = &address;
      size = sizeof address;
    }
    if (size != layout[i].size)
      throw Error(ErrorCode::invalid_argument,
                  fmt::format("argument '{}' has {} bytes, the parameter {}", argument.name, size, layout[i].size));
    std::memcpy(p.packed.data() + layout[i].offset, source, size);
  }
  queue.synchronize();
}

void execute(const PtxCase& c, std::span<const BlockRange> ranges, unsigned queues, device::Device& device,
             CaseResult& result) {
  const auto module =
      c.parsed ? c.parsed : std::make_shared<const ptx::Module>(ptx::parse(c.source, c.file.filename().string()));
  device::LoadOptions options;
  options.check = c.check;
  const auto loaded = device.load(module, options);
  device::Function& function = loaded->function(c.kernel);
  Prepared p;
  const auto queue = device.queue({});  // goes first, and waits for what is under way, when something throws
  prepare(c, device, *queue, function, p);
  device::LaunchConfig config;
  config.grid = c.grid;
  config.block = c.block;
  config.dynamic_shared_bytes = c.shared;
  config.cooperative = c.cooperative;
  std::vector<std::unique_ptr<device::Queue>> others;
  for (unsigned i = 1; i < queues; ++i) others.push_back(device.queue({}));
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    device::Queue& used = i % queues == 0 ? *queue : *others[i % queues - 1];
    used.launch(function, config, ranges[i], p.packed);
  }
  for (const auto& other : others) other->synchronize();
  queue->synchronize();
  for (std::size_t i = 0; i < c.arguments.size(); ++i)
    if (p.memory[i]) queue->copy(device::Span::host(p.host[i].data(), p.host[i].size()), p.memory[i]->span());
  queue->synchronize();
  for (std::size_t i = 0; i < c.arguments.size(); ++i)
    result.arguments.push_back(from_bytes(c.arguments[i], p.host[i]));
}

std::unique_ptr<device::Device> make_interp(const TestDeviceOptions& options) {
  device::interp::InterpOptions chosen;
  chosen.poison = options.poison;
  chosen.deadlock_timeout = short_patience;
  chosen.print = options.print;
  return device::interp::make_interp_device(chosen);
}

}  // namespace

CaseResult run_case(const PtxCase& c, const DeviceFactory& factory) {
  const BlockRange all = c.blocks.value_or(BlockRange{0, c.grid.count()});
  return run_case_in_ranges(c, {&all, 1}, 1, factory);
}

CaseResult run_case_in_ranges(const PtxCase& c, std::span<const BlockRange> ranges, unsigned queues,
                              const DeviceFactory& factory) {
  CaseResult result;
  TestDeviceOptions options;
  options.poison = c.poison;
  options.print = [&](std::string_view text) { result.print += text; };
  try {
    const auto device = factory(options);
    execute(c, ranges, queues, *device, result);
  } catch (const Error& error) {
    result.error = error.code();
    result.error_text = error.what();
  } catch (const std::exception& error) {
    result.error = ErrorCode::internal;
    result.error_text = fmt::format("an exception that is no heddle::Error: {}", error.what());
  } catch (...) {
    result.error = ErrorCode::internal;
    result.error_text = "an exception of no known type";
  }
  return result;
}

std::string check_case(const PtxCase& c, const CaseResult& result) {
  if (c.error) {
    if (!result.error) return fmt::format("expected the error {}, but the kernel ended well", name(*c.error));
    if (*result.error != *c.error)
      return fmt::format("expected the error {}, got {}: {}", name(*c.error), name(*result.error), result.error_text);
    if (result.error_text.find(c.error_text) == std::string::npos)
      return fmt::format("expected an error with '{}', got: {}", c.error_text, result.error_text);
    return "";
  }
  if (result.error) return fmt::format("{}: {}", name(*result.error), result.error_text);
  if (c.print && result.print != *c.print) return fmt::format("printed\n{}\nexpected\n{}", result.print, *c.print);
  std::optional<CaseResult> oracle;
  for (const Expectation& e : c.expectations) {
    std::size_t index = 0;
    while (c.arguments[index].name != e.name) ++index;
    if (e.same_as_interp && !oracle) oracle = run_case(c, make_interp);
    if (oracle && oracle->error) return "the interpreter failed: " + oracle->error_text;
    const auto& want = e.same_as_interp ? oracle->arguments[index] : e.values;
    const std::string problem = compare(c.arguments[index].type, result.arguments[index], want, e.tolerance);
    if (!problem.empty()) return fmt::format("line {}: buffer '{}': {}", e.line, e.name, problem);
  }
  return "";
}

}  // namespace heddle::test
