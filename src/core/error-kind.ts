export interface ErrorKind {
  message: (facts: Record<string, string | number>) => string;
  httpStatus: number;
  exitCode: 1 | 2 | 4;
  /** What to do next. */
  hint: (facts: Record<string, string | number>) => string;
}
