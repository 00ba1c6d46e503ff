import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DagSettings } from '../../src/clusters/htcondor/export/dag-plan.ts';
import { planRoundDag, planWorkflowDag } from '../../src/clusters/htcondor/export/plan-dag.ts';
import { renderDag } from '../../src/clusters/htcondor/export/render-dag.ts';
import { sitesText } from '../../src/clusters/htcondor/export/sites-text.ts';
import { classAdString, submitValue } from '../../src/clusters/htcondor/export/submit-words.ts';
import { inexpressible } from '../../src/core/dag/inexpressible.ts';
import { nodeNames } from '../../src/core/dag/node-names.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { loadRequest } from '../../src/spec/request/load-request.ts';
import { roundWorkflow } from '../../src/spec/request/round-workflow.ts';

const SETTINGS: DagSettings = {
  unless_exit_code: 42,
  abort_dag_code: 43,
  cooloff_base_sec: 60,
  hold_timeout_ms: 600_000,
  program: ['node', '/opt/hold fast/bin/holdfast.js'],
  submit_lines: ['accounting_group = physics'],
};
const SITES = { attribute: 'GLIDEIN_Site', allowed: null, banned: [] };

const REQUEST = `kind: request
name: minbias
priority: 7
work: { range: { total: 12, first: 1, per_job: 2 } }
jobs_per_unit: 2
round: { first_units: 2 }
process:
  command: ./simulate {first} {last} > {output}
  resource_requirements: { num_cpus: 2, memory: 2g, runtime: 30m }
merge: { command: "cat {inputs} > {output}" }
cleanup: { command: "rm -f {inputs}" }
outputs: data/{unit}.root
`;

function round(text = REQUEST, settings = SETTINGS) {
  const loaded = loadRequest(text, 'request.yaml', { readText: () => '', listFiles: () => [] });
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'));
  const { model } = roundWorkflow({
    model: loaded.model,
    settings,
    overrides: {},
    version: 1,
    round: 1,
    firstUnit: 1,
    units: [
      {
        kind: 'range',
        jobs: [
          { first: 1n, last: 2n },
          { first: 3n, last: 4n },
        ],
      },
      {
        kind: 'range',
        jobs: [
          { first: 5n, last: 6n },
          { first: 7n, last: 8n },
        ],
      },
    ],
    cwd: '/work',
    output_dir: '/work/output',
  });
  return renderDag(
    planRoundDag({
      model,
      settings,
      sites: SITES,
      cwd: '/work',
      request: { name: 'minbias', version: 1, round: 1 },
      rulebook: loaded.model.rulebook,
    }),
  );
}

function modelOf(text: string) {
  const loaded = loadSpec(text, 'spec.yaml');
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'));
  return loaded.model;
}

function workflow(text: string, cwd = '/work') {
  return renderDag(planWorkflowDag({ model: modelOf(text), settings: SETTINGS, sites: SITES, cwd }));
}

const linesOf = (text: string | undefined) => text!.trimEnd().split('\n');

describe('the directory of a round', () => {
  test('has the files of each node in the directory of its unit', () => {
    const files = [...round().keys()].sort();
    expect(files.filter((name) => !name.includes('/'))).toEqual([
      'dagman.config',
      'post',
      'round.dag',
      'run.json',
      'sites.inc',
    ]);
    const node = (name: string) =>
      ['command', 'node.json', 'override', 'sh', 'sub'].map((end) => `u000001/${name}.${end}`);
    expect(files.filter((name) => name.startsWith('u000001/'))).toEqual(
      ['cleanup', 'merge', 'proc_000001', 'proc_000002'].flatMap(node).concat('u000001/u000001.dag'),
    );
  });

  test('every node has RETRY, UNLESS-EXIT, a deferred POST script with six macros, and ABORT-DAG-ON', () => {
    expect(linesOf(round().get('u000002/u000002.dag'))).toEqual([
      'CONFIG ../dagman.config',
      ...[
        ['proc_000001', 3],
        ['proc_000002', 3],
        ['merge', 2],
        ['cleanup', 2],
      ].flatMap(([node, retries]) => [
        `JOB ${node} ${node}.sub`,
        `RETRY ${node} ${retries} UNLESS-EXIT 42`,
        `SCRIPT DEFER 75 15 POST ${node} ../post $JOB $RETURN $RETRY $MAX_RETRIES $DAG_STATUS $FAILED_COUNT`,
        `ABORT-DAG-ON ${node} 43 RETURN 1`,
        `PRIORITY ${node} 7`,
      ]),
      'PARENT proc_000001 proc_000002 CHILD merge',
      'PARENT merge CHILD cleanup',
      'NODE_STATUS_FILE u000002.status 10 ALWAYS-UPDATE',
      'JOBSTATE_LOG u000002.jobstate.log',
    ]);
  });

  test('a unit is a SUBDAG EXTERNAL whose POST script passes an abort on', () => {
    const lines = linesOf(round().get('round.dag')).filter((line) => !line.startsWith('#'));
    expect(lines).toEqual([
      'CONFIG dagman.config',
      ...['u000001', 'u000002'].flatMap((unit) => [
        `SUBDAG EXTERNAL ${unit} ${unit}.dag DIR ${unit}`,
        `SCRIPT POST ${unit} ../post $JOB $RETURN $RETRY $MAX_RETRIES $DAG_STATUS $FAILED_COUNT --unit`,
        `ABORT-DAG-ON ${unit} 43 RETURN 1`,
      ]),
      'NODE_STATUS_FILE round.status 10 ALWAYS-UPDATE',
      'JOBSTATE_LOG round.jobstate.log',
    ]);
  });

  test('exit codes are settings', () => {
    const files = round(REQUEST, {
      ...SETTINGS,
      unless_exit_code: 77,
      abort_dag_code: 78,
      cooloff_base_sec: 1,
    });
    expect(files.get('u000001/u000001.dag')).toContain('RETRY merge 2 UNLESS-EXIT 77');
    expect(files.get('u000001/u000001.dag')).toContain('SCRIPT DEFER 75 1 POST merge');
    expect(files.get('round.dag')).toContain('ABORT-DAG-ON u000001 78 RETURN 1');
    expect(files.get('post')).toContain('--unless-exit-code 77 --abort-dag-code 78 --cooloff-base-sec 1');
  });

  test('a submit file asks for what the job needs, is removed when held, and includes sites and overrides', () => {
    const lines = linesOf(round().get('u000001/proc_000001.sub'));
    expect(lines).toEqual(
      expect.arrayContaining([
        'executable = proc_000001.sh',
        'request_cpus = 2',
        'request_memory = 2048',
        '+HoldfastTimeLimit = 1800',
        'accounting_group = physics',
      ]),
    );
    expect(lines.find((line) => line.startsWith('periodic_remove'))).toContain(
      '(JobStatus == 5 && time() - EnteredCurrentStatus > 600)',
    );
    expect(lines.slice(-4)).toEqual([
      'include : ../sites.inc',
      'requirements = $(holdfast_sites)',
      'include : proc_000001.override',
      'queue',
    ]);
    expect(round().get('u000001/proc_000001.override')).toBe('');
  });

  test('sites are required, and banned ones are excluded beside them', () => {
    expect(sitesText({ attribute: 'Site', allowed: ['a', 'b'], banned: ['b', 'c"d'] })).toContain(
      'holdfast_sites = (TARGET.Site =?= "a" || TARGET.Site =?= "b") && (TARGET.Site =!= "b") && (TARGET.Site =!= "c\\"d")\n',
    );
    expect(sitesText({ attribute: 'Site', allowed: null, banned: [] })).toContain('holdfast_sites = true\n');
    expect(sitesText({ attribute: 'Site', allowed: [], banned: [] })).toContain('holdfast_sites = (false)\n');
  });
});

describe('the directory of a workflow', () => {
  const SPEC = `name: study
limits: { licence: 2 }
jobs:
  - { name: make, command: echo 1 }
  - { name: "use it", command: echo 2, depends_on: [make], resources: { licence: 1 } }
  - { name: parent, command: echo 3, depends_on: [make] }
`;

  test('is one DAG of its jobs, whose names DAGMan takes', () => {
    const dag = workflow(SPEC).get('workflow.dag')!;
    expect(dag).toContain('JOB make make.sub\n');
    expect(dag).toContain('JOB n000002_use_it n000002_use_it.sub\n');
    expect(dag).toContain('PARENT make CHILD n000002_use_it n000003_parent\n');
    expect(dag).toContain('POST make ./post $JOB');
  });

  test('has only the jobs that are left, with the names that they have in the whole', () => {
    const loaded = loadSpec(SPEC, 'flow.yaml');
    if (!loaded.ok) throw new Error('the spec is wrong');
    const input = { model: loaded.model, settings: SETTINGS, sites: SITES, cwd: '/work', jobs: [1, 2] };
    const dag = renderDag(planWorkflowDag(input)).get('workflow.dag')!;
    expect(dag.match(/^JOB \S+/gm)).toEqual(['JOB n000002_use_it', 'JOB n000003_parent']);
    expect(dag).not.toContain('PARENT');
  });

  test('counting resources are categories', () => {
    const dag = workflow(SPEC).get('workflow.dag')!;
    const [, category] = /^CATEGORY n000002_use_it (\S+)$/m.exec(dag)!;
    expect(dag).toContain(`MAXJOBS ${category} 2\n`);
  });

  test('names of nodes are unique words, whatever the jobs are called', () => {
    const hostile = [
      'a',
      'a.b',
      'a b',
      'a+b',
      '../x',
      'PARENT',
      'child',
      '',
      'n000001_a',
      'ü',
      '$(x)',
      'x\ny',
      'a\\',
    ];
    const names = nodeNames(hostile);
    expect(new Set(names).size).toBe(hostile.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z][\w-]*$/);
    expect(names[0]).toBe('a');
  });
});

describe('quoting', () => {
  const HOSTILE = [
    `it's "quoted"`,
    '$(rm -rf ~) `id` $HOME ${PATH}',
    'back\\slash\\',
    'two\nlines',
    ' blanks  around ',
    '-n',
    "'; exit 3; '",
    '%s !! * ? [a] {b}',
    'ünïcödé ✓',
    '#no comment',
  ];

  /** Runs the program of a node as HTCondor would: in the directory of its files. */
  function runNode(files: Map<string, string>, node: string): string {
    const directory = mkdtempSync(join(tmpdir(), 'node-'));
    for (const [path, text] of files) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text, { mode: 0o755 });
    }
    return execFileSync(join(directory, `${node}.sh`), { cwd: directory, encoding: 'utf8' });
  }

  test('variables and commands reach the job as they were written', () => {
    const env = Object.fromEntries(HOSTILE.map((value, index) => [`V${index}`, value]));
    const command = `for n in ${HOSTILE.map((_, index) => `V${index}`).join(' ')}; do printf '<%s>' "\${!n}"; done; echo 'a '"'"' b' "c"`;
    const cwd = mkdtempSync(join(tmpdir(), "it's $HOME "));
    const spec = JSON.stringify({ name: 'x', jobs: [{ name: 'a', command: `${command}; pwd`, env }] });
    const printed = runNode(workflow(spec, cwd), 'a');
    expect(printed).toBe(`${HOSTILE.map((value) => `<${value}>`).join('')}a ' b c\n${cwd}\n`);
  });

  test('the shell of a job runs its command', () => {
    const cwd = mkdtempSync(join(tmpdir(), 'cwd-'));
    const node = (command: string, shell: unknown) =>
      runNode(workflow(JSON.stringify({ name: 'x', jobs: [{ name: 'a', command, shell }] }), cwd), 'a');
    expect(node('false | cat; echo on', 'bash')).toBe('on\n');
    expect(() => node('false | cat; echo on', 'strict')).toThrow(/Command failed/);
    const code = `console.log("it's $HOME", 6 * 7)`;
    expect(node(code, ['node', '-e'])).toBe("it's $HOME 42\n");
    expect(node(`${code} // ${'x'.repeat(200_000)}`, ['node', '-e'])).toBe("it's $HOME 42\n");
  });

  test('a missing output fails the job, and a signal stays one', () => {
    const cwd = mkdtempSync(join(tmpdir(), 'cwd-'));
    const job = (command: string) =>
      workflow(
        JSON.stringify({ name: 'x', jobs: [{ name: 'a', command, output_files: ["o'ut/x y"] }] }),
        cwd,
      );
    expect(() => runNode(job('true'), 'a')).toThrow(/missing output: o'ut\/x y/);
    expect(runNode(job(`echo hi > "o'ut/x y"`), 'a')).toBe('');
    expect(readFileSync(join(cwd, "o'ut/x y"), 'utf8')).toBe('hi\n');
  });

  test('texts in submit files begin no macro and end no string or line', () => {
    expect(classAdString('a"b\\c\nd$(e)')).toBe('"a\\"b\\\\c d$(DOLLAR)(e)"');
    expect(submitValue('a\n queue\n$(x)')).toBe('a  queue $(DOLLAR)(x)');
  });

  test('a comment ends with its line', () => {
    const files = workflow(JSON.stringify({ name: 'x', jobs: [{ name: 'a\\', command: 'echo 1' }] }));
    const [, submit] = [...files].find(([name]) => name.endsWith('.sub'))!;
    expect(submit.split('\n')[0]).toBe('# The job a\\.');
  });
});

describe('what DAGMan cannot do', () => {
  const refusedKeys = (spec: object) =>
    inexpressible(modelOf(JSON.stringify({ name: 'x', ...spec }))).map(({ key }) => key);
  const job = (more: object) => ({ jobs: [{ name: 'a', command: 'true', ...more }] });

  test.each([
    ['use_pending_failed', { use_pending_failed: true, ...job({}) }],
    ['isolate', job({ isolate: true })],
    ['ports', job({ ports: ['http'] })],
    ['labels', job({ labels: ['gpu'] })],
    ['post', job({ post: './judge' })],
    ['cancel_on_blocking_job_failure', job({ cancel_on_blocking_job_failure: false })],
    ['fail_fast', job({ name: 'a_{i}', parameters: { i: [1, 2] }, fail_fast: true })],
    ['env', job({ env: { 'a-b': '1' } })],
    [
      'failure_handlers',
      {
        failure_handlers: [{ name: 'h', rules: [{ exit_codes: [1], recovery_script: './fix' }] }],
        ...job({ failure_handler: 'h' }),
      },
    ],
  ])('%s is refused', (key, spec) => {
    expect(refusedKeys(spec)).toContain(key);
  });

  test('an ordinary workflow is not refused', () => {
    expect(
      refusedKeys({
        failure_handlers: [{ name: 'h', rules: [{ exit_codes: [1], max_retries: 2 }] }],
        ...job({ failure_handler: 'h', retry: { max_retries_failure: 1 }, timeout: '5m' }),
      }),
    ).toEqual([]);
  });
});
