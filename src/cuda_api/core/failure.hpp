// Failures of CUDA calls: a code of CUDA's, and a sentence, which CUDA does not have.
#pragma once

#include <string>

#include "cuda_api/abi/runtime.hpp"
#include "heddle/error.hpp"

namespace heddle::cuda_api {

// Thrown within this room only: the functions that programs call return its code.
class Failure : public std::exception {
 public:
  Failure(cudaError_t code, std::string message) : code_(code), message_(std::move(message)) {}
  cudaError_t code() const noexcept { return code_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  cudaError_t code_;
  std::string message_;
};

// The code of CUDA's that fits the Error best.
cudaError_t code_of(const Error& error);
// Whether every later call returns the error again: CUDA's context is lost with it.
bool is_sticky(cudaError_t code);

// CUDA's names and descriptions, from 0 to 999; "unrecognized error code" for other numbers.
const char* name_of(cudaError_t code);
const char* text_of(cudaError_t code);

}  // namespace heddle::cuda_api
