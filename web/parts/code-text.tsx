import { visibleText } from '../../src/views/visible-text.ts';

/** A text of the server, with the commands and keys that stand between backticks in it as such. */
export function CodeText({ text }: { text: string }) {
  return visibleText(text)
    .split(/`([^`]+)`/)
    .map((part, index) =>
      index % 2 === 0 ? (
        part
      ) : (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts of a text have no other name, and do not move
        <code key={index} className="font-mono">
          {part}
        </code>
      ),
    );
}
