import { formatSize } from '../../../core/text/quantity.ts';
import type { BundleCounts } from '../../bundle/collect-bundle.ts';
import type { View } from '../../terminal/view.ts';

export interface ShownBundle extends BundleCounts {
  workflow_id: number;
  file: string;
  bytes: number;
}

export const bundleView: View<ShownBundle> = {
  json: (bundle) => bundle,
  table: ({ file, bytes, failed, explained, logs, cut, left_out }) => [
    `wrote ${file} (${formatSize(bytes)}): ${explained} of ${failed} failed jobs explained, ${logs} logs`,
    ...(cut > 0 ? [`${cut} of the logs are cut at their beginning; --max-log SIZE keeps more of each`] : []),
    ...(left_out > 0 ? [`${left_out} logs had no room; --max-size SIZE makes more`] : []),
    'secrets of variables are masked; look through it before you send it',
  ],
  quiet: ({ file }) => [file],
};
