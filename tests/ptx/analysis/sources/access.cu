#include "cuda.h"
struct Pair { const float*from; float*to; int n; float scale; };
__device__ float table[256]; __constant__ float weights[16]; __device__ float*hidden;
K by_struct(Pair p){ int i=BX*NX+TX; if(i<p.n) p.to[i]=p.from[i]*p.scale; }
K selected(int which,const float*a,const float*b,float*c){ int i=BX*NX+TX; const float*s=which?a:b; c[i]=s[i]; }
K in_place(float*a,const float*unused){ int i=BX*NX+TX; a[i]=a[i]+1; }
K through_memory(float**rows,int n){ int i=BX*NX+TX; rows[BX][TX]=n; }
K stored_away(float*a,float**out){ if(TX==0) out[BX]=a; }
K variables(int n,float*out){ int i=BX*NX+TX; out[i]=table[i&255]*weights[i&15]; if(i==0) table[0]=n; }
NOINLINE __device__ float load_one(const float*p,int i){ return p[i]; }
NOINLINE __device__ void store_one(float*p,int i,float v){ p[i]=v; }
NOINLINE __device__ float sum_rec(const float*p,int n){ return n<=0?0:p[n]+sum_rec(p,n-1); }
NOINLINE __device__ const float*advance(const float*p,int n){ return p+n; }
K by_calls(const float*a,float*b,int n){ int i=BX*NX+TX; store_one(b,i,load_one(a,i)); }
K by_recursion(const float*a,float*b,int n){ int i=BX*NX+TX; b[i]=sum_rec(a,n); }
K by_result(const float*a,float*b,int n){ int i=BX*NX+TX; b[i]=*advance(a,i*n); }
K from_array(float*a,float*b,float*c,int k){ float*list[3]={a,b,c}; int i=BX*NX+TX; list[(k+i)%3][i]=1; }
K walking(const float*a,float*b,int n){ const float*p=a+TX; float s=0; for(int i=0;i<n;++i){ s+=*p; p+=NX; } b[BX*NX+TX]=s; }
K counts(const int*a,int*n,int*c){ int i=BX*NX+TX; if(a[i]) ATOMIC_ADD_I(n,1); c[i]=*n; }
K to_hidden(int n){ hidden[TX]=n; }
K hides(float*a){ hidden=a; }
K distance(const float*a,const float*b,long*out){ out[TX]=b-a; }
K guarded(const float*__restrict__ a,float*__restrict__ b,float*c,int n){ int i=BX*NX+TX; if(n>100) c=b; if(i<n) c[i]=a[i]; }
