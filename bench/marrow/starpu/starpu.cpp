// StarPU 1.3. Four tasks for each of its workers, so that a worker that is late leaves its tasks to others.
#include <starpu.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "contender.hpp"
#include "loops.hpp"

namespace heddle::bench::marrow {
namespace {

const float* read_of(void* buffer) { return reinterpret_cast<const float*>(STARPU_VECTOR_GET_PTR(buffer)); }
std::size_t count_of(void* buffer) { return STARPU_VECTOR_GET_NX(buffer); }

void saxpy_task(void* buffers[], void* argument) {
  saxpy_loop(*static_cast<float*>(argument), read_of(buffers[0]),
             reinterpret_cast<float*>(STARPU_VECTOR_GET_PTR(buffers[1])), count_of(buffers[0]));
}
void forward_task(void* buffers[], void*) {
  static const Twiddles twiddles(-1);
  fft_loop(reinterpret_cast<Complex*>(STARPU_VECTOR_GET_PTR(buffers[0])), count_of(buffers[0]), twiddles, 1);
}
void back_task(void* buffers[], void*) {
  static const Twiddles twiddles(1);
  fft_loop(reinterpret_cast<Complex*>(STARPU_VECTOR_GET_PTR(buffers[0])), count_of(buffers[0]), twiddles, 1.0f / 512);
}
void histogram_task(void* buffers[], void*) {
  histogram_loop(read_of(buffers[0]), read_of(buffers[1]), count_of(buffers[0]),
                 *reinterpret_cast<Sums*>(STARPU_VARIABLE_GET_PTR(buffers[2])));
}

void check(int result, const char* what) {
  if (result != 0) throw std::runtime_error(std::string(what) + ": " + std::strerror(-result));
}

starpu_codelet codelet(starpu_cpu_func_t function, std::vector<starpu_data_access_mode> modes) {
  starpu_codelet made;
  starpu_codelet_init(&made);
  made.cpu_funcs[0] = function;
  made.nbuffers = static_cast<int>(modes.size());
  for (std::size_t i = 0; i < modes.size(); ++i) made.modes[i] = modes[i];
  return made;
}

// An array in equal parts.
class Cut {
 public:
  Cut(const void* data, std::size_t count, std::size_t bytes, unsigned parts) {
    starpu_vector_data_register(&handle_, STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(data),
                                static_cast<std::uint32_t>(count), bytes);
    starpu_data_filter filter{};
    filter.filter_func = starpu_vector_filter_block;
    filter.nchildren = parts;
    starpu_data_partition(handle_, &filter);
  }
  ~Cut() {
    starpu_data_unpartition(handle_, STARPU_MAIN_RAM);
    starpu_data_unregister(handle_);
  }
  Cut(const Cut&) = delete;
  Cut& operator=(const Cut&) = delete;
  starpu_data_handle_t part(unsigned i) const { return starpu_data_get_sub_data(handle_, 1, i); }

 private:
  starpu_data_handle_t handle_{};
};

class StarPu final : public Contender {
 public:
  StarPu() {
    starpu_conf conf;
    check(starpu_conf_init(&conf), "starpu_conf_init");
    conf.ncuda = conf.nopencl = 0;
    check(starpu_init(&conf), "starpu_init");
    parts_ = 4 * starpu_cpu_worker_get_count();
  }
  ~StarPu() override { starpu_shutdown(); }
  void pause() override { starpu_pause(); }
  void resume() override { starpu_resume(); }

  std::string name() const override { return "StarPU"; }

  std::function<void()> saxpy(float a, const float* x, float* y, std::size_t n) override {
    auto xs = std::make_shared<Cut>(x, n, sizeof(float), parts_),
         ys = std::make_shared<Cut>(y, n, sizeof(float), parts_);
    auto run = std::make_shared<starpu_codelet>(codelet(&saxpy_task, {STARPU_R, STARPU_RW}));
    return [this, xs, ys, run, factor = std::make_shared<float>(a)] {
      for (unsigned i = 0; i < parts_; ++i) submit(*run, {xs->part(i), ys->part(i)}, factor.get(), sizeof *factor);
      check(starpu_task_wait_for_all(), "starpu_task_wait_for_all");
    };
  }

  std::function<void()> fft(Complex* signal, std::size_t transforms) override {
    auto cut = std::make_shared<Cut>(signal, transforms, 512 * sizeof(Complex), parts_);
    auto forward = std::make_shared<starpu_codelet>(codelet(&forward_task, {STARPU_RW}));
    auto back = std::make_shared<starpu_codelet>(codelet(&back_task, {STARPU_RW}));
    return [this, cut, forward, back] {
      for (const auto& step : {forward, back})
        for (unsigned i = 0; i < parts_; ++i) submit(*step, {cut->part(i)}, nullptr, 0);
      check(starpu_task_wait_for_all(), "starpu_task_wait_for_all");
    };
  }

  std::function<void()> histogram_and_dot(const float* x, const float* y, std::size_t n, unsigned* bins,
                                          double* dot) override {
    auto xs = std::make_shared<Cut>(x, n, sizeof(float), parts_),
         ys = std::make_shared<Cut>(y, n, sizeof(float), parts_);
    auto run = std::make_shared<starpu_codelet>(codelet(&histogram_task, {STARPU_R, STARPU_R, STARPU_RW}));
    return [this, xs, ys, run, bins, dot] {
      std::vector<Sums> sums(parts_);
      std::vector<starpu_data_handle_t> handles(parts_);
      for (unsigned i = 0; i < parts_; ++i) {
        starpu_variable_data_register(&handles[i], STARPU_MAIN_RAM, reinterpret_cast<std::uintptr_t>(&sums[i]),
                                      sizeof(Sums));
        submit(*run, {xs->part(i), ys->part(i), handles[i]}, nullptr, 0);
      }
      check(starpu_task_wait_for_all(), "starpu_task_wait_for_all");
      for (unsigned i = 0; i < parts_; ++i) {
        starpu_data_unregister(handles[i]);
        for (std::size_t bin = 0; bin < 64; ++bin) bins[bin] += sums[i].bins[bin];
        *dot += sums[i].dot;
      }
    };
  }

 private:
  static void submit(starpu_codelet& run, const std::vector<starpu_data_handle_t>& handles, void* argument,
                     std::size_t bytes) {
    starpu_task* const task = starpu_task_create();
    task->cl = &run;
    for (std::size_t i = 0; i < handles.size(); ++i) task->handles[i] = handles[i];
    task->cl_arg = argument;
    task->cl_arg_size = bytes;
    check(starpu_task_submit(task), "starpu_task_submit");
  }

  unsigned parts_ = 1;
};

}  // namespace

std::unique_ptr<Contender> open_starpu(std::string& why) {
  try {
    return std::make_unique<StarPu>();
  } catch (const std::exception& error) {
    why = error.what();
    return nullptr;
  }
}

}  // namespace heddle::bench::marrow
