import { describe, expect, it } from 'vitest';
import { DEFAULT_RULE } from '../../src/core/policy/failure-rule.ts';
import { DEFAULT_RETRY, retryDelayMs } from '../../src/core/policy/retry-policy.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { readKind } from '../../src/spec/read-kind.ts';
import { loadRequest } from '../../src/spec/request/load-request.ts';
import { keptFiles, sentFiles } from '../../src/spec/spec-files.ts';
import { INVENTORY, load, RANGE, RULES, requestOf } from './request-text.ts';

const NOTHING_NEEDED = {
  name: null,
  cpus: null,
  memory_bytes: null,
  gpus: 0,
  nodes: 1,
  resources: {},
  labels: [],
  runtime_ms: null,
};
const cooloff = (retries: number) => ({
  ...DEFAULT_RETRY,
  max_retries_failure: retries,
  initial_retry_delay_ms: 60_000,
  max_retry_delay_ms: 86_400_000,
});
const plainJob = (command: string, retries: number) => ({
  command,
  shell: 'bash',
  requirement: NOTHING_NEEDED,
  retry: cooloff(retries),
  cooloff: true,
  env: {},
  cwd: null,
  timeout_ms: null,
});

describe('the request of a range', () => {
  it('is read as it is written', () => {
    const { model, items } = requestOf(RANGE, { 'rules/simulation.yaml': RULES });
    expect(items).toBeNull();
    expect(model).toEqual({
      name: 'minbias-2026',
      description: null,
      priority: 100,
      work: { kind: 'range', total: 100_000n, first: 1n, per_job: 250 },
      jobs_per_unit: 4,
      round: { first_units: 10, units: 40, hours: null },
      sites: ['north', 'south'],
      process: {
        ...plainJob('./simulate --first {first} --last {last} --out {output}', 3),
        requirement: { ...NOTHING_NEEDED, cpus: 2, memory_bytes: 2 * 1024 ** 3, runtime_ms: 1_800_000 },
        timeout_ms: 1_800_000,
      },
      merge: plainJob('./merge {inputs} > {output}', 2),
      cleanup: plainJob('rm -f {inputs}', 2),
      outputs: 'data/{request}/v{version}/{unit}.root',
      post: { kind: 'builtin' },
      rulebook: { name: 'rules/simulation.yaml', rules: expect.any(Array) },
      errors: {
        error_hold_threshold: 0.2,
        error_max_rescue_attempts: 3,
        cooloff_base_sec: 60,
        when_exhausted: 'hold',
      },
      cleanup_policy: 'keep_until_replaced',
      hooks: { output_registered: null, output_invalidated: null },
      executor: 'workers',
      htcondor: { hold_timeout_ms: null, site_attribute: null },
    });
    const rule = { ...DEFAULT_RULE, reportCodes: [], message: null, holds: null, badItems: 'reported' };
    expect(model.rulebook!.rules).toEqual([
      {
        ...rule,
        reportCodes: [
          [8021, 8021],
          [8028, 8028],
        ],
        category: 'data',
      },
      {
        ...rule,
        exitCodes: [
          [65, 65],
          [66, 66],
          [67, 67],
        ],
        category: 'permanent',
      },
      {
        ...rule,
        reportCodes: [[50660, 50660]],
        memory: { factor: 1.5, value: null, maximum: 8 * 1024 ** 3 },
      },
      { ...rule, stderr: 'No space left|HTTP 507', category: 'infrastructure', delayMs: 120_000 },
      { ...rule, reportCodes: [[8001, 8001]], message: 'site-local-config', category: 'infrastructure' },
    ]);
  });

  it('waits 60, 120 and 240 s between retries, as cooloff_base_sec says', () => {
    const { model } = requestOf(RANGE, { 'rules/simulation.yaml': RULES });
    expect([1, 2, 3].map((retry) => retryDelayMs(model.process.retry, retry, 0))).toEqual([
      60_000, 120_000, 240_000,
    ]);
  });
});

describe('the request of an inventory', () => {
  it('is read as it is written, with the groups of its items', () => {
    const list = '# items\n\na/run_12/x.root\nb/run_7/y.root\r\n  c.root  \nd.root night\n';
    const { model, items } = requestOf(INVENTORY, { 'lists/2025B.txt': list });
    expect(model).toMatchObject({
      work: { kind: 'inventory', per_job: 2 },
      jobs_per_unit: 5,
      round: { first_units: 2, units: 100, hours: null },
      sites: null,
      cleanup: null,
      outputs: null,
      rulebook: null,
      errors: {},
    });
    expect(items).toEqual([
      { path: 'a/run_12/x.root', group: '12' },
      { path: 'b/run_7/y.root', group: '7' },
      { path: 'c.root', group: null },
      { path: 'd.root', group: 'night' },
    ]);
  });

  const spec = (items: string, more = '') =>
    `kind: request\nname: a\nwork: { items: ${items}${more} }\nprocess: { command: "x {items}" }\n`;

  it.each<[string, string, (string | null)[][]]>([
    ['a path with blanks before a tab', 'my file.root\tg 1\n', [['my file.root', 'g 1']]],
    ['a path with blanks and no group', 'my file.root\t\n', [['my file.root', null]]],
    ['tabs around one path', '\tx.root\n', [['x.root', null]]],
    ['several blanks', 'x.root    g\n', [['x.root', 'g']]],
    [
      'names that a shell would look into',
      '$(rm)\t\n-rf\n\'q\'\n"d"\n*\n',
      [
        ['$(rm)', null],
        ['-rf', null],
        ["'q'", null],
        ['"d"', null],
        ['*', null],
      ],
    ],
    ['no line end at the end', 'x', [['x', null]]],
    ['a byte order mark', '\uFEFFx\n', [['x', null]]],
  ])('can have in its list %s', (_, list, expected) => {
    expect(requestOf(spec('l'), { l: list }).items).toEqual(
      expected.map(([path, group]) => ({ path, group })),
    );
  });

  it('can have its items in the spec, or as a pattern', () => {
    expect(requestOf(spec('["b {x}", a]')).items!.map(({ path }) => path)).toEqual(['b {x}', 'a']);
    const files = sentFiles({ texts: {}, lists: { 'data/*.root': ['data/1.root', 'data/2.root'] } });
    const loaded = loadRequest(spec('data/*.root', ', group_by: "."'), 'r.yaml', files);
    expect(loaded).toMatchObject({
      ok: true,
      items: [
        { path: 'data/1.root', group: 'd' },
        { path: 'data/2.root', group: 'd' },
      ],
    });
  });

  it('of 100,000 items is read in well under a second', () => {
    const list = Array.from({ length: 100_000 }, (_, n) => `/store/data/run_${n % 500}/file_${n}.root`);
    const text = spec('l', ', group_by: "run_(\\\\d+)"');
    const started = performance.now();
    const { items } = requestOf(text, { l: list.join('\n') });
    const ms = performance.now() - started;
    expect(items).toHaveLength(100_000);
    expect(items![99_999]).toEqual({ path: '/store/data/run_499/file_99999.root', group: '499' });
    // Measured: 0.45 s, of which RE2 takes 0.4; the bound allows for a busy machine.
    expect(ms).toBeLessThan(5_000);
  });
});

describe('numbers of 64 bits', () => {
  const spec = (total: string, first: string) =>
    `{"kind": "request", "name": "a", "work": {"range": {"total": ${total}, "first": ${first}, "per_job": 1000}}, "process": {"command": "x"}}`;

  it.each([
    ['1', '0', 1n, 0n],
    ['1000000000000', '9007199253740992', 10n ** 12n, 9007199253740992n],
    ['"9007199254740993"', '"9007199254740995"', 9007199254740993n, 9007199254740995n],
    ['"9223372036854775806"', '1', 9223372036854775806n, 1n],
  ])('are exact: %s from %s', (total, first, exactTotal, exactFirst) => {
    for (const file of ['r.json', 'r.yaml', 'r.json5']) {
      expect(requestOf(spec(total, first), {}, file).model.work).toEqual({
        kind: 'range',
        total: exactTotal,
        first: exactFirst,
        per_job: 1000,
      });
    }
  });
});

describe('what a spec leaves out or spells otherwise', () => {
  const spec = (more: string) =>
    `kind: request\nname: a\nwork: { range: { total: 10, per_job: 1 } }\nprocess: { command: x }\n${more}`;

  it('has its default', () => {
    expect(requestOf(spec('')).model).toMatchObject({
      priority: 0,
      work: { first: 1n },
      jobs_per_unit: 1,
      round: { first_units: 10, units: 40, hours: null },
      process: { retry: { max_retries_failure: 3 } },
      merge: null,
      cleanup: null,
      outputs: null,
      post: { kind: 'builtin' },
    });
    expect(requestOf(spec('round: { first_units: 5, hours: 8 }\n')).model.round).toEqual({
      first_units: 5,
      units: null,
      hours: 8,
    });
  });

  it('may be null', () => {
    expect(requestOf(spec('sites: null\nmerge: null\nround: { units: null }\n')).model).toEqual(
      requestOf(spec('')).model,
    );
  });

  it('takes a full retry, whose own waits stay', () => {
    const own = requestOf(
      spec('merge: { command: x, retry: { max_retries_failure: 5, initial_delay: 2s } }\n'),
    );
    expect(own.model.merge).toMatchObject({
      cooloff: false,
      retry: { max_retries_failure: 5, initial_retry_delay_ms: 2000, backoff_multiplier: 2 },
    });
    const rest = requestOf(
      spec('merge: { command: x, retry: { jitter: full } }\nerrors: { cooloff_base_sec: 1 }\n'),
    );
    expect(rest.model.merge).toMatchObject({
      cooloff: true,
      retry: { max_retries_failure: 2, initial_retry_delay_ms: 1000, jitter: 'full' },
    });
  });

  it('takes env for all jobs, labels, a directory, and a post command', () => {
    const { model } = requestOf(
      spec(
        'env: { A: 1, B: x }\nmerge: { command: x, env: { B: 2 }, cwd: sub, labels: [b, a], timeout: 5 }\npost: { command: ./judge, timeout: 1m }\nhooks: { output_registered: ./add }\n',
      ),
    );
    expect(model.process.env).toEqual({ A: '1', B: 'x' });
    expect(model.merge).toMatchObject({
      env: { A: '1', B: '2' },
      cwd: 'sub',
      timeout_ms: 5000,
      requirement: { labels: ['a', 'b'], runtime_ms: 5000 },
    });
    expect(model.post).toEqual({ kind: 'command', command: './judge', timeout_ms: 60_000 });
    expect(requestOf(spec('post: ./judge\n')).model.post).toMatchObject({ timeout_ms: 600_000 });
    expect(model.hooks).toEqual({ output_registered: './add', output_invalidated: null });
  });

  it('replaces variables everywhere, and leaves placeholders and other braces alone', () => {
    const text = `kind: request
name: "{campaign}-1"
variables: { campaign: mc, args: "--first {first}", ext: root }
work: { range: { total: 10, per_job: 1 } }
process:
  command: 'x {args} \${VAR} \${first} {a,b} { cmd; } | awk ''{print $1}'' | jq ''{name}'' %{http_code} {fd}>log {1..3} {} > {output}'
outputs: "out/{unit}.{ext}"
`;
    const { model } = requestOf(text);
    expect(model.name).toBe('mc-1');
    expect(model.outputs).toBe('out/{unit}.root');
    expect(model.process.command).toBe(
      "x --first {first} ${VAR} ${first} {a,b} { cmd; } | awk '{print $1}' | jq '{name}' %{http_code} {fd}>log {1..3} {} > {output}",
    );
  });

  it('can be KDL, also in the rulebook', () => {
    const text = `kind "request"
name "a"
work {
  range total=100 per_job=10
}
sites "north"
process {
  command "x {first}"
  labels "gpu"
  retry 1
  resource_requirements memory="1g"
}
rulebook "rules.kdl"
`;
    const rules =
      'rule category="data" {\n  report_codes 8021 "8030-8039"\n}\nrule bad_items="none" {\n  holds "spool"\n}\n';
    const { model } = requestOf(text, { 'rules.kdl': rules }, 'r.kdl');
    expect(model).toMatchObject({
      work: { total: 100n, per_job: 10 },
      sites: ['north'],
      process: {
        retry: { max_retries_failure: 1 },
        requirement: { labels: ['gpu'], memory_bytes: 1024 ** 3 },
      },
      rulebook: {
        name: 'rules.kdl',
        rules: [
          {
            reportCodes: [
              [8021, 8021],
              [8030, 8039],
            ],
            category: 'data',
          },
          { holds: 'spool', badItems: 'none' },
        ],
      },
    });
  });
});

describe('what a spec warns of', () => {
  it('is a cleanup that would remove the result', () => {
    const loaded = load(
      'kind: request\nname: a\nwork: { range: { total: 1, per_job: 1 } }\nprocess: { command: "x > {output}" }\ncleanup: { command: "rm {inputs}" }\noutputs: "{unit}"\n',
    );
    expect(loaded).toMatchObject({
      ok: true,
      warnings: [{ path: 'cleanup.command', message: expect.stringContaining('removes the result') }],
    });
  });
});

describe('files that a request names', () => {
  it('can be kept and sent along', () => {
    const list = 'x\n';
    const here = sentFiles({ texts: { 'lists/2025B.txt': list }, lists: {} });
    const { files, sent } = keptFiles(here);
    const loaded = loadRequest(INVENTORY, 'r.yaml', files);
    expect(sent).toEqual({ texts: { 'lists/2025B.txt': list }, lists: {} });
    expect(loadRequest(INVENTORY, 'r.yaml', sentFiles(sent))).toEqual(loaded);
  });
});

describe('the kind of a spec', () => {
  it.each<[string, string, 'workflow' | 'request']>([
    ['jobs: [{name: a, command: x}]', 'a.yaml', 'workflow'],
    ['kind: workflow\njobs: []', 'a.yaml', 'workflow'],
    [RANGE, 'a.yaml', 'request'],
    ['name: a\nkind: "request"\n', 'a.yaml', 'request'],
    ['{"name": "a", "kind": "request"}', 'a.json', 'request'],
    ["{name: 'a', kind: 'request'}", 'a.json5', 'request'],
    ['kind "request"\n', 'a.kdl', 'request'],
    ['kind: request\nwork: {a: [\n', 'a.yaml', 'request'],
    ['{\n  "kind": "request",\n  "name": \n', 'a.json', 'request'],
    ['jobs:\n  - name: a\n    command: |\n      kind: request\n', 'a.yaml', 'workflow'],
    ['metadata: {kind: request}\njobs: []', 'a.yaml', 'workflow'],
    ['kind: reqest\n', 'a.yaml', 'workflow'],
    ['', 'a.yaml', 'workflow'],
  ])('%j in %s is %s', (text, file, kind) => {
    expect(readKind(text, file)).toBe(kind);
  });

  it.each([
    ['kind: reqest', 'expected workflow or request, got "reqest"; did you mean "request"?'],
    ['kind: Workflow', 'expected workflow or request, got "Workflow"; did you mean "workflow"?'],
    ['kind: request', 'is a request, but a workflow is expected here'],
  ])('%s is refused by the reader of workflows', (line, message) => {
    expect(loadSpec(`${line}\njobs: [{name: a, command: x}]\n`, 'a.yaml')).toMatchObject({
      ok: false,
      problems: [{ line: 1, column: 7, path: 'kind', message }],
    });
  });

  it('is found quickly in a long file', () => {
    const started = performance.now();
    for (const text of [`kind${' '.repeat(200_000)}x`, `kind request\n[${'\n'.repeat(200_000)}`]) {
      readKind(text, 'a.json');
    }
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it('may be given in a workflow', () => {
    expect(loadSpec('kind: workflow\njobs: [{name: a, command: x}]\n', 'a.yaml').ok).toBe(true);
  });
});
