import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 random bits: there is nothing to guess, so a plain hash is enough. */
export function newSecret(): string {
  return `hf_${randomBytes(32).toString('base64url')}`;
}

/** What is stored of a secret. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

export function isSecretOf(hash: string, secret: string): boolean {
  const stored = Buffer.from(hash);
  const given = Buffer.from(hashOf(secret));
  return stored.length === given.length && timingSafeEqual(stored, given);
}
