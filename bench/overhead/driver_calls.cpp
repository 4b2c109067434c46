#include "driver_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>

#include "device/cuda/driver.hpp"

namespace heddle::bench {
namespace {

using device::cuda::Driver;
using Clock = std::chrono::steady_clock;

// Stands in the driver's table in the place of one function. Its type is that of the table's member.
template <auto Member>
struct Counter;

template <class Result, class... Parameters, Result (*Driver::*Member)(Parameters...)>
struct Counter<Member> {
  static inline Result (*original)(Parameters...) = nullptr;
  static inline std::atomic<std::uint64_t> calls{0}, nanoseconds{0};

  static Result call(Parameters... parameters) {
    const auto start = Clock::now();
    const Result result = original(parameters...);
    nanoseconds.fetch_add(static_cast<std::uint64_t>((Clock::now() - start) / std::chrono::nanoseconds(1)),
                          std::memory_order_relaxed);
    calls.fetch_add(1, std::memory_order_relaxed);
    return result;
  }
  static void begin(Driver& driver) {
    calls = nanoseconds = 0;
    original = driver.*Member;
    if (original) driver.*Member = &call;
  }
  static DriverCall end(Driver& driver, const char* name) {
    driver.*Member = original;
    return {name, calls, static_cast<double>(nanoseconds)};
  }
};

void begin(Driver& driver) {
#define HEDDLE_CUDA(member, name, version, parameters) Counter<&Driver::member>::begin(driver);
#define HEDDLE_CUDA_OPTIONAL HEDDLE_CUDA
#include "device/cuda/driver_functions.def"
#undef HEDDLE_CUDA
#undef HEDDLE_CUDA_OPTIONAL
}

std::vector<DriverCall> end(Driver& driver) {
  return {
#define HEDDLE_CUDA(member, name, version, parameters) Counter<&Driver::member>::end(driver, name),
#define HEDDLE_CUDA_OPTIONAL HEDDLE_CUDA
#include "device/cuda/driver_functions.def"
#undef HEDDLE_CUDA
#undef HEDDLE_CUDA_OPTIONAL
  };
}

}  // namespace

std::vector<DriverCall> count_driver_calls(const std::function<void()>& work) {
  const auto found = Driver::find();
  if (!found) throw std::runtime_error("there is no driver whose calls could be counted: " + Driver::why());
  // The object itself is not constant: Driver::open() makes it, and hands it out as such.
  auto& driver = const_cast<Driver&>(*found);
  begin(driver);
  try {
    work();
  } catch (...) {
    end(driver);
    throw;
  }
  std::vector<DriverCall> calls = end(driver);
  std::stable_sort(calls.begin(), calls.end(),
                   [](const DriverCall& a, const DriverCall& b) { return a.calls > b.calls; });
  return calls;
}

std::string text_of(const std::vector<DriverCall>& calls, int launches) {
  std::string text;
  for (const DriverCall& call : calls) {
    const double each = static_cast<double>(call.calls) / launches;
    if (each < 0.005) continue;
    text += fmt::format("{}{} {:.2f} ({:.0f} ns)", text.empty() ? "" : ", ", call.name, each,
                        call.nanoseconds / static_cast<double>(call.calls));
  }
  return text;
}

}  // namespace heddle::bench
