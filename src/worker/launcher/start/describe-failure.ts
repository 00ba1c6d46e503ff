import { getSystemErrorMap } from 'node:util';

const WAYS_OUT: Record<string, string> = {
  ENOSPC: 'free some space',
  EDQUOT: 'free some of your quota',
  EACCES: 'check its permissions',
  EPERM: 'check its permissions',
  EROFS: 'choose a directory on another file system',
  ENOTDIR: 'a part of the path is a file',
  EFBIG: 'raise the file size limit (ulimit -f)',
  EMFILE: 'raise the limit of open files (ulimit -n)',
  EAGAIN: 'raise the limit of processes (ulimit -u)',
  ENOMEM: 'run fewer jobs at a time',
  E2BIG: 'make the environment smaller',
};

export function isErrno(error: unknown, code: string): error is NodeJS.ErrnoException {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code;
}

/** `cannot open the log /x/y.o: no space left on device (ENOSPC); free some space` */
export function describeFailure(what: string, error: unknown): string {
  const { code, errno, message } = error as NodeJS.ErrnoException;
  if (code === undefined || errno === undefined) return `cannot ${what}: ${message}`;
  const meaning = getSystemErrorMap().get(errno)?.[1] ?? message;
  const wayOut = WAYS_OUT[code];
  return `cannot ${what}: ${meaning} (${code})${wayOut ? `; ${wayOut}` : ''}`;
}
