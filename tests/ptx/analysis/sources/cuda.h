#if defined(__clang__)
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define TX __nvvm_read_ptx_sreg_tid_x()
#define TY __nvvm_read_ptx_sreg_tid_y()
#define BX __nvvm_read_ptx_sreg_ctaid_x()
#define BY __nvvm_read_ptx_sreg_ctaid_y()
#define BZ __nvvm_read_ptx_sreg_ctaid_z()
#define NX __nvvm_read_ptx_sreg_ntid_x()
#define NY __nvvm_read_ptx_sreg_ntid_y()
#define GX __nvvm_read_ptx_sreg_nctaid_x()
#define SYNC __nvvm_bar_sync(0)
#define NOINLINE __attribute__((noinline))
#define SHFL_DOWN(v,d) __nvvm_shfl_sync_down_f32(0xffffffff,v,d,31)
#define ATOMIC_ADD_I(p,v) __nvvm_atom_add_gen_i(p,v)
#define ATOMIC_CAS_I(p,c,v) __nvvm_atom_cas_gen_i(p,c,v)
#define ATOMIC_EXCH_I(p,v) __nvvm_atom_xchg_gen_i(p,v)
#define FENCE __nvvm_membar_gl()
#define AS_INT(f) __builtin_bit_cast(int,f)
#define AS_FLOAT(f) __builtin_bit_cast(float,f)
#else
#define TX (int)threadIdx.x
#define TY (int)threadIdx.y
#define BX (int)blockIdx.x
#define BY (int)blockIdx.y
#define BZ (int)blockIdx.z
#define NX (int)blockDim.x
#define NY (int)blockDim.y
#define GX (int)gridDim.x
#define SYNC __syncthreads()
#define NOINLINE __noinline__
#define SHFL_DOWN(v,d) __shfl_down_sync(0xffffffff,v,d)
#define ATOMIC_ADD_I(p,v) atomicAdd(p,v)
#define ATOMIC_CAS_I(p,c,v) atomicCAS(p,c,v)
#define ATOMIC_EXCH_I(p,v) atomicExch(p,v)
#define FENCE __threadfence()
#define AS_INT(f) __float_as_int(f)
#define AS_FLOAT(f) __int_as_float(f)
#endif
#define K extern "C" __global__ void
