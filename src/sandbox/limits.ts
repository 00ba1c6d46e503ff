// What one evaluation may take. Going over any of it is an evaluation failure that names the limit.

export const CODE_BYTES = 8 * 1024;
/** Of the inputs that the code names, as JSON. */
export const INPUT_BYTES = 4 * 1024 * 1024;
/** For what the code makes; its inputs come on top. */
export const HEAP_BYTES = 8 * 1024 * 1024;
/** About 1,400 calls deep. */
export const STACK_BYTES = 256 * 1024;
export const RESULT_BYTES = 64 * 1024;
export const RESULT_DEPTH = 100;
export const PROBLEM_LENGTH = 300;

/**
 * The machine beats once every 10,000 steps: jumps of loops and conditions, function calls, and the inner steps of
 * regular expressions. It is a count, not a time, so that a busy machine ends the same code at the same point.
 *
 * Measured on a busy 2-core virtual machine, ms per beat: `for (;;);` 0.06; loops with a counter, sums, properties and
 * calls 0.2 to 0.4; push 0.45; regular expressions 0.3 to 1; sort with a comparator 0.8; map and filter 1.4; making
 * texts 2.2; making objects 3; split and join 4 to 6; 100 statements of arithmetic per turn 12 to 18. In the middle of
 * these, 25 beats are about 25 ms.
 */
export const BEATS = 25;

/**
 * CPU time of the thread after which it is terminated, for what beats seldom or never: long operations inside one
 * built-in function, and loops whose single turns are long. With what each beat adds, the count ends all of the loops
 * above before this does, except the last. Where this limit decides, code that takes nearly as long can go either way.
 */
export const CPU_MS = 100;
export const BEAT_CPU_MS = 4;

/** Nothing takes longer than this, even if the thread got no CPU time at all. */
export const WALL_MS = 30_000;
