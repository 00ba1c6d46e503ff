import { describe, expect, test } from 'vitest';
import { DEFAULT_ALLOCATION_WORKER } from '../../src/core/allocation/scheduler.ts';
import { slurmSchedulerSchema } from '../../src/spec/schema/slurm-schema.ts';
import { workflowSpecSchema } from '../../src/spec/schema/workflow-schema.ts';
import { FakeSlurm } from '../slurm/fake-slurm.ts';
import { followPage } from './follow-page.ts';
import { codeWords, readText, sections, tableRows } from './markdown.ts';
import { ReaderShell } from './reader-shell.ts';

const page = readText('docs/slurm.md');
const mapped = tableRows(sections(page, 2).get('What maps to what')!);

describe('docs/slurm.md', () => {
  test('works when it is followed where Slurm is', { timeout: 60_000 }, async () => {
    const slurm = new FakeSlurm();
    expect(await followPage(page, new ReaderShell(slurm.env.PATH))).toEqual([]);
    slurm.down();
  });

  test('says what every key of a scheduler is for', () => {
    const reported = mapped.flatMap(([keys]) => codeWords(keys!));
    const missing = Object.keys(slurmSchedulerSchema.shape).filter(
      (key) => key !== 'name' && !reported.includes(key),
    );
    expect(missing).toEqual([]);
  });

  test('has the defaults of the keys about workers', () => {
    const { idle_ms, take_until_ms, end_before_ms } = DEFAULT_ALLOCATION_WORKER;
    const reported = mapped
      .filter(([key]) => key!.includes('compute_node_'))
      .map(([key, meaning]) => [codeWords(key!)[0], /\(default: (\w+)\)/.exec(meaning!)?.[1]]);
    expect(Object.fromEntries(reported)).toEqual({
      compute_node_wait_for_new_jobs_seconds: String(idle_ms / 1000),
      compute_node_min_time_for_new_jobs_seconds: String(take_until_ms / 1000),
      compute_node_expiration_buffer_seconds: String(end_before_ms / 1000),
      compute_node_ignore_workflow_completion: 'false',
    });
    for (const [key, value] of reported) {
      const schema = workflowSpecSchema.shape[key as 'compute_node_wait_for_new_jobs_seconds'];
      expect(String(schema.meta()?.default ?? ''), key).toBe(value);
    }
  });
});
