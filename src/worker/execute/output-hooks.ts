import { rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { OutputsOrder } from '../../contract/records/errand.ts';
import { outputsLogFiles } from '../../core/job/log-files.ts';
import { makeDirectory } from '../../host/make-directory.ts';
import type { SpawnOrder } from '../launcher/protocol.ts';
import { replaceFile } from '../post/replace-file.ts';
import { scriptOrder } from './script-order.ts';
import type { SpawnSettings } from './spawn-order.ts';

/** What the manifest of an invalidation has. */
export interface InvalidationManifest {
  request_name: string;
  version: number;
  reason: string | null;
  actor: string;
  /** When they were invalidated, in ISO 8601. */
  at: string;
  outputs: OutputsOrder['outputs'];
}

/** What a hook reads from stdin. */
export interface HookInput extends InvalidationManifest {
  event: OutputsOrder['event'];
  idempotency_key: string;
  round: number;
  run_id: number;
  /** Where relative paths of outputs begin. */
  cwd: string;
  /** Absolute; null: there is none. */
  manifest: string | null;
}

/** Writes the manifest, and what the hook reads. Each is there as a whole or not at all. Throws where one cannot be written. */
export async function writeOutputFiles(order: OutputsOrder, settings: SpawnSettings): Promise<void> {
  const { request_name, version, reason, actor, outputs, event, idempotency_key, round, run_id, cwd } = order;
  const facts: InvalidationManifest = {
    request_name,
    version,
    reason,
    actor,
    at: new Date(order.at_ms).toISOString(),
    outputs,
  };
  const manifest = order.manifest === null ? null : join(resolve(cwd, order.output_dir), order.manifest);
  if (manifest !== null) await writeJson(manifest, facts);
  if (order.hook === null) return;
  const input: HookInput = { event, idempotency_key, ...facts, round, run_id, cwd, manifest };
  await writeJson(inputPath(order, settings), input);
}

/** The hook has ended, or is tried again by a worker that writes it anew. */
export async function removeHookInput(order: { id: number }, settings: SpawnSettings): Promise<void> {
  await rm(inputPath(order, settings), { force: true }).catch(() => {});
}

async function writeJson(path: string, value: unknown): Promise<void> {
  makeDirectory(dirname(path));
  await replaceFile(path, `${JSON.stringify(value, null, 2)}\n`);
}

function inputPath({ id }: { id: number }, { stateDir }: SpawnSettings): string {
  return join(stateDir, 'work', `outputs_${id}.json`);
}

/** The hook as an order to the launcher. Its stdin is the file that was written before. */
export function planHook(
  order: OutputsOrder & { hook: string },
  token: number,
  settings: SpawnSettings,
): SpawnOrder {
  const script = {
    order,
    script: `exec <"$HOLDFAST_OUTPUTS"\n${order.hook}`,
    workDir: `work/outputs_${order.id}`,
    logs: outputsLogFiles(order),
    env: {
      HOLDFAST_EVENT: order.event,
      HOLDFAST_IDEMPOTENCY_KEY: order.idempotency_key,
      HOLDFAST_OUTPUTS: inputPath(order, settings),
    },
  };
  return scriptOrder(token, script, settings);
}
