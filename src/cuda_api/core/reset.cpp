#include "cuda_api/core/reset.hpp"

#include "cuda_api/core/array.hpp"
#include "cuda_api/core/capture.hpp"
#include "cuda_api/core/check_report.hpp"
#include "cuda_api/core/context_storage.hpp"
#include "cuda_api/core/host_function.hpp"
#include "cuda_api/core/process.hpp"
#include "cuda_api/core/texture_object.hpp"

namespace heddle::cuda_api {

void finish(Context& context) {
  refuse_in_host_function();
  try {
    context.synchronize();
  } catch (const Failure&) {
  }
}

void reset_context(Context& context) {
  finish(context);
  context_storage().end(context);
  for (CUstream_st* stream : context.streams()) forget_captures(*stream);
  context.end_all();
  report_leaks(context.slot());
  forget_objects(context);
  forget_arrays(context);
  Process::get().memory.take_all(context.slot());
}

}  // namespace heddle::cuda_api
