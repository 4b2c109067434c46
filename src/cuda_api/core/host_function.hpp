// Functions of the program that a stream runs, on threads of Heddle's.
#pragma once

namespace heddle::cuda_api {

// Marks the thread, and runs work(data). Where the function ends the thread (pthread_exit, pthread_cancel), the process
// ends with a sentence: the thread is Heddle's, and all that waits for the stream would wait for ever.
void run_host_function(void (*work)(void*), void* data);

}  // namespace heddle::cuda_api
