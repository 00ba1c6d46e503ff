import type { Paint } from './styled-line.ts';

/** How much room there is, and what is true of the moment of printing. */
export interface TextStyle {
  /** Infinity where output is not a terminal. */
  readonly width: number;
  readonly now: number;
  paint: Paint;
  /** Paths below it are shown relative to it. */
  cwd: string;
  /** A holdfast command to type next, with the state directory or server of this command. */
  command(...words: (string | number)[]): string;
}
