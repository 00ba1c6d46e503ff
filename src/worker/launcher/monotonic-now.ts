/**
 * Milliseconds of a clock that all processes of the machine share, and that nobody can set. It stands still while the
 * machine is suspended.
 */
export function monotonicNow(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}
