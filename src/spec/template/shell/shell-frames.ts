import type { CommandWords } from '../command-words.ts';

export type PlainFrame = { kind: 'plain'; nested: boolean; words: CommandWords };

export type Frame =
  | PlainFrame
  | { kind: 'double' | 'single' | 'ansi' }
  | { kind: 'backtick'; from: number }
  /** `calculatesFrom`: where the shell begins to calculate in it. */
  | { kind: 'parameter'; inDouble: boolean; calculatesFrom: number | undefined }
  /** `$(( … ))` and `(( … ))`, or `$[ … ]`. */
  | { kind: 'arithmetic'; close: '))' | ']'; depth: number };

/** Whether the shell calculates with what stands at this place, in the innermost of the frames. */
export function calculatesIn(stack: readonly Frame[], at: number): boolean {
  const innermost = stack.findLastIndex((frame) => frame.kind === 'plain');
  return stack.slice(innermost).some((frame) => {
    if (frame.kind === 'plain') return frame.words.inSubscript;
    if (frame.kind === 'arithmetic') return true;
    return frame.kind === 'parameter' && frame.calculatesFrom !== undefined && at >= frame.calculatesFrom;
  });
}
