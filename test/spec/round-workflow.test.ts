import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_JOB_CONFIG } from '../../src/core/model/workflow-model.ts';
import { DEFAULT_ROUTING } from '../../src/core/policy/routes.ts';
import { DEFAULT_ERROR_SETTINGS } from '../../src/core/request/error-settings.ts';
import { type OpenItem, planInventory, planRange } from '../../src/core/request/plan-units.ts';
import type { RequestModel } from '../../src/core/request/request-model.ts';
import { type RoundInput, roundWorkflow } from '../../src/spec/request/round-workflow.ts';
import { bindUserData } from '../../src/spec/template/user-data-placeholders.ts';
import { INVENTORY, RANGE, RULES, requestOf } from './request-text.ts';

function inputOf(model: RequestModel, more: Partial<RoundInput>): RoundInput {
  return {
    model,
    settings: DEFAULT_ERROR_SETTINGS,
    overrides: {},
    version: 1,
    round: 1,
    firstUnit: 1,
    units: [],
    cwd: '/work',
    output_dir: 'output',
    ...more,
  };
}

const openItems = (paths: readonly string[]): OpenItem[] =>
  paths.map((path, index) => ({ id: index + 1, path, group: null }));

const assigned = (values: Record<string, string>, script: string) =>
  Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('') + script;

describe('a round of a range', () => {
  const { model } = requestOf(RANGE, { 'rules/simulation.yaml': RULES });
  const { work } = model;
  if (work.kind !== 'range') throw new Error('not a range');
  const plan = planRange({ total: 2300n, per_job: 250 }, { cursor: 5001n, delivered: 0n }, 4, 3);
  const round = roundWorkflow(inputOf(model, { version: 2, round: 3, firstUnit: 51, units: plan.units }));

  it('has the jobs of each unit, their names and dependencies', () => {
    const { jobs, dependencySets, countedSets } = round.model;
    const nameOf = (index: number) => jobs[index]!.name;
    const listed = jobs.map(({ name, dependencySet }) => [
      name,
      dependencySet === null ? [] : dependencySets[dependencySet]!.members.map(nameOf),
    ]);
    const procs = ['01', '02', '03', '04'].map((part) => `unit_000051_proc_${part}`);
    expect(listed.slice(0, 6)).toEqual([
      ...procs.map((name) => [name, []]),
      ['unit_000051_merge', procs],
      ['unit_000051_cleanup', ['unit_000051_merge']],
    ]);
    expect(listed.slice(12).map(([name]) => name)).toEqual([
      'unit_000053_proc_01',
      'unit_000053_proc_02',
      'unit_000053_merge',
      'unit_000053_cleanup',
    ]);
    expect(countedSets).toEqual(round.units.map(({ set }) => set));
    expect(round.units.map(({ set }) => dependencySets[set]!.members.map(nameOf))).toEqual([
      [...procs, 'unit_000051_merge'],
      [...procs, 'unit_000051_merge'].map((name) => name.replace('51', '52')),
      ['unit_000053_proc_01', 'unit_000053_proc_02', 'unit_000053_merge'],
    ]);
  });

  it('has the numbers and the output of each unit', () => {
    expect(round.units).toEqual([
      {
        number: 51,
        set: 2,
        first: 5001n,
        last: 6000n,
        count: 1000n,
        item_ids: [],
        output: 'data/minbias-2026/v2/51.root',
        outputs: ['data/minbias-2026/v2/51.root'],
      },
      {
        number: 52,
        set: 5,
        first: 6001n,
        last: 7000n,
        count: 1000n,
        item_ids: [],
        output: 'data/minbias-2026/v2/52.root',
        outputs: ['data/minbias-2026/v2/52.root'],
      },
      {
        number: 53,
        set: 8,
        first: 7001n,
        last: 7300n,
        count: 300n,
        item_ids: [],
        output: 'data/minbias-2026/v2/53.root',
        outputs: ['data/minbias-2026/v2/53.root'],
      },
    ]);
  });

  it('is an ordinary workflow', () => {
    const { jobs, dependencySets: _, countedSets: __, failureHandlers, ...rest } = round.model;
    const { rulebook } = model;
    expect(failureHandlers).toEqual(rulebook === null ? [] : [{ name: 'rulebook', rules: rulebook.rules }]);
    expect(rest).toEqual({
      name: 'minbias-2026-v2-round-3',
      description: null,
      user: null,
      project: null,
      metadata: { request: 'minbias-2026', version: 2, round: 3 },
      variables: {},
      limits: {},
      maxParallel: null,
      claimOrder: 'none',
      usePendingFailed: false,
      actions: [],
      userData: [],
      routing: DEFAULT_ROUTING,
      requirements: [model.process.requirement, model.merge!.requirement],
      dependencyReasons: [],
    });
    const directory = 'output/requests/minbias-2026/v2/unit_000051';
    expect(jobs[1]).toEqual({
      name: 'unit_000051_proc_02',
      scope: '',
      priority: 100,
      cancelOnBlockingJobFailure: true,
      dependencySet: null,
      requirement: 0,
      config: {
        ...DEFAULT_JOB_CONFIG,
        command: assigned(
          { HF_1: "'5251'", HF_2: "'5500'", HF_3: `'${directory}/proc_02.root'` },
          './simulate --first "${HF_1}" --last "${HF_2}" --out "${HF_3}"',
        ),
        timeout_ms: 1_800_000,
        retry: model.process.retry,
        output_files: [`${directory}/proc_02.root`],
        post: {
          kind: 'builtin',
          directory: 'output/requests/minbias-2026/v2/round_003',
          node: null,
          rulebook: rulebook === null ? null : 'rulebook',
          items: [],
          permanent_code: 42,
          abort_code: 43,
        },
      },
    });
    const inputs = ['01', '02', '03', '04'].map((part) => `${directory}/proc_${part}.root`);
    expect(jobs[4]).toMatchObject({
      requirement: 1,
      config: {
        command: assigned(
          {
            HF_1: `(${inputs.map((path) => `'${path}'`).join(' ')})`,
            HF_1_TEXT: '"${HF_1[*]}"',
            HF_2: "'data/minbias-2026/v2/51.root'",
          },
          './merge "${HF_1[@]}" > "${HF_2}"',
        ),
        input_files: inputs,
        output_files: ['data/minbias-2026/v2/51.root'],
        continue_on_failure: false,
      },
    });
    expect(jobs[5]).toMatchObject({
      requirement: 1,
      config: {
        output_files: [],
        input_files: inputs,
        continue_on_failure: true,
        retry: model.cleanup!.retry,
      },
    });
  });

  it('has the memory, retries and cool-off of a release', () => {
    const { jobs, requirements } = roundWorkflow(
      inputOf(model, {
        units: plan.units,
        overrides: { memory_bytes: 6 * 1024 ** 3, retries: 5 },
        settings: { ...DEFAULT_ERROR_SETTINGS, cooloff_base_sec: 1 },
      }),
    ).model;
    const facts = [0, 4, 5].map((index) => {
      const { requirement, config } = jobs[index]!;
      const { max_retries_failure, initial_retry_delay_ms } = config.retry;
      return [requirements[requirement]!.memory_bytes, max_retries_failure, initial_retry_delay_ms];
    });
    expect(facts).toEqual([
      [6 * 1024 ** 3, 5, 1000],
      [null, 5, 1000],
      [null, 2, 1000],
    ]);
  });

  it('is exact beyond 2^53', () => {
    const far = planRange({ total: 500n, per_job: 250 }, { cursor: 2n ** 53n + 1n, delivered: 0n }, 4, 1);
    const { units, model: workflow } = roundWorkflow(inputOf(model, { units: far.units }));
    expect(units[0]).toMatchObject({ first: 9007199254740993n, last: 9007199254741492n });
    expect(workflow.jobs[1]!.config.command).toContain("HF_1='9007199254741243'\nHF_2='9007199254741492'\n");
  });

  it('of 10,000 jobs is built in well under a second', () => {
    const { units } = planRange({ total: 10n ** 12n, per_job: 250 }, { cursor: 1n, delivered: 0n }, 4, 1667);
    const started = performance.now();
    const { model: workflow } = roundWorkflow(inputOf(model, { units }));
    const ms = performance.now() - started;
    expect(workflow.jobs).toHaveLength(10_002);
    expect(new Set(workflow.jobs.map(({ name }) => name)).size).toBe(10_002);
    // Measured: 0.1 s; the bound allows for a busy machine.
    expect(ms).toBeLessThan(3_000);
  });
});

describe('a round of an inventory', () => {
  it('has the items of each job, and the ids of each unit', () => {
    const { model } = requestOf(INVENTORY, { 'lists/2025B.txt': 'x' });
    const paths = Array.from({ length: 13 }, (_, index) => `f${index + 1}`);
    const units = planInventory({ fresh: openItems(paths), attempted: [] }, 2, 5, 10);
    const { model: workflow, units: planned } = roundWorkflow(inputOf(model, { units }));
    expect(workflow.jobs.map(({ name }) => name)).toEqual([
      ...['01', '02', '03', '04', '05'].map((part) => `unit_000001_proc_${part}`),
      'unit_000001_merge',
      'unit_000002_proc_01',
      'unit_000002_proc_02',
      'unit_000002_merge',
    ]);
    const directory = 'output/requests/reprocess-2025B/v1/unit_000002';
    expect(planned[1]).toEqual({
      number: 2,
      set: 3,
      first: null,
      last: null,
      count: 3n,
      item_ids: [11, 12, 13],
      output: `${directory}/merge`,
      outputs: [`${directory}/merge`],
    });
    expect(workflow.jobs[7]!.config.command).toBe(
      assigned(
        { HF_1: "('f13')", HF_1_TEXT: '"${HF_1[*]}"', HF_2: `'${directory}/proc_02'` },
        './reco "${HF_1[@]}" -o "${HF_2}"',
      ),
    );
  });
});

describe('a unit without merge', () => {
  const spec = (more: string) =>
    `kind: request\nname: a\nwork: { range: { total: 10, per_job: 5 } }\nprocess: { command: "x > {output}" }\n${more}`;

  it('delivers what its only job writes, and its set is that of the cleanup', () => {
    const { model } = requestOf(spec('outputs: "o/{unit}"\ncleanup: { command: "true" }\npost: ./judge\n'));
    const { units } = planRange({ total: 10n, per_job: 5 }, { cursor: 1n, delivered: 0n }, 1, 1);
    const round = roundWorkflow(inputOf(model, { units }));
    expect(round.units).toMatchObject([{ set: 0, output: 'o/1', outputs: ['o/1'] }]);
    expect(round.model.dependencySets).toHaveLength(1);
    expect(round.model.jobs.map(({ dependencySet }) => dependencySet)).toEqual([null, 0]);
    expect(round.model.jobs[0]!.config).toMatchObject({
      output_files: ['o/1'],
      post: { command: './judge', timeout_ms: 600_000 },
    });
  });

  it('delivers what all of its jobs write', () => {
    const { model } = requestOf(spec('jobs_per_unit: 2\n'));
    const { units } = planRange({ total: 10n, per_job: 5 }, { cursor: 1n, delivered: 0n }, 2, 1);
    const directory = 'output/requests/a/v1/unit_000001';
    expect(roundWorkflow(inputOf(model, { units })).units).toMatchObject([
      { output: null, outputs: [`${directory}/proc_01`, `${directory}/proc_02`] },
    ]);
  });

  it('has absolute paths in a job with a directory of its own', () => {
    const { model } = requestOf(spec('merge: { command: "cat {inputs} > {output}", cwd: sub }\n'));
    const { units } = planRange({ total: 5n, per_job: 5 }, { cursor: 1n, delivered: 0n }, 1, 1);
    const { jobs } = roundWorkflow(inputOf(model, { units })).model;
    const directory = 'output/requests/a/v1/unit_000001';
    expect(jobs[0]!.config.output_files).toEqual([`${directory}/proc_01`]);
    expect(jobs[1]!.config).toMatchObject({
      cwd: 'sub',
      input_files: [`/work/${directory}/proc_01`],
      output_files: [`/work/${directory}/merge`],
    });
  });
});

describe('hostile names of items', () => {
  let world: string;
  beforeEach(() => {
    world = mkdtempSync(join(tmpdir(), 'holdfast-items-'));
    mkdirSync(join(world, 'bin'));
    mkdirSync(join(world, 'home'));
    writeFileSync(join(world, 'bin', 'show'), '#!/bin/sh\nprintf \'%s\\0\' "$#" "$@" >> "$WORLD/got"\n', {
      mode: 0o755,
    });
  });
  afterEach(() => rmSync(world, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));

  const NAMES = [
    'a b  c',
    `it's "quoted" '"'"' \\' \\"`,
    '$(touch canary)',
    '`touch canary`',
    '"; touch canary; #',
    "'; touch canary; #",
    '-rf',
    '--',
    '-n',
    '*',
    '~root',
    '{a,b}',
    '{first} {items}',
    '$HF_1 ${HF_1[@]} ${HF_1_TEXT}',
    '${user_data.input.x}',
    '${user_data.output.y} and ${user_data.input.x}',
    '{{ outputs.x }}',
    'a\tb',
    'back\\slash\\',
    '!history',
    '\u{1F600} é',
    '=x',
    '%s\\n',
  ];

  /** What the program gets when all items are in one job. */
  function callOf(command: string): string[] {
    const text = `kind: request\nname: a\nwork: { items: [x], per_job: 100 }\nprocess: { command: ${JSON.stringify(command)} }\n`;
    const { model } = requestOf(text);
    const units = planInventory({ fresh: openItems(NAMES), attempted: [] }, 100, 1, 1);
    const { jobs } = roundWorkflow(inputOf(model, { units })).model;
    // As the worker does it.
    const bound = bindUserData(jobs[0]!.config.command, {}, () => 'nowhere');
    if (!bound.ok) throw new Error(bound.problem);
    const file = join(world, 'script.sh');
    writeFileSync(file, bound.script);
    execFileSync('bash', ['--norc', file], {
      cwd: join(world, 'home'),
      env: { PATH: `${join(world, 'bin')}:${process.env.PATH}`, WORLD: world },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    expect(readdirSync(join(world, 'home'))).toEqual([]);
    return readFileSync(join(world, 'got'), 'utf8').split('\0').slice(1, -1);
  }

  const joined = NAMES.join(' ');
  it.each<[string, string, string[]]>([
    ['without quotes', 'show {items}', NAMES],
    ['after the end of options', 'show -- {items}', ['--', ...NAMES]],
    ['in double quotes', 'show "<{items}>"', [`<${joined}>`]],
    ['in single quotes', "show '<$x {items}>'", [`<$x ${joined}>`]],
    ["in $'…'", "show $'<\\t{items}>'", [`<\t${joined}>`]],
    ['in a loop', 'v=(); for n in {items}; do v+=("$n"); done; show "${v[@]}"', NAMES],
    ['in an array', 'v=({items}); show "${v[@]}"', NAMES],
    ['in a substitution', 'show "$(printf "[%s]" {items})"', [NAMES.map((name) => `[${name}]`).join('')]],
    ['in an assignment', 'v={items}; show "$v"', [joined]],
    ['where words are split otherwise', "IFS=/; show {items} '{items}'", [...NAMES, joined]],
    ['in a function', 'f() { show "$@"; }; f {items}', NAMES],
    ['through a pipe', "printf '%s\\0' {items} | xargs -0 show", NAMES],
    ['in a comment', 'show {count} # {items}', [String(NAMES.length)]],
  ])('reach the program as they are %s', (_, command, expected) => {
    expect(callOf(command)).toEqual(expected);
  });
});
