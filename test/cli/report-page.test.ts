import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BundleMask } from '../../src/cli/bundle/bundle-mask.ts';
import { html, Markup } from '../../src/cli/report/html.ts';
import { collectReport } from '../../src/cli/report/report-facts.ts';
import { reportPage } from '../../src/cli/report/report-page.ts';
import { concurrencyPicture } from '../../src/cli/report/timeline-picture.ts';
import type { Engine } from '../../src/contract/engine.ts';
import { TimelineSums } from '../../src/views/report/run-timeline.ts';
import { utilization } from './decision-records.ts';
import { attempt, counts, event, NOON, status } from './records.ts';
import { makeProject, runCli } from './run-cli.ts';
import { group } from './top/top-records.ts';

test('values in markup are text, whatever they are', () => {
  const hostile = `<b a="1" b='2'>&\``;
  expect(html`<p title="${hostile}">${hostile}${null}${[1, html`<i>${'<'}</i>`]}</p>`.text).toBe(
    '<p title="&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;&#96;">&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;&#96;1<i>&lt;</i></p>',
  );
  expect(html`${new Markup('<br>')}`.text).toBe('<br>');
});

/** A workflow of 100,000 jobs of which every tenth failed, in 40 ways, and every job took a route. */
function largeEngine(jobs: number): Engine {
  const page =
    <T>(make: (id: number) => T) =>
    async (_: number, { after = 0, limit = 100 }: { after?: number; limit?: number } = {}) => {
      const end = Math.min(jobs, after + limit);
      const items = Array.from({ length: end - after }, (_, index) => make(after + index + 1));
      return { items, next: end < jobs ? end : null };
    };
  const engine = {
    status: async () => status({ counts: counts({ completed: jobs * 0.9, failed: jobs * 0.1 }) }),
    summarizeFailures: async (_: number, { limit = 50 }) => ({
      groups: Array.from({ length: Math.min(limit, 40) }, (_, at) =>
        group({ fingerprint: `f${at}`, waiting: 0 }),
      ),
      more: true,
    }),
    explain: async () => ({ headline: 'it failed', next: 'nothing', attempts: [] }),
    readLog: async () => ({
      data: Buffer.from('x'.repeat(200).concat('\n').repeat(80)),
      offset: 0,
      size: 1,
      ended: true,
    }),
    listAttempts: page((id) =>
      attempt({ job_name: `job_${id}`, started_at_ms: NOON - 60_000 + (id % 50_000) }),
    ),
    utilization: page((id) =>
      utilization({ job_id: id, name: `${'abcdefgh'.repeat(9)}${'z'.repeat(id % 90)}_${id}` }),
    ),
    listEvents: page((id) =>
      event({ id, type: 'goto', data: { route: { kind: 'goto', target: 'a', loop: 1, max_loops: 2 } } }),
    ),
  };
  return engine as unknown as Engine;
}

test('a report of 100,000 jobs is as small as one of a thousand', async () => {
  const write = async (jobs: number) =>
    reportPage(await collectReport(largeEngine(jobs), 3, new BundleMask([]), { now: NOON, version: '1' }));
  const [small, large] = [await write(1000), await write(100_000)];
  expect(large.length).toBeLessThan(300_000);
  expect(large.length).toBeLessThan(small.length * 1.5);
  expect(large).toContain('And 99900 more.');
  expect(large).toContain('The 60 attempts that took longest, of 100000');
});

test('a picture has a bar for what ran, however short it was, and round times below it', () => {
  const sums = new TimelineSums(NOON - 360_000, NOON);
  sums.add(attempt({ started_at_ms: NOON - 300_000, finished_at_ms: NOON - 299_999 }));
  const { text } = concurrencyPicture(sums.timeline);
  const heights = [...text.matchAll(/<rect [^>]*height="([\d.]+)"/g)].map(([, height]) => Number(height));
  expect(heights).toEqual([2]);
  expect(text).toContain('At most 1 attempt ran at once');
  expect([...text.matchAll(/<text [^>]*>([^<]+)</g)].map(([, mark]) => mark)).toEqual([
    '0',
    '1m00s',
    '2m00s',
    '3m00s',
    '4m00s',
    '5m00s',
  ]);
});

test('a report counts in words that people use', async () => {
  const engine = {
    ...largeEngine(0),
    status: async () =>
      status({
        counts: counts({ pending_failed: 2 }),
        attempts: { ...status().attempts, finished: 1 },
      }),
  };
  const page = reportPage(await collectReport(engine, 3, new BundleMask([]), { now: NOON, version: '1' }));
  expect(page).toContain('; 1 attempt.');
  expect(page).toContain('<b class="asks">2</b> waiting for a decision');
});

test('a report allows its own style and nothing else, and only its owner reads it', async () => {
  const cwd = makeProject({
    'w.yaml': JSON.stringify({
      name: 'one',
      jobs: [
        { name: 'a', command: 'echo "the key is $API_KEY" >&2; exit 1', env: { API_KEY: 'k-98765-secret' } },
      ],
    }),
  });
  const run = await runCli(['run', 'w.yaml', '--report', 'out.html'], { cwd });
  expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('report: out.html')]);
  const file = join(cwd, 'out.html');
  const page = readFileSync(file, 'utf8');
  const style = /<style>([\s\S]*?)<\/style>/.exec(page)![1]!;
  const hash = createHash('sha256').update(style).digest('base64');
  expect(page).toContain(`default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;`);
  expect(page).not.toMatch(/<script|\son\w+=|style="|https?:|javascript:/);
  expect(page).toContain('the key is');
  expect(page).not.toContain('k-98765-secret');
  expect(statSync(file).mode & 0o077).toBe(0);

  // An older report is replaced; a file that is none is left alone.
  const written = await runCli(['report', '1', '-o', 'out.html', '--output', 'json'], { cwd });
  expect(JSON.parse(written.stdout)).toMatchObject({ workflow_id: 1, file: 'out.html' });
  const again = await runCli(['run', '1', '--report', 'again.html'], { cwd });
  expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('report: again.html')]);
  for (const [args, problem] of [
    [['report', '1', '-o', 'w.yaml'], 'must be a file that ends in .html'],
    [['run', 'w.yaml', '--report', 'no/dir.html'], 'there is no directory'],
    [['run', 'w.yaml', '--report', 'x.html', '--dry-run'], 'not with --dry-run'],
    [['report', '1', '-o', 'x.html', '--output', 'csv'], 'is for lists'],
  ] as const) {
    const refused = await runCli([...args], { cwd });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(problem)]);
  }
  expect((await runCli(['status', '--output', 'quiet'], { cwd })).stdout.trim()).toBe('1');
});
