// launch: --check=race --grid 2 --block 32 --arg zeros:u32:128
// expect: (32 times between these places)
// One mistake for each store of the second block, however many words it has.
__global__ void store(uint4* out) { out[threadIdx.x] = make_uint4(blockIdx.x, 1, 2, 3 + blockIdx.x); }  // before here
