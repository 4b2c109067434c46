// The part of main.cu that needs no CUDA.
int number_of_threads() { return 4096; }
