import { HoldfastError } from '../../core/errors.ts';

/** Does what needs a directory. What the file system refuses is STATE_UNUSABLE. */
export async function usingFiles<T>(path: string, use: () => T | Promise<T>): Promise<T> {
  try {
    return await use();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new HoldfastError('STATE_UNUSABLE', { path, problem: error.message }, error);
  }
}

function isRefusal(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof HoldfastError) && 'syscall' in error;
}
