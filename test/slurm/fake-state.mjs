// Files of the fake Slurm.
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const readSettings = (state) => JSON.parse(readFileSync(join(state, 'settings.json'), 'utf8'));

/** undefined: there is none. */
export function readJob(state, id, folder = 'jobs') {
  try {
    return JSON.parse(readFileSync(join(state, folder, String(id), 'job.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

export function readJobs(state, folder = 'jobs') {
  return readdirSync(join(state, folder))
    .sort((one, other) => Number(one) - Number(other))
    .map((id) => readJob(state, id, folder))
    .filter((job) => job !== undefined);
}

export function writeJob(state, job) {
  const file = join(state, 'jobs', String(job.id), 'job.json');
  writeFileSync(`${file}.new`, JSON.stringify(job));
  renameSync(`${file}.new`, file);
}
