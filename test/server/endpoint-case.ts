import type { ErrorCode } from '../../src/core/errors.ts';
import type { Scene } from './scene.ts';
import type { Asked } from './server-world.ts';

export type Ask = (scene: Scene) => Asked | Promise<Asked>;

/** What every endpoint is asked. `null`: there is no such case, for the reason beside it. */
export interface EndpointCase {
  works: Ask;
  /** With the place of the mistake. */
  bad: [Ask, string] | null;
  missing: [Ask, ErrorCode] | null;
  conflict: [Ask, ErrorCode] | null;
}

export const get = (url: string): Asked => ({ url });
export const post = (url: string, body?: unknown): Asked => ({
  method: 'POST',
  url,
  ...(body !== undefined && { body }),
});
export const put = (url: string, body: unknown): Asked => ({ method: 'PUT', url, body });
export const remove = (url: string): Asked => ({ method: 'DELETE', url });
