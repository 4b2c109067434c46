// The experiments on a device. Each adds its figures, with what the paper has and the bars that they must reach.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "gpu/machine.hpp"
#include "gpu/sequences.hpp"
#include "gpu/table.hpp"
#include "gpu/together.hpp"

namespace heddle::bench::lithos_gpu {

// What the experiments share: the sequences on this device, and what they do alone.
class Bench {
 public:
  explicit Bench(const Settings& settings);
  const Settings& settings() const { return settings_; }
  Machine& bare() { return bare_; }  // without a policy
  const Calibration& calibration() const { return calibration_; }
  const Sequence& sequence(std::string_view name);
  // A sequence of `count` equal launches that fill the device and take so long each.
  const Sequence& equal(const std::string& name, unsigned count, double seconds, double block_seconds);
  // Serving at this part of what it can do alone, and the same load without others and without a policy.
  Load serving(std::string_view name, double quota, double load);
  const Share& alone(const Load& load);
  // Always at work, on so many queues.
  Load closed(const Sequence& sequence, TenantKind kind, double quota) const;
  // The same without others and without a policy: the rate of its sequence, about 1.
  double alone_rate(const Load& load);
  const std::vector<std::string>& policies() const;

 private:
  const Settings settings_;
  Machine bare_;
  const Calibration calibration_;
  std::map<std::string, Sequence, std::less<>> sequences_;
  std::map<std::string, double> service_;  // seconds of a request of a closed load
  std::map<std::string, Share> alone_;
  std::vector<std::string> policies_;
};

void alone(Bench& bench, Table& table);      // a tenant that has the device for itself; results bit for bit
void placement(Bench& bench, Table& table);  // on which processors blocks run, and how soon on others
void scaling(Bench& bench, Table& table);    // l = m/t + b
void hybrid(Bench& bench, Table& table);     // serving and training, all policies
void three(Bench& bench, Table& table);      // three tenants, all policies
void longest(Bench& bench, Table& table);    // serving beside kernels of 30 ms
void flood(Bench& bench, Table& table);      // quotas beside a flood of short kernels
void sizing(Bench& bench, Table& table);     // right-sizing, and the predictor

}  // namespace heddle::bench::lithos_gpu
