import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_FINGERPRINT } from '../src/core/files/file-mark.ts';
import { DEFAULT_JOB_CONFIG } from '../src/core/model/workflow-model.ts';
import { factsOf } from '../src/host/look-at-file.ts';
import { markedFiles } from '../src/worker/observe/declared-files.ts';
import { FileHashes } from '../src/worker/observe/file-hashes.ts';
import { type BenchLine, inTempDir } from './measure.ts';

const JOBS = 1_000_000;
const FILES = 2_000;

/** What it costs to remember the declared files of jobs. */
export async function benchFiles(): Promise<BenchLine[]> {
  const without = perJobWithout();
  const { small, large } = await inTempDir(perFile);
  const line = (name: string, value: number, unit: string, aim: string, met: boolean | null) => {
    return { name, value, unit, ratio: null, against: '', aim, met };
  };
  return [
    line('fingerprints, per job without declared files', without, 'µs', '< 100 µs', without < 100),
    line('a declared file of 1 KB, per file', small, 'ms', '', null),
    line('a declared file of 256 MiB', large, 'ms', '', null),
  ];
}

/** At the start of an attempt, for its order, and at its end. */
function perJobWithout(): number {
  const claim = { cwd: '/tmp', config: { ...DEFAULT_JOB_CONFIG, command: 'true' } };
  let found = 0;
  const start = performance.now();
  for (let at = 0; at < 3 * JOBS; at += 1) found += markedFiles(claim).length;
  if (found > 0) throw new Error('a job without declared files has some');
  return ((performance.now() - start) * 1000) / JOBS;
}

async function perFile(dir: string): Promise<{ small: number; large: number }> {
  const hashes = new FileHashes();
  const { max_bytes: most } = DEFAULT_FINGERPRINT;
  const read = (path: string) => hashes.read(path, most, factsOf(path));
  const paths = Array.from({ length: FILES }, (_, index) => join(dir, `small-${index}`));
  for (const path of paths) writeFileSync(path, path.padEnd(1000));
  const largest = join(dir, 'large');
  writeFileSync(largest, '');
  truncateSync(largest, most);
  // The first file starts the thread.
  await read(paths[0]!);
  const start = performance.now();
  await Promise.all(paths.map(read));
  const small = (performance.now() - start) / FILES;
  const begun = performance.now();
  await read(largest);
  const large = performance.now() - begun;
  await hashes.stop();
  return { small, large };
}
