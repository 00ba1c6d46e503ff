import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** File systems in memory, by the magic number of statfs(2). */
const TMPFS = 0x01021994;
/** What all files of a run need at a time is a third of it. */
const ENOUGH_BYTES = 2 ** 31;

/**
 * All tests make their files in one directory, which is gone after them, whether they failed or not; what they start
 * inherits it. It is in memory if the machine has such a place: what a process has written outlives its end there too,
 * and thousands of commits would each wait for the disk otherwise.
 */
export default function useTemporaryDirectory(): () => void {
  const directory = inMemory() ?? mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  // Others, such as the user that PostgreSQL runs as, get to what they are given below it.
  chmodSync(directory, 0o711);
  process.env.TMPDIR = directory;
  leaveOutCertificates();
  return () => remove(directory);
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

function inMemory(): string | null {
  let directory: string;
  try {
    const { type, bavail, bsize } = statfsSync('/dev/shm');
    if (type !== TMPFS || bavail * bsize < ENOUGH_BYTES) return null;
    directory = mkdtempSync('/dev/shm/holdfast-test-');
  } catch {
    return null;
  }
  if (canStartPrograms(directory)) return directory;
  remove(directory);
  return null;
}

/** Containers often mount theirs without. */
function canStartPrograms(directory: string): boolean {
  const program = join(directory, 'program');
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
  const { status } = spawnSync(program);
  rmSync(program);
  return status === 0;
}

function remove(directory: string): void {
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
}
