import type { TextStyle } from '../../src/cli/terminal/text-style.ts';
import { printedText, type View } from '../../src/cli/terminal/view.ts';
import { textStyle } from './records.ts';

/** The text that `--output table` prints. */
export function table<T>(view: View<T>, thing: T, style: TextStyle = textStyle()): string {
  return printedText(view, thing, 'table', style);
}

/** What a program reads from `--output json`. */
export function json<T>(view: View<T>, thing: T) {
  return JSON.parse(printedText(view, thing, 'json', textStyle()));
}

export function quiet<T>(view: View<T>, thing: T): string {
  return printedText(view, thing, 'quiet', textStyle());
}
