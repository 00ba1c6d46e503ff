import { formatSize } from '../../../core/text/quantity.ts';
import type { View } from '../../terminal/view.ts';

/** A report that was written. */
export interface WrittenReport {
  workflow_id: number;
  file: string;
  bytes: number;
}

export const reportFileView: View<WrittenReport> = {
  json: (report) => report,
  table: ({ file, bytes }) => [
    `wrote ${file} (${formatSize(bytes)})`,
    'secrets of variables are masked; look through it before you send it',
  ],
  quiet: ({ file }) => [file],
};
