#include "cuda.h"
__device__ int next_block, finished;
__device__ volatile int flags[1024]; __device__ int sums[1024];
K histogram(int n,const int*in,int*bins){ int i=BX*NX+TX; if(i<n) ATOMIC_ADD_I(&bins[in[i]],1); }
K ticket(int n,int*out){ __shared__ int b; if(TX==0) b=ATOMIC_ADD_I(&next_block,1); SYNC; out[b*NX+TX]=n; }
K last_block(int n,const int*in,int*out){ __shared__ int last; out[BX]=in[BX]; FENCE; if(TX==0) last=ATOMIC_ADD_I(&finished,1)==GX-1; SYNC; if(last&&TX==0){ int s=0; for(int i=0;i<GX;++i) s+=out[i]; out[0]=s; } }
K look_back(const int*in,int*out){ __shared__ int before; if(TX==0){ int b=BX; int s=0; if(b>0){ while(flags[b-1]==0); s=sums[b-1]; } sums[b]=s+in[b]; FENCE; flags[b]=1; before=s; } SYNC; out[BX*NX+TX]=before; }
K grid_barrier(int*counter,int*out){ if(TX==0){ ATOMIC_ADD_I(counter,1); while(*(volatile int*)counter<GX); } SYNC; out[BX*NX+TX]=out[0]; }
K spin_lock(int*lock,int*total){ if(TX==0){ while(ATOMIC_CAS_I(lock,0,1)!=0); *total+=BX; FENCE; ATOMIC_EXCH_I(lock,0); } }
K float_max(int n,const float*in,int*best){ int i=BX*NX+TX; if(i<n){ int old=*best; while(AS_FLOAT(old)<in[i]){ int was=old; old=ATOMIC_CAS_I(best,was,AS_INT(in[i])); if(old==was) break; } } }
K shared_bins(int n,const int*in,int*bins){ __shared__ int s[64]; if(TX<64) s[TX]=0; SYNC; int i=BX*NX+TX; if(i<n) ATOMIC_ADD_I(&s[in[i]&63],1); SYNC; if(TX<64) ATOMIC_ADD_I(&bins[TX],s[TX]); }
K shared_ticket(int n,const int*in,int*out){ __shared__ int c; if(TX==0) c=0; SYNC; int i=BX*NX+TX; if(in[i]>0){ int p=ATOMIC_ADD_I(&c,1); out[BX*NX+p]=in[i]; } }
