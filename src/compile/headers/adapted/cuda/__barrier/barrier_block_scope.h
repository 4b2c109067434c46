// Put before CCCL's own: the destructor of barriers in shared memory has a body that is empty but for braces, and clang
// takes only one without them for a shared variable's.
#pragma once
#pragma GCC system_header
#include <nv/target>
#pragma push_macro("_NV_BLOCK_EXPAND")
#undef _NV_BLOCK_EXPAND
#define _NV_BLOCK_EXPAND(...) _NV_REMOVE_PAREN(__VA_ARGS__)
#include_next <cuda/__barrier/barrier_block_scope.h>
#pragma pop_macro("_NV_BLOCK_EXPAND")
