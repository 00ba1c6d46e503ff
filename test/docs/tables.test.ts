import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { SETTING_KEYS } from '../../src/cli/config/settings.ts';
import { workerSchema } from '../../src/contract/schemas/workflow-records.ts';
import { ALLOCATION_TRANSITIONS } from '../../src/core/allocation/allocation-transitions.ts';
import { DAG_RUN_TRANSITIONS } from '../../src/core/dag/dag-run.ts';
import { ERRORS } from '../../src/core/errors.ts';
import { CALL_TRANSITIONS, ROUTE_TRANSITIONS } from '../../src/core/flow/flow-states.ts';
import { jobEnvironment } from '../../src/core/job/job-environment.ts';
import { JOB_STATUS, type JobStatus, TERMINAL_STATUSES } from '../../src/core/job/job-status.ts';
import { STATUS_TRANSITIONS } from '../../src/core/job/status-transitions.ts';
import { RULE_NAMES } from '../../src/core/policy/decision.ts';
import { DEFAULT_RETRY, retryDelayMs } from '../../src/core/policy/retry-policy.ts';
import { PAUSE_TRANSITIONS } from '../../src/core/run/pause-transitions.ts';
import { RUN_ENDS, RUN_TRANSITIONS } from '../../src/core/run/run-transitions.ts';
import { formatDuration } from '../../src/core/text/quantity.ts';
import { WORKER_TRANSITIONS } from '../../src/core/worker/worker-transitions.ts';
import { failureRuleSchema } from '../../src/spec/schema/failure-handler-schema.ts';
import { initialSchema } from '../../src/store/migrations/0001-initial.ts';
import { MARKER_NAME } from '../../src/worker/launcher/kill/marker.ts';
import { codeWords, fences, readText, sections, tableRows } from './markdown.ts';
import { ReaderShell } from './reader-shell.ts';

describe('docs/statuses.md', () => {
  const page = readText('docs/statuses.md');

  test('draws exactly the transitions that the engine makes', () => {
    const diagram = fences(page).find(({ language }) => language === 'mermaid')!.text;
    const drawn = [...diagram.matchAll(/^ *(\w+) --> (\w+): (.+)$/gm)].map(([, from, to, when]) => ({
      from,
      to,
      when,
    }));
    expect(drawn).toEqual(STATUS_TRANSITIONS);
  });

  test.each([
    ['routes', 1, ROUTE_TRANSITIONS],
    ['calls', 2, CALL_TRANSITIONS],
    ['runs', 3, RUN_TRANSITIONS],
    ['pauses', 4, PAUSE_TRANSITIONS],
    ['workers', 5, WORKER_TRANSITIONS],
    ['allocations', 6, ALLOCATION_TRANSITIONS],
    ['runs on DAGMan', 7, DAG_RUN_TRANSITIONS],
  ])('draws exactly the transitions of %s that the engine makes', (_, position, transitions) => {
    const diagram = fences(page).filter(({ language }) => language === 'mermaid')[position]!.text;
    const drawn = [...diagram.matchAll(/^ *(\w+|\[\*\]) --> (\w+): (.+)$/gm)].map(([, from, to, when]) => ({
      from: from === '[*]' ? null : from,
      to,
      when,
    }));
    expect(drawn).toEqual(transitions);
  });

  test('draws an end for exactly the statuses in which a job has ended', () => {
    const [jobs] = page.split('## Routes and calls');
    const ends = [...jobs!.matchAll(/^ *(\w+) --> \[\*\]$/gm)].map((match) => match[1]);
    const reached = new Set(STATUS_TRANSITIONS.map(({ to }) => to));
    expect(ends.sort()).toEqual([...reached].filter((status) => TERMINAL_STATUSES.has(status)).sort());
  });

  test('draws an end for exactly the states in which a run has ended', () => {
    const ends = [
      ...sections(page, 2)
        .get('Runs')!
        .matchAll(/^ *(\w+) --> \[\*\]$/gm),
    ].map((match) => match[1]);
    expect(ends).toEqual(RUN_ENDS);
  });

  test('lists every state of a worker that is shown', () => {
    const listed = tableRows(sections(page, 2).get('Workers')!).map(([state]) => state!.replaceAll('`', ''));
    expect(listed.sort()).toEqual([...workerSchema.shape.state.options].sort());
  });

  test('lists every status with its number and whether it is an end', () => {
    const [jobs] = page.split('## Routes and calls');
    const listed = tableRows(jobs!).map(([value, status, , ended]) => [Number(value), status, ended]);
    const known = Object.entries(JOB_STATUS).map(([status, value]) => [
      value,
      status,
      TERMINAL_STATUSES.has(status as JobStatus) ? 'yes' : 'no',
    ]);
    expect(listed).toEqual(known);
  });
});

test('docs/architecture.md lists every table of the store, and of no others', () => {
  const statements = initialSchema('postgres');
  const stored = statements.flatMap((sql) => /^create table (\w+)/.exec(sql)?.[1] ?? []);
  const page = sections(readText('docs/architecture.md'), 2).get('What is stored')!;
  const reported = tableRows(page).map(([name]) => name!.replaceAll('`', ''));
  expect(reported.toSorted()).toEqual([...stored, 'schema_version'].toSorted());
});

test('docs/errors.md has every error with its message, codes and hint', () => {
  const braces = new Proxy({}, { get: (_, fact) => `{${String(fact)}}` }) as Record<string, string>;
  const catalogue = Object.entries(ERRORS).map(([code, { message, exitCode, httpStatus, hint }]) => [
    `\`${code}\``,
    message(braces),
    String(exitCode),
    String(httpStatus),
    (hint as (facts: typeof braces) => string)(braces),
  ]);
  expect(tableRows(readText('docs/errors.md'))).toEqual(catalogue);
});

test('docs/environment.md lists the variables of a job, all of them and no others', () => {
  const given = jobEnvironment({
    workflow_id: 1,
    job_id: 1,
    run_id: 1,
    attempt_id: 1,
    job_name: 'job',
    token: 1,
    output_dir: '/output',
    api_url: '',
    work_dir: '/work',
    checkpoint_dir: '/checkpoint',
    report_path: '/report',
    user_data_dir: '/user_data',
    traceparent: '00-1-2-01',
  });
  const listed = tableRows(readText('docs/environment.md')).flatMap(([names]) => codeWords(names!));
  const ofScripts = [
    'HOLDFAST_RETURN_CODE',
    'TORC_RETURN_CODE',
    'HOLDFAST_MISSING_OUTPUTS',
    'HOLDFAST_OUTCOME',
  ];
  expect(listed.sort()).toEqual([...Object.keys(given), ...ofScripts, MARKER_NAME].sort());
});

describe('docs/retry.md', () => {
  const page = readText('docs/retry.md');

  test('lists every key with its default', () => {
    const listed = tableRows(page.split('## Backoff')[0]!).map(([key, value]) => [
      codeWords(key!)[0],
      value!.replaceAll('`', ''),
    ]);
    const known = Object.entries(DEFAULT_RETRY).map(([key, value]) => [
      key,
      Array.isArray(value) ? '[]' : String(value),
    ]);
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(known));
  });

  test('shows the waits that the defaults give', () => {
    const [, table] = page.split('<!-- backoff -->\n');
    const [[, ...waits] = []] = tableRows(table!);
    expect(waits).toEqual(waits.map((_, index) => formatDuration(retryDelayMs(DEFAULT_RETRY, index + 1, 0))));
  });
});

describe('docs/failure-policy.md', () => {
  const page = readText('docs/failure-policy.md');

  test('draws the rules in the order in which they are asked', () => {
    const diagram = fences(page).find(({ language }) => language === 'mermaid')!.text;
    const nodes = [...diagram.matchAll(/^ *(\w+)\["<b>(\w+)<\/b>.*"\]$/gm)].map(([, id, name]) => [id, name]);
    expect(nodes).toEqual(RULE_NAMES.map((name) => [name, name]));
    const arrows = [...diagram.matchAll(/^ *(\w+) --> (\w+)$/gm)].map(([, from, to]) => [from, to]);
    expect(arrows).toEqual(RULE_NAMES.slice(1).map((name, index) => [RULE_NAMES[index], name]));
    expect(nodes.length + arrows.length + 1).toBe(diagram.trim().split('\n').length);
  });

  test('explains every rule, in that order', () => {
    expect([...sections(sections(page, 2).get('The rules')!, 3).keys()]).toEqual(RULE_NAMES);
  });

  test('lists every key of a rule', () => {
    const text = sections(page, 2).get('Failure handlers')!;
    const listed = tableRows(text).flatMap(([keys]) => codeWords(keys!));
    expect(listed.sort()).toEqual(Object.keys(failureRuleSchema.shape).sort());
  });
});

describe('docs/cli.md', () => {
  const commands = sections(readText('docs/cli.md'), 2);

  test('has a section for every command that help lists, and no others', async () => {
    const { stdout } = await new ReaderShell().run('holdfast help all');
    const listed = [...stdout.matchAll(/^ {2}([\w-]+) /gm)].map((match) => match[1]);
    expect([...commands.keys()].sort()).toEqual(listed.sort());
  });

  test('shows every command in an example', () => {
    for (const [name, text] of commands) {
      const examples = fences(text).filter(({ language }) => language === 'sh');
      expect(examples.map((example) => example.text).join(''), name).toContain(`holdfast ${name}`);
    }
  });

  test.each(COMMANDS.map((entry) => [entry.usage.split(' ')[0]!, entry] as const))(
    'names the options of %s, and none that it does not have',
    (name, { options = [] }) => {
      const prose = commands.get(name)!.replace(/^```.*?^```$/gms, '');
      const named = codeWords(prose).flatMap((code) => code.match(/(?<![\w-])--[a-z-]+/g) ?? []);
      const known = options.map(([flags]) => /--[a-z-]+/.exec(flags)![0]);
      const everywhere = ['--output', '--dir', '--server', '--token-file', '--no-color'];
      expect([...new Set(named)].filter((option) => !everywhere.includes(option)).sort()).toEqual(
        known.sort(),
      );
    },
  );

  test('lists every configuration key', () => {
    const [, keys] = commands.get('config')!.split('| key ');
    const listed = tableRows(`| key ${keys}`).map(([key]) => codeWords(key!)[0]);
    expect(listed).toEqual(SETTING_KEYS);
  });
});
