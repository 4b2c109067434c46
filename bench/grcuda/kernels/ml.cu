// ML: naive Bayes and ridge regression of the same rows, averaged. The rows' features, x and z, are column-major: those
// of one feature lie together. Scores are row-major; there are so many classes.
#define CLASSES 10
#include "sums.cuh"

// Ridge regression: the columns of x with mean 0 and variance 1. A block takes a column at a time.
extern "C" __global__ void rr1(const float* x, float* z, int rows, int features) {
  __shared__ double mean, deviation;
  for (int column = blockIdx.x; column < features; column += gridDim.x) {
    double sum = 0, squares = 0;
    for (int row = threadIdx.x; row < rows; row += blockDim.x) {
      const float value = x[(long long)column * rows + row];
      sum += value;
      squares += value * value;
    }
    sum = block_sum(sum);
    squares = block_sum(squares);
    if (threadIdx.x == 0) {
      mean = sum / rows;
      const double variance = squares / rows - mean * mean;
      deviation = variance > 0 ? sqrt(variance) : 1;
    }
    __syncthreads();
    const float shift = mean, scale = 1 / deviation;
    for (int row = threadIdx.x; row < rows; row += blockDim.x) {
      const long long i = (long long)column * rows + row;
      z[i] = (x[i] - shift) * scale;
    }
    __syncthreads();
  }
}

// The same of rows that lie in parts, two launches for each part. First the part's sums of each column and, behind them,
// of the squares ...
extern "C" __global__ void rr1_sums(const float* x, double* sums, int rows, int features) {
  for (int column = blockIdx.x; column < features; column += gridDim.x) {
    double sum = 0, squares = 0;
    for (int row = threadIdx.x; row < rows; row += blockDim.x) {
      const float value = x[(long long)column * rows + row];
      sum += value;
      squares += value * value;
    }
    sum = block_sum(sum);
    squares = block_sum(squares);
    if (threadIdx.x == 0) {
      sums[column] = sum;
      sums[features + column] = squares;
    }
  }
}

// ... then, from those of all parts, the part of z. `all` rows are in the parts together.
extern "C" __global__ void rr1_scale(const float* x, const double* sums, float* z, int rows, int features, int parts,
                                     int all) {
  __shared__ float shift, scale;
  for (int column = blockIdx.x; column < features; column += gridDim.x) {
    if (threadIdx.x == 0) {
      double sum = 0, squares = 0;
      for (int part = 0; part < parts; ++part) {
        sum += sums[2 * part * features + column];
        squares += sums[(2 * part + 1) * features + column];
      }
      const double mean = sum / all, variance = squares / all - mean * mean;
      shift = mean;
      scale = 1 / (variance > 0 ? sqrt(variance) : 1);
    }
    __syncthreads();
    for (int row = threadIdx.x; row < rows; row += blockDim.x) {
      const long long i = (long long)column * rows + row;
      z[i] = (x[i] - shift) * scale;
    }
    __syncthreads();
  }
}

// scores = in * weights^T: a thread computes the scores of a row.
__device__ void products(const float* in, const float* weights, float* scores, int rows, int features) {
  for (long long row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
    float sums[CLASSES] = {};
    for (int k = 0; k < features; ++k) {
      const float value = in[(long long)k * rows + row];
      for (int c = 0; c < CLASSES; ++c) sums[c] += value * weights[c * features + k];
    }
    for (int c = 0; c < CLASSES; ++c) scores[row * CLASSES + c] = sums[c];
  }
}

extern "C" __global__ void rr2(const float* z, const float* weights, float* scores, int rows, int features) {
  products(z, weights, scores, rows, features);
}

extern "C" __global__ void rr3(float* scores, const float* intercept, int rows) {
  const long long all = (long long)rows * CLASSES;
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < all; i += gridDim.x * blockDim.x)
    scores[i] += intercept[i % CLASSES];
}

// Naive Bayes: logarithms of the classes' likelihoods, ...
extern "C" __global__ void nb1(const float* x, const float* log_likelihood, float* scores, int rows, int features) {
  products(x, log_likelihood, scores, rows, features);
}

// ... their largest, ...
extern "C" __global__ void nb2(const float* scores, float* largest, int rows) {
  for (long long row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
    float found = scores[row * CLASSES];
    for (int k = 1; k < CLASSES; ++k) found = fmaxf(found, scores[row * CLASSES + k]);
    largest[row] = found;
  }
}

// ... the logarithm of their sum, ...
extern "C" __global__ void nb3(const float* scores, const float* largest, float* log_sum, int rows) {
  for (long long row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
    float sum = 0;
    for (int k = 0; k < CLASSES; ++k) sum += expf(scores[row * CLASSES + k] - largest[row]);
    log_sum[row] = logf(sum) + largest[row];
  }
}

// ... and the probabilities.
extern "C" __global__ void nb4(const float* log_sum, float* scores, int rows) {
  const long long all = (long long)rows * CLASSES;
  for (long long i = blockIdx.x * blockDim.x + threadIdx.x; i < all; i += gridDim.x * blockDim.x)
    scores[i] = expf(scores[i] - log_sum[i / CLASSES]);
}

extern "C" __global__ void softmax(float* scores, int rows) {
  for (long long row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
    float* own = scores + row * CLASSES;
    float largest = own[0], sum = 0;
    for (int k = 1; k < CLASSES; ++k) largest = fmaxf(largest, own[k]);
    for (int k = 0; k < CLASSES; ++k) sum += expf(own[k] - largest);
    for (int k = 0; k < CLASSES; ++k) own[k] = expf(own[k] - largest) / sum;
  }
}

// The class whose average is the largest.
extern "C" __global__ void argmax(const float* bayes, const float* ridge, int* chosen, int rows) {
  for (long long row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
    int best = 0;
    float most = bayes[row * CLASSES] + ridge[row * CLASSES];
    for (int k = 1; k < CLASSES; ++k) {
      const float sum = bayes[row * CLASSES + k] + ridge[row * CLASSES + k];
      if (sum > most) {
        most = sum;
        best = k;
      }
    }
    chosen[row] = best;
  }
}
