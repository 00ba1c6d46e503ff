import { NUMBER, VALUE } from './data-flow.ts';

/** A word as far as it is known before it runs, without its quotes. */
export interface Word {
  text: string;
  /** Something in it is expanded. */
  isExpanded: boolean;
  /** The expansion is not quoted, so that it may be no word or several. */
  isSplit: boolean;
  /** It is `<( … )` or `>( … )`. */
  isProcess: boolean;
  /** Where the expanded parts come from. */
  sources: readonly string[];
}

/** A command as far as it has been read, up to a value. */
export interface ReadCommand {
  /** Undefined: still to come. */
  program: Word | undefined;
  args: readonly Word[];
  /** What stands in front of the value in its word. */
  word: string;
  /** The value is inside `name=( … )`. */
  inList: boolean;
}

/** The name of a program without its directory. */
export function nameOf({ text }: Pick<Word, 'text'>): string {
  return text.slice(text.lastIndexOf('/') + 1);
}

/** `name=` or `name+=`, with or without a subscript. */
export function assignedName(word: string): string | undefined {
  return /^([A-Za-z_][\w%]*)(?:\[[^\]]*\])?\+?=/.exec(word)?.[1];
}

/** The file that a word names; the same text with the same variables is the same file. */
export function fileSource({ text, sources }: Word): string {
  const parts = sources
    .filter((source) => source === VALUE || source === NUMBER || source.startsWith('$'))
    .slice(0, 8);
  return `file:${text.replace(/^(?:\.\/+)+/, '')}:${parts.join('')}`;
}
