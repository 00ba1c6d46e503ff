import { describe, expect, test } from 'vitest';
import { until } from '../cli/run-cli.ts';
import { makeServers } from './request-servers.ts';
import { rangeOf } from './request-world.ts';

/** Fails for a reason of the site for the first so many units of a round, where the site is broken. */
const broken = (count: number) =>
  `[ ! -e broken ] || [ {unit} -gt ${count} ] || { echo "write error: No space left on device" >&2; exit 1; }`;
const RULES = {
  'rules.yaml': 'rules: [{ stderr: "No space left", category: infrastructure, delay: 0s }]',
};
/** Two sites, of which only north has a worker until south gets one. */
const TWO_SITES = { sites: ['north', 'south'], rulebook: 'rules.yaml' };

describe.concurrent('sites', () => {
  test('are banned by 3 of 5 failures, not by 3 of 6, for all work by the third request, and until a person lifts it', async (context) => {
    const servers = makeServers(context);
    await servers.serve();
    servers.write('north/broken');
    await servers.worker('north', '-j', '4');
    const bans = async () => {
      const { body } = await servers.call('GET', '/sites?banned=true');
      const sites = body.items as { name: string; bans: { request_name: string | null; reason: string }[] }[];
      return sites.flatMap(({ name, bans }) => bans.map(({ request_name }) => [name, request_name]));
    };

    await servers.submit(rangeOf(6, broken(3), { name: 'half', ...TWO_SITES }), RULES);
    await servers.reaches('half', 'HELD');
    expect(await bans()).toEqual([]);
    await servers.submit(rangeOf(3, '[ {unit} -gt 3 ]', { name: 'own', ...TWO_SITES }), RULES);
    await servers.reaches('own', 'HELD');
    expect(await bans(), 'failures of the jobs themselves').toEqual([]);

    for (const name of ['one', 'two', 'three']) {
      expect((await servers.submit(rangeOf(5, broken(3), { name, ...TWO_SITES }), RULES)).status).toBe(201);
      await servers.reaches(name, 'HELD');
    }
    expect(await bans()).toEqual([
      ['north', 'one@1'],
      ['north', 'two@1'],
      ['north', 'three@1'],
      ['north', null],
    ]);
    expect((await servers.call('GET', '/requests/one/errors')).body).toMatchObject({
      by_site: { north: { total: 5, failed: 3 } },
      by_category: { infrastructure: 3 },
      groups: [{ count: 3, log_tail: expect.stringContaining('No space left') }],
    });

    // The next work of all requests avoids north, where a worker still waits for some.
    await servers.worker('south', '-j', '4');
    await servers.call('POST', '/requests/one/release', {});
    await servers.submit(rangeOf(3, 'true', { name: 'four' }));
    await servers.reaches('one', 'COMPLETED');
    await servers.reaches('four', 'COMPLETED');
    const sites = [...(await servers.attempts('one')), ...(await servers.attempts('four'))].map(
      ({ site }) => site,
    );
    expect(sites).toEqual([...Array(5).fill('north'), ...Array(6).fill('south')]);

    expect(await servers.call('DELETE', '/sites/north/ban?request=one')).toEqual({
      status: 200,
      body: { removed: 1 },
    });
    expect((await servers.call('DELETE', '/sites/north/ban')).body).toEqual({ removed: 3 });
    expect((await servers.call('DELETE', '/sites/north/ban')).body).toEqual({ removed: 0 });
    expect(await bans()).toEqual([]);
    const { body } = await servers.call('GET', '/audit?limit=1000');
    const audit = body.items as { action: string; subject: string; actor: string }[];
    const ofSite = audit.filter(({ subject }) => subject === 'site north').map(({ action }) => action);
    expect(ofSite.toSorted()).toEqual([
      'site_ban_promoted',
      'site_banned',
      'site_banned',
      'site_banned',
      'site_unbanned',
      'site_unbanned',
    ]);
  });

  test('a ban leaves running jobs alone, and ends with its time', async (context) => {
    const servers = makeServers(context);
    await servers.serve();
    await servers.worker('north', '-j', '1');
    const command = 'echo x >> started; until [ -e go ]; do sleep 0.02; done';
    await servers.submit(rangeOf(2, command, { name: 'slow', sites: ['north', 'south'] }));
    await until(() => servers.lines('north/started').length === 1, 'the first job runs');
    const banned = await servers.call('POST', '/sites/north/ban', {
      reason: 'maintenance',
      duration_days: 0.00002,
    });
    expect(banned).toMatchObject({ status: 201, body: { site: 'north', reason: 'maintenance' } });
    servers.write('north/go');
    await servers.reaches('slow', 'COMPLETED');
    const [first, second] = await servers.attempts('slow');
    expect(first).toMatchObject({ state: 'SUCCEEDED', site: 'north' });
    expect(second!.claimed_at_ms).toBeGreaterThanOrEqual(banned.body.expires_at_ms as number);
    const { body } = await servers.call('GET', '/audit?limit=1000');
    const actions = (body.items as { action: string; subject: string }[])
      .filter(({ subject }) => subject === 'site north')
      .map(({ action }) => action);
    expect(actions.toSorted()).toEqual(['site_ban_expired', 'site_banned']);
  });

  test('a job that fails for a reason of its site is tried at another one', async (context) => {
    const servers = makeServers(context);
    await servers.serve();
    servers.write('north/broken');
    await servers.worker('north', '-j', '1');
    const command = `echo x >> started; [ ! -e broken ] || until [ -e go ]; do sleep 0.02; done; ${broken(1)}`;
    await servers.submit(
      { ...rangeOf(1, command, { name: 'move', ...TWO_SITES }), process: { command, retry: 1 } },
      RULES,
    );
    await until(() => servers.lines('north/started').length === 1, 'it runs at north');
    await servers.worker('south', '-j', '1');
    servers.write('north/go');
    const { rounds } = await servers.reaches('move', 'COMPLETED');
    const attempts = await servers.attempts('move');
    expect(attempts.map(({ site, category }) => [site, category])).toEqual([
      ['north', 'infrastructure'],
      ['south', null],
    ]);
    expect(rounds).toMatchObject([{ runs: [{ kind: 'first' }], decision: { failure_ratio: 0 } }]);
  });
});

describe.concurrent('operators of a server', () => {
  test('release a held request with memory, retries, bans, exclusions and a threshold, as a whole or not at all', async (context) => {
    const servers = makeServers(context);
    await servers.serve();
    await servers.worker('north', '-j', '4');
    await servers.worker('south', '-j', '4');
    const created = await servers.submit(
      {
        name: 'release',
        work: { items: 'items.txt', per_job: 1 },
        round: { first_units: 6, units: 6 },
        process: {
          command: 'echo "with $API_TOKEN" >&2; grep -q . ok || exit 7; case {items} in b*) exit 8;; esac',
          env: { API_TOKEN: 'correct-horse-battery' },
          retry: 0,
          resource_requirements: { num_cpus: 1, memory: '50m', runtime: '1m' },
        },
        sites: ['north', 'south'],
      },
      { 'items.txt': 'a1\na2\na3\na4\nb1\nb2\n' },
    );
    expect(created).toMatchObject({ status: 201, body: { request_name: 'release', version: 1 } });
    const held = await servers.reaches('release', 'HELD');
    expect(held.items).toMatchObject({ attempted: 6 });
    const errors = JSON.stringify(await servers.call('GET', '/requests/release/errors'));
    expect(errors).toMatch(/"log_tail":"with [^"]*"/);
    expect(errors, 'secrets are masked').not.toContain('correct-horse');

    const release = (body: object) => servers.call('POST', '/requests/release/release', body);
    for (const [body, status] of [
      [{ memory_mb: 60, error_hold_threshold: 1.5 }, 422],
      [{ memory_mb: -1 }, 422],
      [{ threshold: 0.3 }, 422],
      [{ memory_mb: 60, excluded_files: ['no-such-item'] }, 422],
      [{ memory_mb: 60, site_bans: ['north', 'south'] }, 422],
      [{ memory_mb: 60, site_bans: ['west'] }, 422],
    ] as const) {
      expect((await release(body)).status, JSON.stringify(body)).toBe(status);
      expect(await servers.show('release')).toEqual(held);
    }
    expect(((await servers.call('GET', '/sites?banned=true')).body.items as object[]).length).toBe(0);

    for (const site of ['north', 'south']) servers.write(`${site}/ok`, 'yes');
    const body = {
      memory_mb: 60,
      retry_count: 1,
      site_bans: ['north'],
      excluded_files: ['b1'],
      error_hold_threshold: 0.5,
      error_max_rescue_attempts: 0,
      reason: 'north is full',
    };
    expect(await release({ ...body, dry_run: true })).toMatchObject({
      status: 200,
      body: { status: 'QUEUED' },
    });
    expect(await servers.show('release')).toEqual(held);
    expect(await release(body)).toMatchObject({
      status: 200,
      body: { request_name: 'release', status: 'QUEUED', previous_status: 'HELD' },
    });
    const again = await servers.reaches('release', 'HELD');
    // 1 of 5 is below the new threshold, and no rescue is allowed any more.
    expect(again).toMatchObject({
      hold: { code: 'rescues_exhausted', round: 2, failed_units: 1, total_units: 5, threshold: 0.5 },
      items: { processed: 4, attempted: 1, excluded: 1 },
      settings: { error_hold_threshold: 0.5, error_max_rescue_attempts: 0 },
    });
    const attempts = (await servers.attempts('release')).slice(6);
    expect(attempts.map(({ site }) => site)).toEqual(Array(6).fill('south'));
    expect(attempts.filter(({ exit_code }) => exit_code === 8)).toHaveLength(2);
    const { workflow_id } = again.rounds[1]!;
    const { body: explained } = await servers.call(
      'GET',
      `/workflows/${workflow_id}/jobs/unit_000007_proc_01/explain`,
    );
    expect(explained).toMatchObject({ job: { requirement: { memory_bytes: 60 * 1024 ** 2 } } });
  });

  test('fail and restart requests in any state that is not an end, and versions refer to each other', async (context) => {
    const servers = makeServers(context);
    await servers.serve();
    await servers.worker('north', '-j', '4');
    const command = 'echo x >> started; [ -e go ] || sleep 600; touch {output}';
    await servers.submit(rangeOf(2, command, { name: 'clone', outputs: 'out/v{version}/{unit}' }));
    await until(() => servers.lines('north/started').length === 2, 'both jobs run');
    expect((await servers.call('POST', '/requests/clone/release', {})).status).toBe(409);
    servers.write('north/go');
    const restarted = await servers.call('POST', '/requests/clone/restart', { reason: 'wrong seed' });
    expect(restarted).toMatchObject({
      status: 200,
      body: { status: 'FAILED', previous_status: 'ACTIVE', new_request: 'clone', new_version: 2 },
    });
    expect(await servers.show('clone@1')).toMatchObject({
      status: 'FAILED',
      output_state: 'active',
      superseded_by_request: 'clone@2',
      rounds: [{ state: 'FAILED' }],
    });
    const done = await servers.reaches('clone', 'COMPLETED');
    expect(done).toMatchObject({ version: 2, previous_version_request: 'clone@1', delivered: '20' });
    expect(await servers.show('clone@1')).toMatchObject({ output_state: 'superseded', delivered: '0' });
    const canceled = (await servers.attempts('clone@1')).map(({ cause }) => cause);
    expect(canceled).toEqual(['canceled', 'canceled']);
    await servers.submit(rangeOf(1, 'sleep 600', { name: 'gone' }));
    await servers.reaches('gone', 'ACTIVE');
    expect(await servers.call('POST', '/requests/gone/fail', { reason: 'not needed' })).toMatchObject({
      status: 200,
      body: { status: 'FAILED', previous_status: 'ACTIVE' },
    });
    expect(await servers.show('gone')).toMatchObject({
      status: 'FAILED',
      output_state: 'invalidated',
      rounds: [{ state: 'FAILED' }],
    });
    for (const action of ['release', 'fail', 'restart', 'stop', 'pause', 'resume']) {
      const { status, body } = await servers.call('POST', `/requests/clone@1/${action}`, {});
      expect([status, (body.error as { code?: string } | undefined)?.code ?? body.code], action).toEqual([
        409,
        'REQUEST_STATE',
      ]);
    }
  });

  test('a held request leaves its place to others', async (context) => {
    const servers = makeServers(context);
    await servers.serve('server', {}, 'max_active_requests: 1\n');
    await servers.worker('north', '-j', '2');
    await servers.submit(rangeOf(1, 'until [ -e go ]; do sleep 0.02; done; false', { name: 'first' }));
    await servers.submit(rangeOf(1, 'true', { name: 'second' }));
    await servers.reaches('first', 'ACTIVE');
    expect((await servers.show('second')).status).toBe('QUEUED');
    servers.write('north/go');
    await servers.reaches('second', 'COMPLETED');
    expect((await servers.show('first')).status).toBe('HELD');
  });
});
