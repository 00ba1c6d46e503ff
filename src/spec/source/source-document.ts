import type { Place, SpecPath } from '../problem.ts';

export interface SyntaxMistake extends Place {
  message: string;
}

/** A file that was read: its value, and where each part of it stands. */
export type SourceDocument =
  | { ok: false; mistakes: SyntaxMistake[] }
  | { ok: true; value: unknown; locate: Locate };

/**
 * The place of the value at a path, or of its key. A path that does not exist gives the nearest
 * enclosing part, so that a missing key points at the object that lacks it. `inside` is a place within
 * the text at the path, followed as far as its notation allows.
 */
export type Locate = (path: SpecPath, options?: { atKey?: boolean; inside?: Place }) => Place;
