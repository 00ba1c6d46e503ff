/** Replaces what must not be seen by as many asterisks, so that every byte stays where it is. */
export function maskBytes(data: Uint8Array, values: readonly Buffer[]): Buffer {
  const masked = Buffer.from(data);
  for (const value of values) {
    for (let at = masked.indexOf(value); at >= 0; at = masked.indexOf(value, at + value.length)) {
      masked.fill('*', at, at + value.length);
    }
  }
  return masked;
}

/** How many bytes at the end may be the beginning of a value whose rest has not been written yet. */
export function unfinishedLength(data: Buffer, values: readonly Buffer[]): number {
  let longest = 0;
  for (const value of values) {
    for (let length = Math.min(value.length - 1, data.length); length > longest; length -= 1) {
      if (data.subarray(data.length - length).equals(value.subarray(0, length))) longest = length;
    }
  }
  return longest;
}

/** How many bytes at the beginning may be the end of a value whose beginning is not kept. */
export function remainingLength(data: Buffer, values: readonly Buffer[]): number {
  let longest = 0;
  for (const value of values) {
    for (let length = Math.min(value.length - 1, data.length); length > longest; length -= 1) {
      if (data.subarray(0, length).equals(value.subarray(value.length - length))) longest = length;
    }
  }
  return longest;
}
