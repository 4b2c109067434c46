/* The native half of Heddle.java: each function hands one call to the C interface and turns its error into an
 * exception. */
#include <heddle/heddle.h>
#include <jni.h>
#include <stdlib.h>

/* Throws heddle.Heddle.Failure for what has just failed in this thread. */
static void throw_failure(JNIEnv* env, heddle_status status) {
  const jclass type = (*env)->FindClass(env, "heddle/Heddle$Failure");
  if (type == NULL) return; /* an exception is on its way already */
  const jmethodID make = (*env)->GetMethodID(env, type, "<init>", "(Ljava/lang/String;Ljava/lang/String;)V");
  const jstring code = (*env)->NewStringUTF(env, heddle_status_name(status));
  const jstring message = (*env)->NewStringUTF(env, heddle_last_error());
  if (make == NULL || code == NULL || message == NULL) return;
  const jobject failure = (*env)->NewObject(env, type, make, code, message);
  if (failure != NULL) (*env)->Throw(env, (jthrowable)failure);
}

static int failed(JNIEnv* env, heddle_status status) {
  if (status != HEDDLE_OK) throw_failure(env, status);
  return status != HEDDLE_OK;
}

/* NULL, with an exception, when there is no memory; NULL for a null reference. */
static const char* text_of(JNIEnv* env, jstring text) {
  return text != NULL ? (*env)->GetStringUTFChars(env, text, NULL) : NULL;
}
static void done_with(JNIEnv* env, jstring text, const char* chars) {
  if (chars != NULL) (*env)->ReleaseStringUTFChars(env, text, chars);
}

static heddle_runtime* runtime_of(jlong handle) { return (heddle_runtime*)(intptr_t)handle; }
static heddle_module* module_of(jlong handle) { return (heddle_module*)(intptr_t)handle; }
static heddle_kernel* kernel_of(jlong handle) { return (heddle_kernel*)(intptr_t)handle; }
static heddle_array* array_of(jlong handle) { return (heddle_array*)(intptr_t)handle; }
static jlong number_of(const void* handle) { return (jlong)(intptr_t)handle; }

JNIEXPORT jlong JNICALL Java_heddle_Heddle_createRuntime(JNIEnv* env, jclass unused, jstring devices) {
  (void)unused;
  heddle_runtime_options options = {sizeof options, 0};
  options.devices = text_of(env, devices);
  heddle_runtime* runtime = NULL;
  const heddle_status status = heddle_runtime_create(&options, &runtime);
  done_with(env, devices, options.devices);
  return failed(env, status) ? 0 : number_of(runtime);
}

JNIEXPORT void JNICALL Java_heddle_Heddle_freeRuntime(JNIEnv* env, jclass unused, jlong runtime) {
  (void)env, (void)unused;
  heddle_runtime_free(runtime_of(runtime));
}

JNIEXPORT jlong JNICALL Java_heddle_Heddle_compile(JNIEnv* env, jclass unused, jlong runtime, jstring source,
                                                   jstring name) {
  (void)unused;
  const char *text = text_of(env, source), *called = text_of(env, name);
  heddle_module* module = NULL;
  const heddle_status status = heddle_module_compile(runtime_of(runtime), text, called, NULL, &module);
  done_with(env, source, text);
  done_with(env, name, called);
  return failed(env, status) ? 0 : number_of(module);
}

JNIEXPORT void JNICALL Java_heddle_Heddle_freeModule(JNIEnv* env, jclass unused, jlong module) {
  (void)env, (void)unused;
  heddle_module_free(module_of(module));
}

JNIEXPORT jlong JNICALL Java_heddle_Heddle_findKernel(JNIEnv* env, jclass unused, jlong module, jstring name) {
  (void)unused;
  const char* called = text_of(env, name);
  heddle_kernel* kernel = NULL;
  const heddle_status status = heddle_module_kernel(module_of(module), called, &kernel);
  done_with(env, name, called);
  return failed(env, status) ? 0 : number_of(kernel);
}

JNIEXPORT void JNICALL Java_heddle_Heddle_freeKernel(JNIEnv* env, jclass unused, jlong kernel) {
  (void)env, (void)unused;
  heddle_kernel_free(kernel_of(kernel));
}

JNIEXPORT jlong JNICALL Java_heddle_Heddle_createArray(JNIEnv* env, jclass unused, jlong runtime, jlong bytes) {
  (void)unused;
  heddle_array* array = NULL;
  return failed(env, heddle_array_create(runtime_of(runtime), (size_t)bytes, &array)) ? 0 : number_of(array);
}

JNIEXPORT void JNICALL Java_heddle_Heddle_freeArray(JNIEnv* env, jclass unused, jlong array) {
  (void)env, (void)unused;
  heddle_array_free(array_of(array));
}

JNIEXPORT jobject JNICALL Java_heddle_Heddle_map(JNIEnv* env, jclass unused, jlong array, jlong bytes, jboolean write) {
  (void)unused;
  void* data = NULL;
  const heddle_status status =
      write ? heddle_array_write(array_of(array), &data) : heddle_array_read(array_of(array), (const void**)&data);
  return failed(env, status) ? NULL : (*env)->NewDirectByteBuffer(env, data, bytes);
}

JNIEXPORT void JNICALL Java_heddle_Heddle_launch(JNIEnv* env, jclass unused, jlong runtime, jlong kernel, jint grid,
                                                 jint block, jintArray kinds, jintArray sizes, jlongArray values) {
  (void)unused;
  const jsize count = (*env)->GetArrayLength(env, kinds);
  heddle_argument* const arguments = calloc((size_t)count + 1, sizeof *arguments);
  if (arguments == NULL) return;
  for (jsize i = 0; i < count; ++i) {
    jint kind = 0, size = 0;
    jlong value = 0; /* little endian: its first bytes are the number's */
    (*env)->GetIntArrayRegion(env, kinds, i, 1, &kind);
    (*env)->GetIntArrayRegion(env, sizes, i, 1, &size);
    (*env)->GetLongArrayRegion(env, values, i, 1, &value);
    arguments[i] = kind == HEDDLE_ARGUMENT_ARRAY ? heddle_whole(array_of(value))
                                                 : heddle_value((heddle_argument_kind)kind, &value, (size_t)size);
  }
  heddle_launch_options options = {sizeof options, {0}};
  options.grid.x = (uint32_t)grid;
  options.block.x = (uint32_t)block;
  failed(env, heddle_launch_kernel(runtime_of(runtime), kernel_of(kernel), &options, arguments, (size_t)count, NULL));
  free(arguments);
}
