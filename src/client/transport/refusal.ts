import { ERRORS, type ErrorCode, HoldfastError } from '../../core/errors.ts';

/** Where it is asked, and what came back instead of an answer. */
interface Refused {
  url: string;
  status: number;
  text: string;
}

/** What a server said no with, as the error that it was there. Anything else is no server of ours, or a broken one. */
export function refusal({ url, status, text }: Refused): HoldfastError {
  const refused = readRefusal(text);
  if (refused === null) {
    return new HoldfastError('SERVER_UNREACHABLE', { url, problem: strangeAnswer(status).message });
  }
  if (!isErrorCode(refused.code)) {
    return new HoldfastError('SERVER_FAILED', { url, problem: `${refused.code}: ${refused.message}` });
  }
  // The address of a page, for instance: a server that is there has all endpoints.
  const { origin, pathname } = new URL(url);
  if (refused.code === 'NO_ENDPOINT' && pathname !== '/') {
    const problem = `the server has no API under ${pathname}; its address may be ${origin}`;
    return new HoldfastError('SERVER_UNREACHABLE', { url, problem });
  }
  return HoldfastError.received(refused.code, refused.message, refused.hint);
}

export function strangeAnswer(status: number): Error {
  return new Error(`HTTP ${status}, which is no answer of a Holdfast server`);
}

function readRefusal(text: string): { code: string; message: string; hint: string } | null {
  try {
    const { error } = JSON.parse(text) as { error?: Record<string, unknown> };
    const { code, message, hint } = error ?? {};
    if (typeof code !== 'string' || typeof message !== 'string') return null;
    return { code, message, hint: typeof hint === 'string' ? hint : '' };
  } catch {
    return null;
  }
}

function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
