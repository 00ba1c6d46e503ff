/** How declared files are fingerprinted. `off`: not at all. */
export const FINGERPRINT_MODES = ['content', 'metadata', 'off'] as const;

export type FingerprintMode = (typeof FINGERPRINT_MODES)[number];

/** Which declared files of a job are hashed. */
export interface FingerprintPolicy {
  by: FingerprintMode;
  /** Files above this are compared by size and modification time only. */
  max_bytes: number;
}

/** 256 MiB: a second of hashing at the most on one core (sha256 at 0.4 to 1.5 GB/s). */
export const DEFAULT_FINGERPRINT: FingerprintPolicy = { by: 'content', max_bytes: 256 * 1024 * 1024 };

export const MARK_ROLES = ['input', 'output'] as const;

export type MarkRole = (typeof MARK_ROLES)[number];

/** `other`: a device, a pipe or a socket, of which only the existence is compared. */
export const MARK_KINDS = ['file', 'directory', 'other', 'missing'] as const;

export type MarkKind = (typeof MARK_KINDS)[number];

/** What a path was when it was looked at. */
export interface FileState {
  kind: MarkKind;
  /** Of a directory: of all files in it. null: not known. */
  size: number | null;
  /** Nanoseconds since the epoch, as text; of a directory the newest in it. null: not known. */
  mtime_ns: string | null;
  /** sha256 of the content, in hexadecimal; null: it was not read. */
  hash: string | null;
  /** Why the content is not known although it should be; null: there is no problem. */
  problem: string | null;
}

/** A declared file as an attempt found or left it. */
export interface FileMark extends FileState {
  /** As declared. */
  path: string;
  role: MarkRole;
}

/** The problem of a file that was modified while an attempt read it, or while it was hashed. */
export const CHANGED_MEANWHILE = 'it changed before it was read to its end';

export const MISSING: FileState = { kind: 'missing', size: null, mtime_ns: null, hash: null, problem: null };

/** Marks of one attempt beyond this are not kept. */
export const MOST_MARKS = 10_000;
