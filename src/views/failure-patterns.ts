/** Errors that often pass by themselves. Guidance for a decision; the engine does not act on it. */
export const TRANSIENT_PATTERNS: Readonly<Record<string, readonly string[]>> = {
  Network: [
    'Connection refused',
    'Connection timed out',
    'Network is unreachable',
    'DNS resolution failed',
    'Service Unavailable',
  ],
  'GPU and HPC': ['NCCL timeout', 'GPU communication error', 'CUDA out of memory'],
  Hardware: ['EIO', 'Input/output error'],
  Slurm: ['PREEMPTED', 'NODE_FAIL', 'TIMEOUT'],
};

/** Errors that usually happen again in every attempt. */
export const PERMANENT_PATTERNS: Readonly<Record<string, readonly string[]>> = {
  Python: [
    'SyntaxError',
    'IndentationError',
    'ModuleNotFoundError',
    'ImportError',
    'NameError',
    'TypeError',
    'ValueError',
  ],
  General: ['FileNotFoundError', 'PermissionDenied', 'AssertionError', 'IndexError', 'KeyError'],
};

export interface PatternHint {
  pattern: string;
  suggests: 'transient' | 'permanent';
}

/** Patterns that occur in the text, as whole words. */
export function findPatterns(text: string): PatternHint[] {
  const hints: PatternHint[] = [];
  for (const [suggests, groups] of [
    ['transient', TRANSIENT_PATTERNS],
    ['permanent', PERMANENT_PATTERNS],
  ] as const) {
    for (const pattern of Object.values(groups).flat()) {
      if (new RegExp(`(?<![A-Za-z])${pattern.replace('/', '\\/')}(?![A-Za-z])`).test(text)) {
        hints.push({ pattern, suggests });
      }
    }
  }
  return hints;
}
