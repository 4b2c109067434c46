package heddle;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Heddle for Java, as far as the example goes, on the C interface (heddle/heddle.h) through JNI: heddle_jni.c. Handles are
 * closed by who made them, best with try; any thread may use them.
 */
public final class Heddle {
    static {
        System.loadLibrary("heddle_jni");
    }

    private Heddle() {}

    /** What Heddle refuses or a kernel does wrong; the message says what was wrong, where, and what to do. */
    public static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1;

        /** "not_found", "kernel_fault", ... */
        public final String code;

        public Failure(String code, String message) {
            super(message);
            this.code = code;
        }
    }

    /** Owns its devices: "cpu", "cuda:0,cpu", or "" for all that are found. */
    public static final class Runtime implements AutoCloseable {
        private long handle;

        public Runtime(String devices) {
            handle = createRuntime(devices);
        }

        /** CUDA C++. */
        public Module compile(String source, String name) {
            return new Module(this, Heddle.compile(handle, source, name));
        }

        /** So many bytes, zero at first, that kernels and the host use in turn. */
        public Array array(long bytes) {
            return new Array(createArray(handle, bytes), bytes);
        }

        /** Waits for everything in flight. */
        @Override
        public void close() {
            freeRuntime(handle);
            handle = 0;
        }
    }

    /** The kernels of one CUDA C++ text. */
    public static final class Module implements AutoCloseable {
        private final Runtime runtime;
        private long handle;

        private Module(Runtime runtime, long handle) {
            this.runtime = runtime;
            this.handle = handle;
        }

        /** By its name in the source or in the PTX. */
        public Kernel kernel(String name) {
            return new Kernel(runtime, findKernel(handle, name));
        }

        @Override
        public void close() {
            freeModule(handle);
            handle = 0;
        }
    }

    /** A kernel, launched as {@code kernel.on(blocks, threads).run(x, n)}. */
    public static final class Kernel implements AutoCloseable {
        private final Runtime runtime;
        private long handle;

        private Kernel(Runtime runtime, long handle) {
            this.runtime = runtime;
            this.handle = handle;
        }

        public Shape on(int grid, int block) {
            return new Shape(this, grid, block);
        }

        @Override
        public void close() {
            freeKernel(handle);
            handle = 0;
        }
    }

    /** A kernel and the shape that it is launched in. */
    public static final class Shape {
        // heddle_argument_kind
        private static final int NULL = 0, INTEGER = 1, FLOATING = 2, ARRAY = 4;
        private final Kernel kernel;
        private final int grid, block;

        private Shape(Kernel kernel, int grid, int block) {
            this.kernel = kernel;
            this.grid = grid;
            this.block = block;
        }

        /** Launches and returns at once: byte, short, int, long, float, double, arrays, null. */
        public void run(Object... arguments) {
            int[] kinds = new int[arguments.length], sizes = new int[arguments.length];
            long[] values = new long[arguments.length];
            for (int i = 0; i < arguments.length; ++i) {
                Object one = arguments[i];
                if (one == null) {
                    kinds[i] = NULL;
                } else if (one instanceof Array) {
                    kinds[i] = ARRAY;
                    values[i] = ((Array) one).handle;
                } else if (one instanceof Float) {
                    kinds[i] = FLOATING;
                    sizes[i] = 4;
                    values[i] = Float.floatToRawIntBits((Float) one);
                } else if (one instanceof Double) {
                    kinds[i] = FLOATING;
                    sizes[i] = 8;
                    values[i] = Double.doubleToRawLongBits((Double) one);
                } else if (one instanceof Byte || one instanceof Short || one instanceof Integer || one instanceof Long) {
                    kinds[i] = INTEGER;
                    sizes[i] = one instanceof Byte ? 1 : one instanceof Short ? 2 : one instanceof Integer ? 4 : 8;
                    values[i] = ((Number) one).longValue();
                } else {
                    throw new IllegalArgumentException(
                            "argument " + (i + 1) + " is a " + one.getClass().getName() + "; kernels take numbers and arrays");
                }
            }
            launch(kernel.runtime.handle, kernel.handle, grid, block, kinds, sizes, values);
        }
    }

    /** Bytes that kernels and the host use in turn. */
    public static final class Array implements AutoCloseable {
        private long handle;
        public final long bytes;

        private Array(long handle, long bytes) {
            this.handle = handle;
            this.bytes = bytes;
        }

        /** The bytes, once no launch that is in flight writes them; until the next launch that does. */
        public ByteBuffer read() {
            return map(handle, bytes, false).asReadOnlyBuffer().order(ByteOrder.nativeOrder());
        }

        /** The bytes, once no launch uses them; until the next launch that does. */
        public ByteBuffer write() {
            return map(handle, bytes, true).order(ByteOrder.nativeOrder());
        }

        /** Waits for the launches that use it. Buffers of read and write must not be used any more. */
        @Override
        public void close() {
            freeArray(handle);
            handle = 0;
        }
    }

    private static native long createRuntime(String devices);

    private static native void freeRuntime(long runtime);

    private static native long compile(long runtime, String source, String name);

    private static native void freeModule(long module);

    private static native long findKernel(long module, String name);

    private static native void freeKernel(long kernel);

    private static native long createArray(long runtime, long bytes);

    private static native void freeArray(long array);

    private static native ByteBuffer map(long array, long bytes, boolean write);

    private static native void launch(
            long runtime, long kernel, int grid, int block, int[] kinds, int[] sizes, long[] values);
}
