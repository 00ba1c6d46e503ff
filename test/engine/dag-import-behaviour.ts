import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readEvidence } from '../../src/clusters/htcondor/read/read-evidence.ts';
import type { JobRecord } from '../../src/contract/records/records.ts';
import type { Databases } from './engine-world.ts';
import { ADA, requestWorld } from './request-world.ts';

const SAMPLES = join(import.meta.dirname, '../htcondor/samples');

async function imported(databases: Databases, sample: string, name = 'theirs') {
  const { engine } = await requestWorld(databases);
  const evidence = readEvidence(join(SAMPLES, sample));
  const request = await engine.importDag({ name, evidence, ...ADA });
  const workflow = request.rounds[0]!.workflow_id;
  const { items } = await engine.listJobs(workflow, { limit: 1000 });
  const statuses = Object.fromEntries(items.map((job: JobRecord) => [job.name, job.status]));
  return { engine, evidence, request, workflow, statuses };
}

export function dagImportBehaviour(databases: Databases): void {
  describe('a DAG that is imported', () => {
    test('is a request that has failed, with its units, jobs and errors by category, site and fingerprint', async () => {
      const { engine, request, workflow, statuses } = await imported(databases, 'failures');
      expect(request).toMatchObject({
        request_name: 'theirs',
        status: 'FAILED',
        executor: 'htcondor',
        rounds: [{ number: 1, state: 'PARTIAL', units: { total: 3, done: 1, failed: 2, not_run: 0 } }],
      });
      expect(statuses).toEqual({
        'u000001/proc_000001': 'completed',
        'u000002/proc_000001': 'failed',
        'u000003/proc_000001': 'failed',
      });
      const errors = await engine.requestErrors('theirs', {});
      expect(errors).toMatchObject({ by_category: { permanent: 1, transient: 1 }, failure_ratio: 2 / 3 });
      expect(Object.values(errors.by_site).reduce((sum, { failed }) => sum + failed, 0)).toBe(3);
      expect(errors.groups).toHaveLength(2);
      expect(errors.groups.map(({ log_tail }) => log_tail)).toContain('no such option: --fast');
      const { items } = await engine.listAttempts(workflow, { limit: 1000 });
      expect(
        items.map(({ job_name, attempt_id, verdict }) => `${job_name} ${attempt_id} ${verdict}`).sort(),
      ).toEqual([
        'u000001/proc_000001 1 complete',
        'u000002/proc_000001 1 fail',
        'u000003/proc_000001 1 retry',
        'u000003/proc_000001 2 fail',
      ]);
      const query = { job: 'u000002/proc_000001', stream: 'stderr' as const };
      expect(Buffer.from((await engine.readLog(workflow, query)).data).toString()).toBe(
        'no such option: --fast\n',
      );
      const { headline } = await engine.explain(workflow, 'u000003/proc_000001');
      expect(headline).toMatch(/^failed/);
    });

    test('of another user has its nodes and the attempts that their log has', async () => {
      const { engine, request, evidence, statuses } = await imported(databases, 'foreign');
      const { counts } = evidence;
      expect(request.rounds[0]!.units).toEqual(counts);
      const count = (status: string) => Object.values(statuses).filter((each) => each === status).length;
      expect(count('failed') + count('terminated')).toBeGreaterThan(0);
      const errors = await engine.requestErrors('theirs', {});
      expect(errors.groups.length).toBeGreaterThan(0);
      expect(errors.groups.some(({ log_tail }) => log_tail !== '')).toBe(true);
    });

    test.each(['aborted', 'removed', 'halted', 'error', 'rescued'])(
      'and was %s has the counts of its files: what never ran has not failed',
      async (sample) => {
        const { request, evidence, statuses } = await imported(databases, sample);
        expect(request.rounds[0]!.units).toEqual(evidence.counts);
        expect(Object.values(statuses)).not.toContain('ready');
      },
    );

    test('can be looked at and nothing else: it is not run, released, restarted or retried', async () => {
      const { engine, workflow } = await imported(databases, 'failures');
      await expect(engine.releaseRequest('theirs', ADA)).rejects.toMatchObject({ code: 'REQUEST_STATE' });
      await expect(engine.restartRequest('theirs', ADA)).rejects.toMatchObject({ code: 'REQUEST_STATE' });
      await expect(engine.retryJob(workflow, 'u000002/proc_000001', ADA)).rejects.toMatchObject({
        httpStatus: 409,
      });
      expect(await engine.tendRequests({ most_active: 10 })).toBe(false);
    });

    test('a second time is the next version, and a name in use is refused and stores nothing', async () => {
      const { engine, evidence } = await imported(databases, 'failures');
      const again = await engine.importDag({ name: 'theirs', evidence, ...ADA });
      expect(again).toMatchObject({ request_name: 'theirs', version: 2 });
      await expect(engine.importDag({ name: 'a/b', evidence, ...ADA })).rejects.toMatchObject({
        code: 'DAG_UNREADABLE',
      });
      expect((await engine.listRequests({})).items).toHaveLength(2);
    });
  });
}
