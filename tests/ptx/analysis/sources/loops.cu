#include "cuda.h"
// y = A x, one row a thread and one row a warp, rows compressed.
K spmv_scalar(int rows,const int*start,const int*column,const float*value,const float*x,float*y){
  int row=BX*NX+TX; if(row<rows){ float s=0; for(int j=start[row];j<start[row+1];++j) s+=value[j]*x[column[j]]; y[row]=s; } }
K spmv_vector(int rows,const int*start,const int*column,const float*value,const float*x,float*y){
  int thread=BX*NX+TX, row=thread/32, lane=thread&31; if(row<rows){ float s=0; for(int j=start[row]+lane;j<start[row+1];j+=32) s+=value[j]*x[column[j]];
  for(int d=16;d;d>>=1) s+=SHFL_DOWN(s,d); if(lane==0) y[row]=s; } }
// Five points in two dimensions, edges left alone.
K stencil5(int w,int h,const float*in,float*out){ int x=BX*NX+TX,y=BY*NY+TY; if(x>0&&y>0&&x<w-1&&y<h-1) out[y*w+x]=0.2f*(in[y*w+x]+in[y*w+x-1]+in[y*w+x+1]+in[(y-1)*w+x]+in[(y+1)*w+x]); }
K transpose(int w,int h,const float*in,float*out){ __shared__ float t[32][33]; int x=BX*32+TX,y=BY*32+TY;
  for(int i=0;i<32;i+=8) if(x<w&&y+i<h) t[TY+i][TX]=in[(y+i)*w+x]; SYNC; x=BY*32+TX; y=BX*32+TY;
  for(int i=0;i<32;i+=8) if(x<h&&y+i<w) out[(y+i)*h+x]=t[TX][TY+i]; }
K reduce(int n,const float*in,float*out){ __shared__ float s[256]; float v=0; for(int i=BX*NX+TX;i<n;i+=NX*GX) v+=in[i]; s[TX]=v; SYNC;
  for(int d=NX/2;d>0;d>>=1){ if(TX<d) s[TX]+=s[TX+d]; SYNC; } if(TX==0) out[BX]=s[0]; }
K warp_sums(int n,const float*in,float*out){ __shared__ float part[32]; int i=BX*NX+TX; float v=i<n?in[i]:0; for(int d=16;d;d>>=1) v+=SHFL_DOWN(v,d);
  int warp=TX/32,lane=TX%32; if(lane==0) part[warp]=v; SYNC; if(warp==0){ v=lane<NX/32?part[lane]:0; for(int d=16;d;d>>=1) v+=SHFL_DOWN(v,d); if(lane==0) out[BX]=v; } }
K mandelbrot(int w,int h,int limit,int*out){ int x=BX*NX+TX,y=BY*NY+TY; if(x>=w||y>=h) return; float cr=x*3.0f/w-2,ci=y*2.0f/h-1,zr=0,zi=0; int k=0;
  while(k<limit&&zr*zr+zi*zi<4){ float t=zr*zr-zi*zi+cr; zi=2*zr*zi+ci; zr=t; ++k; } out[y*w+x]=k; }
struct Body { float x,y,z,m; };
K nbody(int n,const Body*b,float*ax){ __shared__ Body tile[128]; int i=BX*128+TX; float px=b[i].x,py=b[i].y,a=0;
  for(int t=0;t<n;t+=128){ tile[TX]=b[t+TX]; SYNC; for(int j=0;j<128;++j){ float dx=tile[j].x-px,dy=tile[j].y-py; a+=dx*tile[j].m/(dx*dx+dy*dy+0.01f); } SYNC; } ax[i]=a; }
K conv2d(int w,int h,const float*in,const float*k,float*out){ int x=BX*NX+TX,y=BY*NY+TY; if(x<w-2&&y<h-2){ float s=0; for(int j=0;j<3;++j) for(int i=0;i<3;++i) s+=in[(y+j)*w+x+i]*k[j*3+i]; out[y*w+x]=s; } }
K grid_stride(long n,float a,const float*x,float*y){ for(long i=(long)BX*NX+TX;i<n;i+=(long)GX*NX) y[i]+=a*x[i]; }
K mvt(int n,const float*a,const float*x,float*y){ int i=BX*NX+TX; if(i<n){ float s=0; for(int j=0;j<n;++j) s+=a[i*n+j]*x[j]; y[i]=s; } }
K mvt_t(int n,const float*a,const float*x,float*y){ int i=BX*NX+TX; if(i<n){ float s=0; for(int j=0;j<n;++j) s+=a[j*n+i]*x[j]; y[i]=s; } }
K flat_index(int w,int h,const float*in,float*out){ int i=(BY*NY+TY)*(GX*NX)+BX*NX+TX; out[i]=in[i]*2; }
K block_linear(const float*in,float*out){ int t=TY*16+TX; out[BX*256+t]=in[BX*256+t]; }
