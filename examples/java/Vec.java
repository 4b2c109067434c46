import heddle.Heddle;
import java.nio.FloatBuffer;

/**
 * Sums the squares of two vectors. Two launches that do not depend on each other, and a third that depends on both: nothing
 * here says so, and the first two overlap.
 */
public final class Vec {
    private static final String SOURCE =
            String.join("\n",
                    "__global__ void square(float* x, int n) {",
                    "  int i = blockIdx.x * blockDim.x + threadIdx.x;",
                    "  if (i < n) x[i] = x[i] * x[i];",
                    "}",
                    "__global__ void reduce(const float* x, const float* y, float* sum, int n) {",
                    "  int i = blockIdx.x * blockDim.x + threadIdx.x;",
                    "  if (i < n) atomicAdd(sum, x[i] + y[i]);",
                    "}");

    public static void main(String[] words) {
        int n = 1 << 16, threads = 256, blocks = (n + threads - 1) / threads;
        try (Heddle.Runtime runtime = new Heddle.Runtime(words.length > 0 ? words[0] : "");
                Heddle.Module module = runtime.compile(SOURCE, "Vec.java");
                Heddle.Kernel square = module.kernel("square");
                Heddle.Kernel reduce = module.kernel("reduce");
                Heddle.Array x = runtime.array(4L * n);
                Heddle.Array y = runtime.array(4L * n);
                Heddle.Array sum = runtime.array(4)) {
            FloatBuffer to = x.write().asFloatBuffer();
            for (int i = 0; i < n; ++i) to.put(i, i % 3);
            to = y.write().asFloatBuffer();
            for (int i = 0; i < n; ++i) to.put(i, 2);
            square.on(blocks, threads).run(x, n);
            square.on(blocks, threads).run(y, n);
            reduce.on(blocks, threads).run(x, y, sum, n);
            float found = sum.read().getFloat(0); // waits for the three launches
            float expected = 0;
            for (int i = 0; i < n; ++i) expected += (i % 3) * (i % 3) + 4;
            check(found == expected, "the sum is " + found + ", and should be " + expected);
            errors(module, square, x);
            System.out.println("sum of squares: " + found);
        }
    }

    /** Errors are exceptions with a sentence, and Java's own faults stay Java's. */
    private static void errors(Heddle.Module module, Heddle.Kernel square, Heddle.Array x) {
        try {
            module.kernel("absent");
            check(false, "no exception for an absent kernel");
        } catch (Heddle.Failure failure) {
            check(failure.code.equals("not_found") && failure.getMessage().contains("absent"), failure.toString());
        }
        try {
            square.on(1, 1).run(x, 1.0f);
            check(false, "no exception for a wrong argument");
        } catch (Heddle.Failure failure) {
            check(failure.code.equals("invalid_argument"), failure.toString());
        }
        // Compiled code finds null by a fault of memory, which Heddle's handler has to leave to Java's.
        int caught = 0;
        for (int i = 0; i < 200000; ++i) {
            try {
                caught += length(i % 1000 == 999 ? null : new int[0]);
            } catch (NullPointerException expected) {
                ++caught;
            }
        }
        check(caught == 200, caught + " null pointers were found of 200");
    }

    private static int length(int[] of) {
        return of.length;
    }

    private static void check(boolean right, String otherwise) {
        if (right) return;
        System.err.println(otherwise);
        System.exit(1);
    }
}
