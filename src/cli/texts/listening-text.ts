import type { View } from '../terminal/view.ts';

/** The address of a server that accepts requests. */
export const listeningView: View<{ url: string }> = {
  json: ({ url }) => ({ url }),
  table: ({ url }) => [`listening on ${url}`],
  quiet: ({ url }) => [url],
};
