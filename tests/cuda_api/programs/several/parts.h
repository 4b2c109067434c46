#ifdef __cplusplus
extern "C" {
#endif
void fill(float* p, int n, float value);
void scale(float* p, int n, float factor);
int devices_by_c(void);
#ifdef __cplusplus
}
#endif
