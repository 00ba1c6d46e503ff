import { getSystemErrorMap } from 'node:util';

/** `permission denied (EACCES)`: why a file cannot be read or written, without its path, which the message has already. */
export function fileProblem(error: unknown): string {
  const { code, errno, message } = error as NodeJS.ErrnoException;
  const words = errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1];
  return words === undefined ? message : `${words} (${code})`;
}
