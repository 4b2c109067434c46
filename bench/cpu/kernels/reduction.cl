// The sum of n values: each work item adds up a stride, each group a tree in local memory; groups of 256 work items.
// Launched a second time with one group over the partial sums.
kernel void reduce(int n, global const float* in, global float* out) {
  local float partial[256];
  int item = get_local_id(0);
  float sum = 0;
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];
  partial[item] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int width = get_local_size(0) / 2; width > 0; width /= 2) {
    if (item < width) partial[item] += partial[item + width];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item == 0) out[get_group_id(0)] = partial[0];
}
