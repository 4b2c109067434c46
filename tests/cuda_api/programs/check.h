// For the programs of this folder: ends them with a message at the first call that fails or value that is wrong.
#pragma once
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                           \
  do {                                                                                                        \
    const cudaError_t error_ = (call);                                                                        \
    if (error_ != cudaSuccess) {                                                                              \
      std::fprintf(stderr, "%s:%d: %s gives %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(error_));      \
      std::exit(1);                                                                                           \
    }                                                                                                         \
  } while (0)

#define EXPECT(condition)                                                                    \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      std::fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);     \
      std::exit(1);                                                                          \
    }                                                                                        \
  } while (0)
