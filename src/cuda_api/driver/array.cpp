// Arrays, and copies of bytes to, from and between them. (Copies of boxes: copy.cpp.)
#include "cuda_api/core/array.hpp"

#include "cuda_api/driver/call.hpp"

using namespace heddle::cuda_api;

namespace {

CUDA_ARRAY3D_DESCRIPTOR with_depth(const CUDA_ARRAY_DESCRIPTOR& p) {
  return {p.Width, p.Height, 0, p.Format, p.NumChannels, 0};
}

// Puts a copy into a stream, and waits for it if the call does.
void copy_part(Context& context, CUstream stream, bool per_thread, void* to, const void* from, std::size_t size,
               cudaMemcpyKind kind, bool wait) {
  copy(context, context.stream(stream, per_thread), to, from, size, kind, wait);
}

void* part_of(CUarray array, std::size_t offset, std::size_t size) {
  const CUarray_st& found = array_of(array);
  const std::size_t row = found.image.level[0].row_bytes;
  return heddle::cuda_api::part_of(found, offset % row, offset / row, size);
}

}  // namespace

HEDDLE_DRIVER_API cuArray3DCreate_v2(CUarray* made, const CUDA_ARRAY3D_DESCRIPTOR* p) {
  HEDDLE_ARGUMENTS(made, p);
  return in_context(__func__, [&](Context& context) {
    require(made && p, cudaErrorInvalidValue, "no place for the array, or no description of it");
    *made = make_array(context, *p);
  });
}
HEDDLE_DRIVER_API cuArrayCreate_v2(CUarray* made, const CUDA_ARRAY_DESCRIPTOR* p) {
  HEDDLE_ARGUMENTS(made, p);
  return in_context(__func__, [&](Context& context) {
    require(made && p, cudaErrorInvalidValue, "no place for the array, or no description of it");
    *made = make_array(context, with_depth(*p));
  });
}
HEDDLE_DRIVER_API cuArrayDestroy(CUarray array) {
  HEDDLE_ARGUMENTS(array);
  return in_context(__func__, [&](Context& context) {
    context.synchronize();  // the end of the memory waits for the device's own context
    array_of(array);
    destroy_array(array);
  });
}
HEDDLE_DRIVER_API cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR* p, CUarray array) {
  HEDDLE_ARGUMENTS(p, array);
  return in_context(__func__, [&](Context&) {
    require(p, cudaErrorInvalidValue, "no place for the description");
    const CUDA_ARRAY3D_DESCRIPTOR& d = array_of(array).descriptor;
    *p = {d.Width, d.Height, d.Format, d.NumChannels};
  });
}
HEDDLE_DRIVER_API cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR* p, CUarray array) {
  HEDDLE_ARGUMENTS(p, array);
  return in_context(__func__, [&](Context&) {
    require(p, cudaErrorInvalidValue, "no place for the description");
    *p = array_of(array).descriptor;
  });
}
HEDDLE_DRIVER_API cuMipmappedArrayCreate(CUmipmappedArray* made, const CUDA_ARRAY3D_DESCRIPTOR* p, unsigned levels) {
  HEDDLE_ARGUMENTS(made, p, levels);
  return in_context(__func__, [&](Context& context) {
    require(made && p, cudaErrorInvalidValue, "no place for the array, or no description of it");
    *made = make_mipmapped_array(context, *p, levels);
  });
}
HEDDLE_DRIVER_API cuMipmappedArrayDestroy(CUmipmappedArray array) {
  HEDDLE_ARGUMENTS(array);
  return in_context(__func__, [&](Context& context) {
    context.synchronize();
    array_of(array);
    destroy_array(array);
  });
}
HEDDLE_DRIVER_API cuMipmappedArrayGetLevel(CUarray* found, CUmipmappedArray array, unsigned level) {
  HEDDLE_ARGUMENTS(found, array, level);
  return in_context(__func__, [&](Context&) {
    require(found, cudaErrorInvalidValue, "no place for the level");
    *found = level_of(array, level);
  });
}

HEDDLE_DRIVER_DS(cuMemcpyHtoA_v2, (CUarray to, std::size_t offset, const void* from, std::size_t size), {
  HEDDLE_ARGUMENTS(to, offset, from, size);
  return in_context(__func__, [&](Context& context) {
    copy_part(context, nullptr, per_thread, part_of(to, offset, size), from, size, cudaMemcpyHostToDevice, true);
  });
})
HEDDLE_DRIVER_SZ(cuMemcpyHtoAAsync_v2,
                 (CUarray to, std::size_t offset, const void* from, std::size_t size, CUstream stream), {
                   HEDDLE_ARGUMENTS(to, offset, from, size, stream);
                   return on_stream(__func__, stream, [&](Context& context) {
                     copy_part(context, stream, per_thread, part_of(to, offset, size), from, size,
                               cudaMemcpyHostToDevice, false);
                   });
                 })
HEDDLE_DRIVER_DS(cuMemcpyAtoH_v2, (void* to, CUarray from, std::size_t offset, std::size_t size), {
  HEDDLE_ARGUMENTS(to, from, offset, size);
  return in_context(__func__, [&](Context& context) {
    copy_part(context, nullptr, per_thread, to, part_of(from, offset, size), size, cudaMemcpyDeviceToHost, true);
  });
})
HEDDLE_DRIVER_SZ(cuMemcpyAtoHAsync_v2, (void* to, CUarray from, std::size_t offset, std::size_t size, CUstream stream),
                 {
                   HEDDLE_ARGUMENTS(to, from, offset, size, stream);
                   return on_stream(__func__, stream, [&](Context& context) {
                     copy_part(context, stream, per_thread, to, part_of(from, offset, size), size,
                               cudaMemcpyDeviceToHost, false);
                   });
                 })
HEDDLE_DRIVER_DS(cuMemcpyDtoA_v2, (CUarray to, std::size_t offset, CUdeviceptr from, std::size_t size), {
  HEDDLE_ARGUMENTS(to, offset, from, size);
  return in_context(__func__, [&](Context& context) {
    copy_part(context, nullptr, per_thread, part_of(to, offset, size), pointer(from), size, cudaMemcpyDeviceToDevice,
              false);
  });
})
HEDDLE_DRIVER_DS(cuMemcpyAtoD_v2, (CUdeviceptr to, CUarray from, std::size_t offset, std::size_t size), {
  HEDDLE_ARGUMENTS(to, from, offset, size);
  return in_context(__func__, [&](Context& context) {
    copy_part(context, nullptr, per_thread, pointer(to), part_of(from, offset, size), size, cudaMemcpyDeviceToDevice,
              false);
  });
})
HEDDLE_DRIVER_DS(cuMemcpyAtoA_v2,
                 (CUarray to, std::size_t to_offset, CUarray from, std::size_t from_offset, std::size_t size), {
                   HEDDLE_ARGUMENTS(to, to_offset, from, from_offset, size);
                   return in_context(__func__, [&](Context& context) {
                     copy_part(context, nullptr, per_thread, part_of(to, to_offset, size),
                               part_of(from, from_offset, size), size, cudaMemcpyDeviceToDevice, false);
                   });
                 })
