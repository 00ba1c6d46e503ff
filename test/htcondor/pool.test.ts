import { chmodSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { HTCondorPool } from '../../src/clusters/htcondor/pool.ts';

const SUBMITTED =
  'echo "Submitting job(s)."; echo "1 job(s) submitted to cluster 44."; echo; echo "Running rescue DAG 1"';
const NO_SCHEDD =
  'echo "Error: (null)"; echo "Extra Info: You probably saw this error because the condor_schedd is not " >&2; echo "running on the machine you are trying to query." >&2; exit 1';

/** Programs of HTCondor, each the body of a shell script. Those that are not given are not there. */
function fakes(programs: Record<string, string>, limitMs = 5000) {
  const directory = mkdtempSync(join(tmpdir(), 'condor-'));
  for (const [name, body] of Object.entries(programs)) {
    const path = join(directory, name);
    const log = `printf '%s' '${name}' >> ${directory}/calls; printf ' <%s>' "$@" >> ${directory}/calls; echo >> ${directory}/calls`;
    writeFileSync(path, `#!/bin/sh\n${log}\n${body}\n`);
    chmodSync(path, 0o755);
  }
  const pool = new HTCondorPool({
    env: { PATH: `${directory}:/usr/bin:/bin`, HOLDFAST_TOKEN: 'secret', HOME: directory },
    limitMs,
  });
  const calls = () => readFileSync(join(directory, 'calls'), 'utf8').trim().split('\n');
  return { pool, directory, calls };
}

const run = (directory: string) => ({ directory, dag: 'round.dag', tag: 'tag-1' });
const absent = { code: 'CLUSTER_ABSENT' };
const refused = { code: 'CLUSTER_REFUSED' };

describe.concurrent('submitting a DAG', () => {
  test('asks the queue first, never forces, and returns the cluster', async () => {
    const { pool, directory, calls } = fakes({ condor_q: ':', condor_submit_dag: `pwd >&2; ${SUBMITTED}` });
    expect(await pool.submitDag(run(directory))).toBe('44');
    const [question, submission] = calls();
    expect(question).toContain(`<HoldfastDag == "${directory}/round.dag" && JobStatus != 4>`);
    expect(submission).toBe(
      `condor_submit_dag <-append> <+HoldfastTag = "tag-1"> <-append> <+HoldfastDag = "${directory}/round.dag"> <round.dag>`,
    );
  });

  test('that was sent before a crash is found by its tag', async () => {
    const { pool, directory, calls } = fakes({ condor_q: 'echo "43 tag-1"', condor_submit_dag: SUBMITTED });
    expect(await pool.submitDag(run(directory))).toBe('43');
    expect(calls()).toHaveLength(1);
  });

  test('that is in the queue for another user is refused', async () => {
    const { pool, directory } = fakes({ condor_q: 'echo "43 other"', condor_submit_dag: SUBMITTED });
    await expect(pool.submitDag(run(directory))).rejects.toMatchObject(refused);
  });

  test.each([
    [
      'refuses',
      'echo "ERROR: \\"round.dag.condor.sub\\" already exists." >&2; exit 1',
      refused,
      'already exists',
    ],
    [
      'has no schedd',
      `echo "ERROR: Can't find address of local schedd" >&2; exit 1`,
      absent,
      "Can't find address",
    ],
    ['is killed', 'kill -KILL $$', absent, 'SIGKILL'],
    ['says something else', 'echo hello', absent, 'without a cluster'],
    ['says nothing', ':', absent, 'without a cluster'],
  ])('where condor_submit_dag %s', async (_, body, error, words) => {
    const { pool, directory } = fakes({ condor_q: ':', condor_submit_dag: body });
    await expect(pool.submitDag(run(directory))).rejects.toMatchObject({
      ...error,
      message: expect.stringContaining(words) as string,
    });
  });

  test('is not tried where nobody answers about the queue', async () => {
    const { pool, directory, calls } = fakes({ condor_q: NO_SCHEDD, condor_submit_dag: SUBMITTED });
    await expect(pool.submitDag(run(directory))).rejects.toMatchObject(absent);
    expect(calls()).toHaveLength(1);
  });

  test('in a directory with quotes and macros in its name names it as it is', async () => {
    const { pool, calls } = fakes({ condor_q: ':', condor_submit_dag: SUBMITTED });
    const directory = mkdtempSync(join(tmpdir(), 'a "b" $(c) '));
    await pool.submitDag(run(directory));
    expect(calls()[1]).toContain(String.raw`a \"b\" $(DOLLAR)(c) `);
  });
});

describe.concurrent('looking into the queue', () => {
  test('is one question for all, and those that are not listed have left', async () => {
    const lines =
      '7 1 undefined\\n8 2 undefined\\n9 5 disk full on node 7\\n10 3 undefined\\n11 4 undefined\\n';
    const { pool, calls } = fakes({ condor_q: `printf '${lines}'` });
    const found = await pool.list(['7', '8', '9', '10', '11', '12']);
    expect([...found.values()]).toEqual([
      { id: '7', state: 'queued', why: null },
      { id: '8', state: 'running', why: null },
      { id: '9', state: 'held', why: 'disk full on node 7' },
      { id: '10', state: 'running', why: null },
    ]);
    expect(calls()).toEqual([
      'condor_q <7> <8> <9> <10> <11> <12> <-af> <ClusterId> <JobStatus> <HoldReason>',
    ]);
  });

  test('for none asks nobody', async () => {
    const { pool } = fakes({});
    expect((await pool.list([])).size).toBe(0);
  });

  test.each([
    ['is absent', { condor_q: NO_SCHEDD }],
    ['is not installed', {}],
    ['prints garbage', { condor_q: 'echo "<html>502</html>"' }],
    ['says so and exits with 0', { condor_q: 'echo "Failed to fetch ads from: <127.0.0.1:9618>" >&2' }],
    ['prints without end', { condor_q: 'yes "7 1 undefined" | head -c 40000000' }],
  ])('is unknown where the schedd %s', async (_, programs) => {
    const { pool } = fakes(programs as Record<string, string>);
    await expect(pool.list(['7'])).rejects.toMatchObject(absent);
  });

  test('does not wait for a schedd that hangs', async () => {
    const { pool } = fakes({ condor_q: 'sleep 60' }, 300);
    await expect(pool.list(['7'])).rejects.toMatchObject({
      ...absent,
      message: expect.stringContaining('no answer within 0.3 s') as string,
    });
  });
});

describe.concurrent('ending', () => {
  test('one that has left the queue is no error', async () => {
    for (const body of [
      'echo "condor_rm:0:There are no jobs in the queue" >&2',
      `echo "Couldn't find/remove all jobs in cluster 7" >&2; exit 1`,
    ]) {
      const { pool } = fakes({ condor_rm: body });
      await expect(pool.remove(['7'])).resolves.toBeUndefined();
    }
  });

  test.each([
    ['a refusal', 'echo "Permission denied to remove job 7.0" >&2; exit 1', refused],
    ['an absent schedd', `echo "ERROR: Can't find address of local schedd" >&2; exit 1`, absent],
  ])('%s is an error', async (_, body, error) => {
    const { pool } = fakes({ condor_rm: body });
    await expect(pool.remove(['7'])).rejects.toMatchObject(error);
  });

  test('is remembered by the history', async () => {
    const { pool } = fakes({ condor_history: String.raw`printf '7 4 1 2\n8 3 undefined 4\n'` });
    const found = await pool.history(['7', '8', '9']);
    expect([...found.values()]).toEqual([
      { id: '7', removed: false, exitCode: 1, dagStatus: 2 },
      { id: '8', removed: true, exitCode: null, dagStatus: 4 },
    ]);
    await expect(fakes({ condor_history: 'echo odd' }).pool.history(['7'])).rejects.toMatchObject(absent);
  });
});

test('commands see no secrets of Holdfast, and the version is that of the commands', async () => {
  const { pool } = fakes({
    condor_version: `test -z "$HOLDFAST_TOKEN" && echo '$CondorVersion: 23.9.6 2026-07-12 PackageID: 23.9.6 $'`,
  });
  expect(await pool.version()).toBe('23.9.6');
});
