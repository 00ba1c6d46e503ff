const BLOCK = 512;
const MOST_NAME = 100;

/** What a file of an archive is called: a path below the archive, of letters that every system takes. */
export function safeName(text: string): string {
  const safe = text.replace(/[^A-Za-z0-9._@-]/g, '_').replace(/^[.-]+/, '_');
  return safe.slice(0, 50) || '_';
}

/** A file of a tar archive (ustar): its header and its content in blocks. Readable by its owner alone. */
export function tarEntry(name: string, data: Uint8Array, at: number): Buffer {
  if (Buffer.byteLength(name) > MOST_NAME) throw new Error(`${name} is too long for a tar archive`);
  const header = Buffer.alloc(BLOCK);
  const put = (text: string, offset: number) => header.write(text, offset, 'latin1');
  const octal = (value: number, length: number) => value.toString(8).padStart(length - 1, '0');
  put(name, 0);
  put(octal(0o600, 8), 100);
  put(octal(0, 8), 108);
  put(octal(0, 8), 116);
  put(octal(data.length, 12), 124);
  put(octal(Math.floor(at / 1000), 12), 136);
  // The checksum is made with spaces in its place.
  put(' '.repeat(8), 148);
  put('0', 156);
  put('ustar\0', 257);
  put('00', 263);
  const sum = header.reduce((total, byte) => total + byte, 0);
  put(`${octal(sum, 7)}\0 `, 148);
  const padding = Buffer.alloc((BLOCK - (data.length % BLOCK)) % BLOCK);
  return Buffer.concat([header, data, padding]);
}

/** Two empty blocks end an archive. */
export const TAR_END = Buffer.alloc(2 * BLOCK);
