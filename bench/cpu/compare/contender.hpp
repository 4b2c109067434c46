// Who runs a case: Heddle, PoCL, plain C++ loops. Each has arrays of its own, in pages of the same kind.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "compare/case.hpp"
#include "heddle/runtime.hpp"

namespace heddle::bench {

class Contender {
 public:
  virtual ~Contender() = default;
  virtual std::string name() const = 0;
  // Sets the changed arrays to their first values.
  virtual void reset() = 0;
  // The whole case, until it is done.
  virtual void run() = 0;
  // The bytes of an array, until the next run.
  virtual std::span<const std::byte> read(std::size_t array) = 0;
};

// The public interface of Heddle, on its CPU device. The runtime must outlive it.
std::unique_ptr<Contender> make_heddle(const Case& test, Runtime& runtime);
// One of the case's versions of the loops.
std::unique_ptr<Contender> make_loops(const Case& test, const Loops& loops, std::string name);

// PoCL's CPU device, found through the OpenCL loader; kept for all cases.
class OpenClDevice {
 public:
  virtual ~OpenClDevice() = default;
  virtual std::string description() const = 0;
  virtual std::unique_ptr<Contender> contender(const Case& test) = 0;
};
// Null, with the reason, when there is none.
std::unique_ptr<OpenClDevice> find_pocl(std::string& why_not);

}  // namespace heddle::bench
