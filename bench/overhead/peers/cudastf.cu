// What the host pays for a task in CUDASTF (cudax of NVIDIA/cccl), for the shapes of overhead_chains, and for the bare
// launch of the same kernel. nvcc builds it where CUDASTF's headers are (bench/overhead/prepare has the command), and
// overhead_chains asks it for one measurement after the other.
//
// For each shape: a bare launch (<<<>>> on one plain stream, no order but the stream's), stream_ctx with arrays as
// logical data, stream_ctx with tokens (order alone: CUDASTF then moves no data), and graph_ctx, whose figure has all
// of building, instantiating and launching the graph in it. "host": until the host has handed over the last task.
// "completed": until the GPU is done as well.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <vector>

#include <algorithm>

#include <cuda/experimental/stf.cuh>

#include "../shapes.hpp"

namespace {

using heddle::bench::Shape;
namespace stf = cuda::experimental::stf;
namespace bench = heddle::bench;
using Clock = std::chrono::steady_clock;

// `own` is written and `other` read, as far as the compiler can tell; neither is, since `nanoseconds` is 0.
__global__ void small(unsigned* own, const unsigned* other, unsigned nanoseconds) {
  if (nanoseconds == 0xffffffff) *own = *other;
}

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s failed: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

void launch(cudaStream_t stream, unsigned* own, const unsigned* other) {
  small<<<1, bench::shape_threads, 0, stream>>>(own, other, 0);
}

struct Took {
  double host = 0, completed = 0;  // seconds
};

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

class Bare {
 public:
  Bare() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
    check(cudaMalloc(&memory_, bench::shape_arrays * bench::shape_array_words * sizeof(unsigned)), "allocating");
  }
  Took run(const Shape& shape) {
    const auto start = Clock::now();
    Took took;
    for (int i = 0; i < shape.launches(); ++i) launch(stream_, memory_, memory_);
    took.host = since(start);
    check(cudaGetLastError(), "launching");
    check(cudaStreamSynchronize(stream_), "waiting");
    took.completed = since(start);
    return took;
  }
  unsigned* memory() { return memory_; }

 private:
  cudaStream_t stream_ = nullptr;
  unsigned* memory_ = nullptr;
};

// A round of tasks with what `Arrays` depends on.
template <class Context, class Arrays>
void submit(Context& context, Arrays& arrays, const Shape& shape) {
  for (int i = 0; i < shape.repeats; ++i) {
    arrays.modify(context);
    for (unsigned k = 1; k <= shape.followers; ++k) {
      if (shape.only_read)
        arrays.read(context);
      else
        arrays.follow(context, k);
    }
  }
}

// The data are CUDASTF's: allocated and kept by it.
class LogicalData {
 public:
  using Word = unsigned;
  explicit LogicalData(stf::stream_ctx& context) {
    for (unsigned i = 0; i < bench::shape_arrays; ++i) {
      arrays_.push_back(context.logical_data(stf::shape_of<stf::slice<Word>>(bench::shape_array_words)));
      context.task(arrays_[i].write())->*[](cudaStream_t stream, stf::slice<Word> own) {
        launch(stream, own.data_handle(), own.data_handle());
      };
    }
  }
  void modify(stf::stream_ctx& context) {
    context.task(arrays_[0].rw())->*[](cudaStream_t stream, stf::slice<Word> own) {
      launch(stream, own.data_handle(), own.data_handle());
    };
  }
  void follow(stf::stream_ctx& context, unsigned k) {
    context.task(arrays_[k].rw(), arrays_[0].read())
            ->*[](cudaStream_t stream, stf::slice<Word> own, stf::slice<const Word> other) {
                  launch(stream, own.data_handle(), other.data_handle());
                };
  }
  void read(stf::stream_ctx& context) {
    context.task(arrays_[0].read())->*[](cudaStream_t stream, stf::slice<const Word> other) {
      launch(stream, nullptr, other.data_handle());
    };
  }

 private:
  std::vector<stf::logical_data<stf::slice<Word>>> arrays_;
};

// The data are the program's; CUDASTF keeps the order alone.
class Tokens {
 public:
  Tokens(stf::stream_ctx& context, unsigned* memory) : memory_(memory) {
    for (unsigned i = 0; i < bench::shape_arrays; ++i) arrays_.push_back(context.token());
    for (auto& array : arrays_) context.task(array.write())->*[](cudaStream_t) {};
  }
  void modify(stf::stream_ctx& context) {
    context.task(arrays_[0].rw())->*[memory = memory_](cudaStream_t stream) { launch(stream, memory, memory); };
  }
  void follow(stf::stream_ctx& context, unsigned k) {
    unsigned* const own = memory_ + k * bench::shape_array_words;
    context.task(arrays_[k].rw(), arrays_[0].read())->*[own, other = memory_](cudaStream_t stream) {
      launch(stream, own, other);
    };
  }
  void read(stf::stream_ctx& context) {
    context.task(arrays_[0].read())->*[other = memory_](cudaStream_t stream) { launch(stream, nullptr, other); };
  }

 private:
  unsigned* memory_;
  std::vector<stf::logical_data<stf::void_interface>> arrays_;
};

template <class Arrays>
Took run_stream(stf::stream_ctx& context, Arrays& arrays, const Shape& shape) {
  const auto start = Clock::now();
  Took took;
  submit(context, arrays, shape);
  took.host = since(start);
  check(cudaStreamSynchronize(context.fence()), "waiting");
  took.completed = since(start);
  return took;
}

// The same data in a graph: kernels become nodes without a stream's being captured for each.
class GraphData {
 public:
  using Word = unsigned;
  explicit GraphData(stf::graph_ctx& context) {
    for (unsigned i = 0; i < bench::shape_arrays; ++i) {
      arrays_.push_back(context.logical_data(stf::shape_of<stf::slice<Word>>(bench::shape_array_words)));
      context.cuda_kernel(arrays_[i].write())->*[](stf::slice<Word> own) {
        return node(own.data_handle(), own.data_handle());
      };
    }
  }
  void modify(stf::graph_ctx& context) {
    context.cuda_kernel(arrays_[0].rw())->*[](stf::slice<Word> own) {
      return node(own.data_handle(), own.data_handle());
    };
  }
  void follow(stf::graph_ctx& context, unsigned k) {
    context.cuda_kernel(arrays_[k].rw(), arrays_[0].read())->*[](stf::slice<Word> own, stf::slice<const Word> other) {
      return node(own.data_handle(), other.data_handle());
    };
  }
  void read(stf::graph_ctx& context) {
    context.cuda_kernel(arrays_[0].read())->*[](stf::slice<const Word> other) {
      return node(nullptr, other.data_handle());
    };
  }

 private:
  static stf::cuda_kernel_desc node(unsigned* own, const unsigned* other) {
    return stf::cuda_kernel_desc(small, 1, bench::shape_threads, 0, own, other, 0u);
  }

  std::vector<stf::logical_data<stf::slice<Word>>> arrays_;
};

// A context of its own, since a graph_ctx is launched once; the making of its data is not measured.
Took run_graph(stf::async_resources_handle& resources, const Shape& shape) {
  stf::graph_ctx context(resources);
  GraphData arrays(context);
  const auto start = Clock::now();
  Took took;
  submit(context, arrays, shape);
  context.submit();
  took.host = since(start);
  context.finalize();
  took.completed = since(start);
  return took;
}

}  // namespace

// Answers what overhead_chains asks (see shapes.hpp). An argument divides the number of rounds: 100 to try it out.
int main(int argc, char** argv) {
  const int divisor = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 1;
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "looking for GPUs");
  if (devices == 0) {
    std::fprintf(stderr, "there is no GPU\n");
    return 1;
  }
  Bare bare;
  stf::stream_ctx context;
  LogicalData data(context);
  Tokens tokens(context, bare.memory());
  stf::async_resources_handle resources;
  // In the order of peer_forms.
  const std::function<Took(const Shape&)> forms[] = {
      [&](const Shape& shape) { return bare.run(shape); },
      [&](const Shape& shape) { return run_stream(context, data, shape); },
      [&](const Shape& shape) { return run_stream(context, tokens, shape); },
      [&](const Shape& shape) { return run_graph(resources, shape); },
  };
  unsigned form = 0, which = 0;
  while (std::scanf("%u %u", &form, &which) == 2 && form < std::size(forms) && which < std::size(bench::shapes)) {
    Shape shape = bench::shapes[which];
    shape.repeats = std::max(shape.repeats / divisor, 1);
    const Took took = forms[form](shape);
    std::printf("%.9f %.9f\n", took.host, took.completed);
    std::fflush(stdout);
  }
  context.finalize();
  return 0;
}
