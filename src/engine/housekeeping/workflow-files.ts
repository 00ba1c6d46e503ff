import { opendir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { findFilePlaces, listHosts, listOwn } from '../../store/rows/workflows/housekeeping-rows.ts';
import type { Store } from '../../store/store.ts';

const IDS_AT_ONCE = 500;

/**
 * Paths of the logs, work directories and checkpoints of a workflow on this machine. What workers of a server ran has its
 * files on their machines, and its logs in the store.
 */
export async function findWorkflowFiles(
  store: Store,
  stateDir: string | null,
  workflowId: number,
): Promise<string[]> {
  const { places, hosts } = await store.read(function* () {
    return { places: yield* findFilePlaces(workflowId), hosts: yield* listHosts(workflowId) };
  });
  if (places === undefined || places.shared === 1 || !hosts.includes(hostname())) return [];
  const paths: string[] = [];
  if (isAbsolute(places.output_dir)) {
    const directory = join(places.output_dir, 'job_stdio');
    const own = new RegExp(`^(job|action|outputs)_wf${workflowId}_`);
    for await (const name of namesIn(directory)) if (own.test(name)) paths.push(join(directory, name));
  }
  if (stateDir !== null) paths.push(...(await findWorkDirectories(store, stateDir, workflowId)));
  return paths;
}

/** Directories are named after jobs and actions: those that there are on disk are looked up, few as they are. */
async function findWorkDirectories(store: Store, stateDir: string, workflowId: number): Promise<string[]> {
  const found = { job: new Map<number, string[]>(), action: new Map<number, string[]>() };
  const note = (kind: 'job' | 'action', id: string, path: string) => {
    const known = found[kind].get(Number(id)) ?? [];
    found[kind].set(Number(id), [...known, path]);
  };
  const work = join(stateDir, 'work');
  for await (const run of namesIn(work)) {
    for await (const name of namesIn(join(work, run))) {
      const [, job, action] = /^(?:(\d+)_attempt_\d+|action_(\d+))$/.exec(name) ?? [];
      if (job !== undefined) note('job', job, join(work, run, name));
      if (action !== undefined) note('action', action, join(work, run, name));
    }
  }
  const checkpoints = join(stateDir, 'checkpoints');
  for await (const name of namesIn(checkpoints)) {
    if (/^\d+$/.test(name)) note('job', name, join(checkpoints, name));
  }
  const paths: string[] = [];
  for (const kind of ['job', 'action'] as const) {
    const ids = [...found[kind].keys()];
    for (let start = 0; start < ids.length; start += IDS_AT_ONCE) {
      const some = ids.slice(start, start + IDS_AT_ONCE);
      const own = await store.read(() => listOwn(kind, workflowId, some));
      paths.push(...own.flatMap((id) => found[kind].get(id)!));
    }
  }
  return paths;
}

/** What they occupy. */
export async function measureFiles(paths: readonly string[]): Promise<{ count: number; bytes: number }> {
  const total = { count: 0, bytes: 0 };
  for (const path of paths) {
    const facts = await stat(path).catch(() => null);
    if (facts === null) continue;
    if (facts.isDirectory()) {
      const inside: string[] = [];
      for await (const name of namesIn(path)) inside.push(join(path, name));
      const more = await measureFiles(inside);
      total.count += more.count;
      total.bytes += more.bytes;
    } else {
      total.count += 1;
      total.bytes += facts.size;
    }
  }
  return total;
}

/** One that cannot be removed stays: the history that it belongs to is removed all the same. */
export async function removeFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { recursive: true, force: true }).catch(() => {});
}

async function* namesIn(directory: string): AsyncGenerator<string> {
  let entries: Awaited<ReturnType<typeof opendir>>;
  try {
    entries = await opendir(directory);
  } catch {
    return;
  }
  for await (const { name } of entries) yield name;
}
