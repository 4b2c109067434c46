// Barriers of a block and of a warp, and memory fences.
#pragma once
#pragma clang system_header

// __syncthreads() itself is a built-in function of clang.
__HEDDLE_DEVICE__ int __syncthreads_count(int predicate) { return __nvvm_bar0_popc(predicate); }
__HEDDLE_DEVICE__ int __syncthreads_and(int predicate) { return __nvvm_bar0_and(predicate); }
__HEDDLE_DEVICE__ int __syncthreads_or(int predicate) { return __nvvm_bar0_or(predicate); }
__HEDDLE_DEVICE__ void __syncwarp(unsigned int mask = 0xffffffffu) { __nvvm_bar_warp_sync(mask); }

// Numbered barriers, as CUDA's internal headers and some libraries use them.
__HEDDLE_DEVICE__ void __nv_bar_sync(unsigned int id, unsigned int threads) { __nvvm_barrier_sync_cnt(id, threads); }

// Programmatic dependent launches: the launch that comes next in the stream may begin, and waits here for this one.
__HEDDLE_DEVICE__ void cudaTriggerProgrammaticLaunchCompletion() {
  __asm__ volatile("griddepcontrol.launch_dependents;");
}
__HEDDLE_DEVICE__ void cudaGridDependencySynchronize() { __asm__ volatile("griddepcontrol.wait;" ::: "memory"); }

__HEDDLE_DEVICE__ void __threadfence_block() { __nvvm_membar_cta(); }
__HEDDLE_DEVICE__ void __threadfence() { __nvvm_membar_gl(); }
__HEDDLE_DEVICE__ void __threadfence_system() { __nvvm_membar_sys(); }
