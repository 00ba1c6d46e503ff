/** Less than SQLite needs to open a database: its index of the journal takes 32 KiB at once. */
const LEAST_BYTES = 128 * 1024;

/**
 * Whether the disk is full, whatever SQLite calls it: where the index of the journal finds no space, that is an I/O error.
 */
export function isOutOfSpace(error: unknown, freeBytes: () => number | null): boolean {
  if (!(error instanceof Error)) return false;
  if (/disk is full/i.test(error.message) || (error as NodeJS.ErrnoException).code === 'ENOSPC') return true;
  if (!/disk I\/O error|unable to open/i.test(error.message)) return false;
  const free = freeBytes();
  return free !== null && free < LEAST_BYTES;
}
