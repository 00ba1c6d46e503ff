/** How long an attempt waited. */
export interface AttemptTimes {
  /** The attempt. */
  token: number;
  /** From when its job could run to when it was handed to a worker; waits before retries included. */
  waiting_ms: number;
  /** From its end to its decision, with post steps and evaluations of code between them; null: it is not decided. */
  deciding_ms: number | null;
}
