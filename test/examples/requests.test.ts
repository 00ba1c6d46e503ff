import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesBeside } from '../../src/cli/spec-files.ts';
import type { JobModel } from '../../src/core/model/workflow-model.ts';
import { DEFAULT_ERROR_SETTINGS } from '../../src/core/request/error-settings.ts';
import { type PlannedUnit, planInventory, planRange } from '../../src/core/request/plan-units.ts';
import type { RequestModel } from '../../src/core/request/request-model.ts';
import { loadRequest } from '../../src/spec/request/load-request.ts';
import { roundWorkflow } from '../../src/spec/request/round-workflow.ts';
import { runCli } from '../cli/run-cli.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../examples/requests');
const SPECS = readdirSync(EXAMPLES).filter((name) => name.endsWith('.yaml'));

function loaded(name: string, cwd: string) {
  const file = join(cwd, name);
  const request = loadRequest(readFileSync(file, 'utf8'), name, filesBeside(file));
  if (!request.ok) throw new Error(JSON.stringify(request.problems));
  return request;
}

/** All units in one round, their commands run one after another; how often each job failed. */
function failuresOf(
  model: RequestModel,
  units: readonly PlannedUnit[],
  cwd: string,
): Record<string, number[]> {
  const { jobs } = roundWorkflow({
    model,
    settings: DEFAULT_ERROR_SETTINGS,
    overrides: {},
    version: 1,
    round: 1,
    firstUnit: 1,
    units,
    cwd,
    output_dir: 'output',
  }).model;
  const failures: Record<string, number[]> = {};
  for (const job of jobs) {
    const codes = run(job, cwd);
    if (codes.length > 0) failures[job.name] = codes;
  }
  return failures;
}

function run({ config }: JobModel, cwd: string): number[] {
  for (const path of config.output_files) mkdirSync(dirname(join(cwd, path)), { recursive: true });
  const codes: number[] = [];
  while (codes.length <= config.retry.max_retries_failure) {
    const { status } = spawnSync('bash', ['--norc', '-c', config.command], { cwd });
    if (status === 0) break;
    codes.push(status!);
  }
  return codes;
}

describe('examples of requests', () => {
  test.each(SPECS)('%s begins with what it shows, and is valid', async (name) => {
    expect(readFileSync(join(EXAMPLES, name), 'utf8')).toMatch(/^# [A-Z].{40,}\nkind: request\n/);
    const { code, stdout } = await runCli(['validate', name], { cwd: EXAMPLES });
    expect(code, stdout).toBe(0);
    expect(stdout).not.toContain('warning');
  });

  test('primes.yaml counts the prime numbers, and its first job recovers', () => {
    const cwd = mkdtempSync(join(tmpdir(), 'holdfast-request-'));
    const { model } = loaded('primes.yaml', EXAMPLES);
    if (model.work.kind !== 'range') throw new Error('not a range');
    const { units } = planRange(model.work, { cursor: 1n, delivered: 0n }, model.jobs_per_unit, 100);
    expect(failuresOf(model, units, cwd)).toEqual({ unit_000001_proc_01: [75] });
    const counts = readdirSync(join(cwd, 'primes/v1')).map((name) =>
      Number(readFileSync(join(cwd, 'primes/v1', name), 'utf8')),
    );
    expect(counts).toHaveLength(8);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(550);
  });

  test('readings.yaml fails for the damaged item only', () => {
    const cwd = mkdtempSync(join(tmpdir(), 'holdfast-request-'));
    cpSync(EXAMPLES, cwd, { recursive: true });
    const { model, items } = loaded('readings.yaml', cwd);
    const fresh = items!.map((item, index) => ({ id: index + 1, ...item }));
    const units = planInventory({ fresh, attempted: [] }, model.work.per_job, model.jobs_per_unit, 10);
    const processing = { ...model, merge: null, outputs: null };
    expect(failuresOf(processing, units, cwd)).toEqual({ unit_000002_proc_01: [21, 21] });
  });
});
