// Textures and surfaces.
extern "C" __global__ void sample(float* out, cudaTextureObject_t t, cudaSurfaceObject_t s, cudaTextureObject_t layered) {
  int i = threadIdx.x;
  float4 a = tex2D<float4>(t, i + 0.5f, 0.25f);
  float b = tex1Dfetch<float>(t, i);
  float4 c = tex2DLayered<float4>(layered, 0.5f, 0.5f, i);
  float d = tex3D<float>(t, 0.1f, 0.2f, 0.3f) + tex2DLod<float>(t, 0.5f, 0.5f, 1.0f);
  int e;
  surf2Dread(&e, s, i * 4, 0);
  surf2Dwrite(e + 1, s, i * 4, 1);
  out[i] = a.x + b + c.w + d + e;
}
