// Cycles that kernels take on a device, by the times of events: the same code for a GPU and for a simulated one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "device/device.hpp"
#include "support/pack.hpp"

namespace heddle::bench::comparison {

class Measure final : public Arrays {
 public:
  // "cuda:N", or "sim:" and what parse_sim_options() takes.
  explicit Measure(const std::string& device);
  ~Measure() override;
  bool simulated() const { return simulated_; }
  std::string name() const { return device_->info().name; }
  // The clock of the processors while a kernel runs: measured on a GPU, of the machine file on a simulated one.
  double mhz() const { return mhz_; }

  device::Function& load(const std::string& ptx, const std::string& kernel);
  // Memory, until clear().
  std::uint64_t zeros(std::size_t bytes) override;
  std::uint64_t array(const void* data, std::size_t bytes) override;
  void write(std::uint64_t address, const void* data, std::size_t bytes);
  void clear();

  // Cycles from the end of what came before to the end of `count` launches, one after the other. The least of
  // `rounds`; a simulated GPU, whose times do not vary, runs one.
  double cycles(device::Function& function, const device::LaunchConfig& config,
                const std::function<std::vector<std::byte>()>& arguments, unsigned count = 1, unsigned rounds = 9);

 private:
  double measured_mhz();

  bool simulated_ = false;
  double mhz_ = 0;
  std::unique_ptr<device::Device> device_;
  std::unique_ptr<device::Queue> queue_;
  std::unique_ptr<device::Event> before_, after_;
  std::vector<std::shared_ptr<device::Module>> modules_;
  std::vector<std::unique_ptr<device::Memory>> memory_;
};

}  // namespace heddle::bench::comparison
