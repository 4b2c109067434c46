// Three of Marrow's programs with StarPU's tasks on the CPU: one task for each part, which is a plain loop.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace heddle::bench::marrow {

struct Complex {
  float re, im;
};

// The functions register and cut their data once; what they return runs the tasks and waits. It must end before the
// contender does. One thread.
class Contender {
 public:
  virtual ~Contender() = default;
  virtual std::string name() const = 0;
  virtual std::function<void()> saxpy(float a, const float* x, float* y, std::size_t n) = 0;
  // Transforms of 512 points, forward and back.
  virtual std::function<void()> fft(Complex* signal, std::size_t transforms) = 0;
  // Adds to 64 bins and to the dot product.
  virtual std::function<void()> histogram_and_dot(const float* x, const float* y, std::size_t n, unsigned* bins,
                                                  double* dot) = 0;
  // Its idle workers look for tasks, which takes time from others: they rest between pause() and resume().
  virtual void pause() = 0;
  virtual void resume() = 0;
};

// Null where this build has no StarPU, with the reason.
std::unique_ptr<Contender> open_starpu(std::string& why);

}  // namespace heddle::bench::marrow
