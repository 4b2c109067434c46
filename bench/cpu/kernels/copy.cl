// b = a.
kernel void copy(int n, global const float* a, global float* b) {
  int i = get_global_id(0);
  if (i < n) b[i] = a[i];
}
