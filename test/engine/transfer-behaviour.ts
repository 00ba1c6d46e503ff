import { describe, expect, test } from 'vitest';
import type { ServedEngine } from '../../src/contract/engine.ts';
import { outcome } from '../../src/core/job/outcome.ts';
import { WORKFLOW_TABLES } from '../../src/store/rows/workflows/workflow-content.ts';
import { all, change } from '../../src/store/script.ts';
import { type Databases, type EngineWorld, worldOf } from './engine-world.ts';
import { content, exported, HERE, importLines, sealed } from './export-lines.ts';
import { simpleModel } from './simple-model.ts';

const ADA = { actor: 'ada' };

/** With rows in almost every table. */
const FULL = simpleModel(
  [
    { name: 'a', handler: 'patient', retry: { max_retries_failure: 1, initial_retry_delay_ms: 0 } },
    { name: 'b', after: ['a'], onSuccess: { run: ['called'] } },
    { name: 'called', onCall: true },
    { name: 'c', after: ['a'], retry: { max_retries_failure: 0 } },
    { name: 'd', after: ['c'] },
  ],
  { handlers: [{ name: 'patient', rules: [] }], usePendingFailed: true },
);

async function rowCounts(world: EngineWorld): Promise<Record<string, number>> {
  const store = await world.database.openStore();
  try {
    const counts: Record<string, number> = {};
    for (const table of [...WORKFLOW_TABLES.map(({ name }) => name), 'worker', 'audit']) {
      const [row] = await store.read(() => all<{ count: number }>(`select count(*) as count from ${table}`));
      counts[table] = row!.count;
    }
    return counts;
  } finally {
    await store.close();
  }
}

/** A run that failed, with logs, samples, a decision and a called step. */
export async function history(databases: Databases) {
  const world = await worldOf(FULL, databases);
  const engine = world.engine as ServedEngine;
  const worker = await world.remoteWorker();
  await worker.runReady({ a: 1 });
  world.clock.now += 1000;
  const [claim] = await worker.claim();
  await worker.exchange({ started: [claim!] });
  await worker.exchange({
    finished: [
      {
        claim: claim!,
        outcome: outcome({ exit_code: 0 }),
        samples: [{ at_ms: 0, rss_bytes: 1, cpu_ms: 1 }],
      },
    ],
  });
  await engine.putLogs(worker.id, [
    { token: claim!.token, stream: 'stderr', offset: 10, data: Buffer.from('the end é\0') },
  ]);
  while ((await worker.runReady({ c: 3 })).length > 0);
  const { id: job_id } = await world.job('c');
  await engine.resolve(world.workflowId, { ...ADA, decisions: [{ job_id, action: 'fail' }] });
  while ((await worker.runReady()).length > 0);
  await engine.retireWorker(worker.id);
  return { world, engine };
}

/** Something that happens once. */
function signal(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Exports and imports, on any database. */
export function transferBehaviour(databases: Databases): void {
  describe('an imported workflow', () => {
    test('has a new number, the whole history and its logs, and exports the same again', async () => {
      const { world, engine } = await history(databases);
      const lines = await exported(engine, world.workflowId);
      const record = await importLines(engine, lines);
      expect(record).toMatchObject({ cwd: HERE.cwd, output_dir: HERE.output_dir, job_count: 5 });
      expect(record.id).toBeGreaterThan(world.workflowId);
      const again = await exported(engine, record.id);
      expect(content(again)).toEqual(content(lines));
      expect(content(lines).decision).toHaveLength(1);
      expect(content(lines).call).toHaveLength(1);

      const log = await engine.readLog(record.id, { job: 'a', stream: 'stderr', attempt_id: 2 });
      expect(Buffer.from(log.data).toString()).toBe('the end é\0');
      expect(log.offset).toBe(10);
      expect(await engine.explain(record.id, 'd')).toMatchObject({ job: { status: 'canceled' } });
      const [last] = (await engine.listEvents(record.id, { limit: 1000 })).items.slice(-1);
      expect(last).toMatchObject({
        type: 'workflow_imported',
        actor: 'ada',
        data: { workflow_id: world.workflowId, cwd: world.dir, program: '1.2.3' },
      });
      // All of it belongs to it: deleting it leaves what was there before.
      await engine.deleteWorkflow(record.id, ADA);
      expect(await engine.status(world.workflowId)).toMatchObject({ complete: true });
    });

    test('is not claimed before it is run, and then runs what is left', async () => {
      const world = await worldOf(FULL, databases);
      const engine = world.engine as ServedEngine;
      const lines = await exported(engine, world.workflowId);
      const local = await importLines(engine, lines);
      const shared = await importLines(engine, lines, { ...HERE, shared: true });
      expect(shared.paused).toMatchObject({ actor: 'ada', reason: 'imported', stopping: false });
      const service = await world.another(FULL);
      const worker = await service.remoteWorker();
      const claims = await worker.claim();
      expect(claims.map(({ workflow_id }) => workflow_id)).toEqual([service.workflowId]);
      expect(await engine.status(local.id)).toMatchObject({ counts: { ready: 1, running: 0 } });
      await engine.adopt(local.id, worker.id);
      const { claims: own } = await engine.exchange(worker.id, {
        started: [],
        finished: [],
        errands: [],
        capacity: { cpus: 8, memory_bytes: 1e12, gpus: 0, slots: 8, default_cpus: 1 },
        workflow_id: local.id,
      });
      expect(own.map(({ job_name, workflow_id }) => [job_name, workflow_id])).toEqual([['a', local.id]]);
    });

    test('has lost the attempts that ran when it was exported, and tries them again', async () => {
      const world = await worldOf(FULL, databases);
      const engine = world.engine as ServedEngine;
      const worker = await world.remoteWorker();
      await worker.exchange({ started: await worker.claim() });
      await expect(exported(engine, world.workflowId)).rejects.toMatchObject({ code: 'RUN_ACTIVE' });
      world.passLease();
      const record = await importLines(engine, await exported(engine, world.workflowId));
      const { items } = await engine.listAttempts(record.id);
      expect(items).toMatchObject([{ state: 'WORKER_FAILED', cause: 'lost' }]);
      expect(await engine.getJob(record.id, 'a')).toMatchObject({ status: 'ready', preemption_count: 1 });
      // What the export was made of is as it was.
      expect(await world.job('a')).toMatchObject({ status: 'running' });
      const workers = (await engine.listWorkers()).items.filter(({ state }) => state !== 'retired');
      expect(workers.map(({ id }) => id)).toEqual([worker.id]);
    });
  });

  describe('an export', () => {
    test('is refused of what changes meanwhile, of a round, and of nothing', async () => {
      const { world, engine } = await history(databases);
      const lines: string[] = [];
      const note = { ...ADA, type: 'note' as const, reason: 'hello', data: {} };
      const exporting = async () => {
        for await (const line of engine.exportWorkflow(world.workflowId, '1')) {
          if (lines.length === 3) await engine.addEvent(world.workflowId, note);
          lines.push(line);
        }
      };
      await expect(exporting()).rejects.toMatchObject({ code: 'WORKFLOW_BUSY' });
      expect(lines.at(-1)).not.toContain('"end"');
      const store = await world.database.openStore();
      await store.write(() => change('update workflow set request_id = 1 where id = ?', world.workflowId));
      await store.close();
      await expect(exported(engine, world.workflowId)).rejects.toMatchObject({ code: 'ROUND_NOT_EXPORTED' });
      await expect(exported(engine, 99)).rejects.toMatchObject({ code: 'WORKFLOW_NOT_FOUND' });
    });
  });

  describe('an import', () => {
    test('of anything else is refused, and nothing is changed', async () => {
      const { world, engine } = await history(databases);
      const good = await exported(engine, world.workflowId);
      const before = await rowCounts(world);
      const at = (table: string) => good.findIndex((line) => line.startsWith(`{"table":"${table}"`));
      /** The first row of a table with one value changed. */
      const altered = (table: string, column: string, value: unknown) => {
        const columns = (JSON.parse(good[at(table)]!) as { columns: string[] }).columns;
        const row = JSON.parse(good[at(table) + 1]!) as unknown[];
        row[columns.indexOf(column)] = value;
        return sealed(good.with(at(table) + 1, JSON.stringify(row)));
      };
      const header = (change: object) =>
        sealed(good.with(0, JSON.stringify({ ...JSON.parse(good[0]!), ...change })));
      const config = (change: object) => {
        const columns = (JSON.parse(good[at('job')]!) as { columns: string[] }).columns;
        const text = (JSON.parse(good[at('job') + 1]!) as string[])[columns.indexOf('config')]!;
        return altered('job', 'config', JSON.stringify({ ...JSON.parse(text), ...change }));
      };
      const bad: [string, string[], RegExp][] = [
        ['nothing', [], /empty/],
        ['another file', ['{"name": "spec"}'], /not one that/],
        ['no JSON', ['hello'], /no JSON/],
        ['a newer version', header({ version: 3 }), /version 3/],
        ['an unknown key in the header', header({ more: 1 }), /header/],
        ['counts that do not fit', header({ counts: {} }), /rows of/],
        ['a changed byte', good.with(0, good[0]!.replace('1.2.3', '1.2.4')), /checksum/],
        ['something after the end', [...good, '[]'], /after the end/],
        ['a table twice', sealed(good.toSpliced(at('run'), 0, good[at('worker')]!)), /missing here/],
        [
          'an unknown table',
          sealed(good.with(at('run'), good[at('run')]!.replace('run', 'token'))),
          /missing/,
        ],
        [
          'an unknown column',
          sealed(good.with(at('run'), good[at('run')]!.replace('driver_id', 'secret_hash'))),
          /no column secret_hash/,
        ],
        ['a row that is too long', sealed(good.with(at('scope') + 1, '[1,2]')), /has 6 values/],
        ['text for a number', altered('job', 'status', '6'), /whole number/],
        ['a status that there is not', altered('job', 'status', 99), /contradict/],
        ['a job twice', altered('job', 'id', 2), /job 2 twice/],
        ['a foreign workflow', altered('job', 'workflow_id', 12_345), /workflow 12345/],
        ['a missing worker', altered('attempt', 'worker_id', 12_345), /worker 12345/],
        ['a missing requirement', altered('job', 'requirement_id', 12_345), /requirement 12345/],
        ['a missing run', altered('workflow', 'run_id', 7), /contradict|no run/],
        ['broken JSON', altered('job', 'config', '{"command":'), /no JSON/],
        ['a config that is none', config({ command: 7 }), /command/],
        ['an environment of numbers', config({ env: { A: 1 } }), /env/],
        ['limits that are none', altered('workflow', 'limits', '[]'), /limits/],
        ['an event that there is not', altered('event', 'type', 'rm -rf'), /event.type/],
        ['an outcome that is none', altered('attempt', 'outcome', '{}'), /outcome/],
        ['a log that is too long', altered('attempt_log', 'data', 'A'.repeat(400_000)), /too long/],
        ['a log that is no base64', altered('attempt_log', 'data', '%%%%'), /base64/],
      ];
      for (const [what, lines, problem] of bad) {
        const refused = await importLines(engine, lines).then(
          () => `imported ${what}`,
          ({ code, message }) => `${code} ${message}`,
        );
        expect([what, refused]).toEqual([what, expect.stringMatching(problem)]);
        expect([what, refused]).toEqual([what, expect.stringMatching(/^INVALID_EXPORT/)]);
      }
      for (let length = 1; length < good.length; length += 7) {
        await expect(importLines(engine, good.slice(0, length))).rejects.toMatchObject({
          code: 'INVALID_EXPORT',
        });
      }
      expect(await rowCounts(world)).toEqual(before);
      expect((await importLines(engine, good)).id).toBeGreaterThan(world.workflowId);
    });

    test('whose file changes between its two readings leaves nothing behind', async () => {
      const { world, engine } = await history(databases);
      const good = await exported(engine, world.workflowId);
      const before = await rowCounts(world);
      let readings = 0;
      const open = async function* () {
        readings += 1;
        yield* readings === 1 ? good : good.slice(0, -1);
      };
      await expect(engine.importWorkflow(open, HERE)).rejects.toMatchObject({ code: 'INVALID_EXPORT' });
      expect(await rowCounts(world)).toEqual(before);
      expect((await engine.listWorkflows()).items).toHaveLength(1);
    });

    test('that stops halfway is hidden, given up after a while, and leaves nothing behind', async () => {
      const { world, engine } = await history(databases);
      const good = await exported(engine, world.workflowId);
      const before = await rowCounts(world);
      const halfway = signal();
      const resumed = signal();
      let readings = 0;
      const open = async function* () {
        readings += 1;
        const isSecond = readings === 2;
        for (const line of good) {
          if (isSecond && line.startsWith('{"table":"event"')) {
            halfway.resolve();
            await resumed.promise;
          }
          yield line;
        }
      };
      const importing = engine.importWorkflow(open, HERE).catch((error: unknown) => error);
      await halfway.promise;
      expect((await rowCounts(world)).workflow).toBe(2);
      expect((await engine.listWorkflows()).items).toHaveLength(1);
      await engine.sweep();
      expect((await rowCounts(world)).workflow).toBe(2);
      world.clock.now += 61_000;
      await engine.sweep();
      expect(await rowCounts(world)).toEqual({ ...before, worker: before.worker! + 1 });
      resumed.resolve();
      expect(await importing).toMatchObject({ code: 'STORE_FAILED' });
      expect(await rowCounts(world)).toEqual(before);
    });
  });
}
