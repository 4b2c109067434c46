// The loops that hold long sums, in two versions. Namespace loops adds up in the order that the kernels add up in, as
// plain loops must. Namespace reordered_loops allows any order (omp simd reduction): the compiler then makes vectors of
// a sum, with other results in the last bits. Each file is compiled twice, the second time with HEDDLE_REORDER_SUMS.
#pragma once

#include "kernels/loops.hpp"

#ifdef HEDDLE_REORDER_SUMS
#define HEDDLE_PRAGMA(text) _Pragma(#text)
#define HEDDLE_REORDERED_SUM(...) HEDDLE_PRAGMA(omp simd reduction(__VA_ARGS__))
#define HEDDLE_SUM_LOOPS reordered_loops
#else
#define HEDDLE_REORDERED_SUM(...)
#define HEDDLE_SUM_LOOPS loops
#endif

namespace heddle::bench {

struct Float4 {
  float x, y, z, w;
};

#define HEDDLE_LOOPS [[gnu::weak]] void
#define HEDDLE_DECLARE_SUM_LOOPS                                                                                  \
  HEDDLE_LOOPS syrk(int n, int m, float alpha, float beta, const float* a, float* c);                             \
  HEDDLE_LOOPS syr2k(int n, int m, float alpha, float beta, const float* a, const float* b, float* c);            \
  HEDDLE_LOOPS atax(int rows, int columns, const float* a, const float* x, float* y);                             \
  HEDDLE_LOOPS bicg(int rows, int columns, const float* a, const float* r, const float* p, float* s, float* q);   \
  HEDDLE_LOOPS mvt(int n, const float* a, const float* y1, const float* y2, float* x1, float* x2);                \
  HEDDLE_LOOPS gesummv(int n, float alpha, float beta, const float* a, const float* b, const float* x, float* y); \
  HEDDLE_LOOPS nbody(int n, const Float4* bodies, Float4* attraction);

namespace loops {
HEDDLE_DECLARE_SUM_LOOPS
}
namespace reordered_loops {
HEDDLE_DECLARE_SUM_LOOPS
}

#undef HEDDLE_DECLARE_SUM_LOOPS
#undef HEDDLE_LOOPS

}  // namespace heddle::bench
