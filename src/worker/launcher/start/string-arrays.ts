const POINTER_BYTES = 8;

/** Memory that a C function reads, at an address that stays the same and is divisible by 8. */
export interface Arena {
  buffer: Buffer;
  address: bigint;
}

/** Texts, or the addresses of texts that were laid out before. */
export type Texts = readonly (string | bigint)[];

/** How many bytes arrays of these texts take, at most. */
export function sizeOfArrays(arrays: readonly Texts[]): number {
  let size = 0;
  for (const texts of arrays) {
    size += POINTER_BYTES;
    for (const text of texts) {
      size += POINTER_BYTES;
      // A UTF-16 unit has at most 3 bytes in UTF-8.
      if (typeof text === 'string') size += 3 * text.length + 1;
    }
  }
  return size;
}

/**
 * Lays out arrays of C strings, each ended by a null pointer, as `argv` and `envp` are: first all pointers, then all texts.
 * Returns the addresses of the arrays. The arena has room for them, and no text contains a null character.
 */
export function layOutArrays({ buffer, address }: Arena, arrays: readonly Texts[]): bigint[] {
  const pointerCount = arrays.reduce((count, texts) => count + texts.length + 1, 0);
  const pointers = new BigUint64Array(buffer.buffer, buffer.byteOffset, pointerCount);
  let pointer = 0;
  let text = pointerCount * POINTER_BYTES;
  return arrays.map((texts) => {
    const start = address + BigInt(pointer * POINTER_BYTES);
    for (const each of texts) {
      if (typeof each === 'string') {
        pointers[pointer++] = address + BigInt(text);
        text += buffer.write(each, text, 'utf8');
        buffer[text++] = 0;
      } else {
        pointers[pointer++] = each;
      }
    }
    pointers[pointer++] = 0n;
    return start;
  });
}
