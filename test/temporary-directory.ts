import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** File systems in memory, by the magic number of statfs(2). */
const TMPFS = 0x01021994;
const ENOUGH_BYTES = 2 ** 30;

/**
 * All tests make their files in one directory, which is gone after them, whether they failed or not; what they start
 * inherits it. HF_TEST_MEMORY is another one, in memory if the machine has such a place, for those whose thousands of
 * commits would each wait for the disk and who do not ask what is left after a crash.
 */
export default function useTemporaryDirectories(): () => void {
  const onDisk = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  const inMemory = hasMemory('/dev/shm') ? mkdtempSync('/dev/shm/holdfast-test-') : onDisk;
  Object.assign(process.env, { TMPDIR: onDisk, HF_TEST_MEMORY: inMemory });
  leaveOutCertificates();
  return () => {
    for (const directory of [onDisk, inMemory]) {
      rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
    }
  };
}

/**
 * Every Node process would read the certificates that this variable names before anything else, for 40 ms; tests start
 * thousands, and ask only servers of their own. HF_TEST_CERTIFICATES is for one that asks a registry.
 */
function leaveOutCertificates(): void {
  const path = process.env.NODE_EXTRA_CA_CERTS;
  delete process.env.NODE_EXTRA_CA_CERTS;
  if (path !== undefined) process.env.HF_TEST_CERTIFICATES = path;
}

function hasMemory(path: string): boolean {
  try {
    const { type, bavail, bsize } = statfsSync(path);
    return type === TMPFS && bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}
