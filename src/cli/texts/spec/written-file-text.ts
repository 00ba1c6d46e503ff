import type { View } from '../../terminal/view.ts';

/** A file that a command has written. */
export const writtenFileView: View<{ file: string }> = {
  json: ({ file }) => ({ file }),
  table: ({ file }) => [`wrote ${file}`],
  quiet: ({ file }) => [file],
};
