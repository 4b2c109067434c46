// How often each byte occurs: a histogram for each group in local memory, then added to the one for all. Groups of
// 256.
kernel void clear(global unsigned int* bins) { bins[get_local_id(0)] = 0; }

kernel void histogram(int n, global const unsigned char* data, global unsigned int* bins) {
  local unsigned int own[256];
  own[get_local_id(0)] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_add(&own[data[i]], 1u);
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&bins[get_local_id(0)], own[get_local_id(0)]);
}
