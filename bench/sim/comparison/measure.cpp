#include "measure.hpp"

#include <algorithm>
#include <limits>

#include "base/fail.hpp"
#include "device/cuda/cuda.hpp"
#include "device/sim/sim.hpp"
#include "ptx/parser.hpp"

namespace heddle::bench::comparison {
namespace {

// Waits for `n` cycles of the SM's clock.
constexpr const char* spin = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry spin(.param .u64 n)
{
.reg .u64 %begin, %now, %n;
.reg .pred %p;
ld.param.u64 %n, [n];
mov.u64 %begin, %clock64;
again:
mov.u64 %now, %clock64;
sub.u64 %now, %now, %begin;
setp.lt.u64 %p, %now, %n;
@%p bra again;
ret;
}
)";

}  // namespace

Measure::Measure(const std::string& device) : simulated_(device.starts_with("sim:")) {
  if (simulated_) {
    auto options = device::sim::parse_sim_options(device);
    mhz_ = options.machine.clocks.sm_mhz;
    device_ = device::sim::make_sim_device(std::move(options));
  } else if (device.starts_with("cuda:")) {
    device_ = device::cuda::make_cuda_device({.ordinal = std::stoi(device.substr(5))});
  } else {
    base::fail(ErrorCode::invalid_argument, "'{}' is no device here: cuda:N or sim:MACHINE", device);
  }
  queue_ = device_->queue({});
  before_ = device_->event();
  after_ = device_->event();
  if (!simulated_) mhz_ = measured_mhz();
}

Measure::~Measure() {
  queue_->synchronize();
  clear();
  modules_.clear();
}

double Measure::measured_mhz() {
  device::Function& function = load(spin, "spin");
  mhz_ = 1;  // cycles() counts microseconds then
  const auto microseconds = [&](std::uint64_t n) { return cycles(function, {}, [&] { return pack(function, n); }); };
  constexpr std::uint64_t few = 4'000'000, more = 44'000'000;
  return static_cast<double>(more - few) / (microseconds(more) - microseconds(few));
}

device::Function& Measure::load(const std::string& ptx, const std::string& kernel) {
  modules_.push_back(device_->load(std::make_shared<const ptx::Module>(ptx::parse(ptx, kernel)), {}));
  return modules_.back()->function(kernel);
}

std::uint64_t Measure::zeros(std::size_t bytes) {
  memory_.push_back(device_->allocate(bytes));
  queue_->fill(memory_.back()->span(), 0, 4);
  queue_->synchronize();
  return memory_.back()->span().address;
}

std::uint64_t Measure::array(const void* data, std::size_t bytes) {
  const std::uint64_t address = zeros((bytes + 3) / 4 * 4);
  write(address, data, bytes);
  return address;
}

void Measure::write(std::uint64_t address, const void* data, std::size_t bytes) {
  for (const auto& memory : memory_) {
    const device::Span span = memory->span();
    if (address < span.address || address - span.address >= span.size) continue;
    queue_->copy(span.sub(address - span.address, bytes), device::Span::host(data, bytes));
    queue_->synchronize();
  }
}

void Measure::clear() { memory_.clear(); }

double Measure::cycles(device::Function& function, const device::LaunchConfig& config,
                       const std::function<std::vector<std::byte>()>& arguments, unsigned count, unsigned rounds) {
  double least = std::numeric_limits<double>::max();
  function.prepare(config.block);
  for (unsigned round = 0; round < (simulated_ ? 1 : rounds); ++round) {
    queue_->record(*before_);
    for (unsigned i = 0; i < count; ++i) queue_->launch(function, config, {0, config.grid.count()}, arguments());
    queue_->record(*after_);
    queue_->synchronize();
    const double ns = static_cast<double>(after_->completed_ns() - before_->completed_ns());
    least = std::min(least, ns * mhz_ / 1000);
  }
  return least;
}

}  // namespace heddle::bench::comparison
