// a = b + s c, the last of the STREAM loops.
kernel void triad(int n, float s, global const float* b, global const float* c, global float* a) {
  int i = get_global_id(0);
  if (i < n) a[i] = b[i] + s * c[i];
}
