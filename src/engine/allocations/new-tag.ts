import { randomBytes } from 'node:crypto';

/** Unique over all databases: two of them may use one cluster, and their row ids are the same. */
export function newTag(): string {
  return `holdfast-${randomBytes(6).toString('hex')}`;
}
