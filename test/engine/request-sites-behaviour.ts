import { describe, expect, test } from 'vitest';
import type { ErrorSettings } from '../../src/core/request/error-settings.ts';
import type { Databases } from './engine-world.ts';
import {
  ADA,
  type Ending,
  INFRASTRUCTURE,
  inUnits,
  OK,
  PERMANENT,
  type RequestWorld,
  range,
  requestWorld,
  type SiteWorker,
  unreadable,
} from './request-world.ts';

const SITES = 'sites: [north, south]';
const BROAD = `${SITES}\nerrors: { error_hold_threshold: 1 }`;
const DAY_MS = 24 * 3_600_000;

/** Bans of sites, on any database. */
export function requestSitesBehaviour(databases: Databases): void {
  /** One round in which so many jobs fail and succeed in the north; the rest of them succeed in the south. */
  const play = async (
    { north, south }: { north: SiteWorker; south: SiteWorker },
    world: RequestWorld,
    failures: number,
    successes: number,
    ending: Ending = INFRASTRUCTURE,
  ) => {
    await world.tend();
    const claims = await north.claim({ slots: failures + successes });
    const others = await south.claim();
    await north.end(claims.slice(0, failures), ending);
    await north.end(claims.slice(failures), OK);
    await south.end(others, OK);
  };
  const twoSites = async (world: RequestWorld) => ({
    north: await world.worker('north'),
    south: await world.worker('south'),
  });
  const bansOf = async (world: RequestWorld, site: string) =>
    (await world.engine.listSites({})).items.find(({ name }) => name === site)?.bans ?? [];

  describe('a site is banned for a request when a run of its round has ended', () => {
    const cases: {
      title: string;
      failures: number;
      successes: number;
      ending?: Ending;
      settings?: Partial<ErrorSettings>;
      banned: boolean;
    }[] = [
      { title: '3 of 5 attempts', failures: 3, successes: 2, banned: true },
      { title: '3 of 6 attempts, which is not more than half', failures: 3, successes: 3, banned: false },
      { title: '2 of 2 attempts, which are too few', failures: 2, successes: 0, banned: false },
      {
        title: '2 of 2 attempts where 2 are enough',
        failures: 2,
        successes: 0,
        settings: { site_ban_min_failures: 2 },
        banned: true,
      },
      {
        title: '3 of 6 attempts where a third is too much',
        failures: 3,
        successes: 3,
        settings: { site_ban_failure_ratio: 0.34 },
        banned: true,
      },
      { title: '5 of 5 data failures', failures: 5, successes: 0, ending: unreadable('x'), banned: false },
      { title: '5 of 5 permanent failures', failures: 5, successes: 0, ending: PERMANENT, banned: false },
    ];
    test.each(cases)('$title: $banned', async ({ failures, successes, ending, settings, banned }) => {
      const world = await requestWorld(databases);
      await world.submit(range({ units: 20, more: BROAD }), settings);
      const workers = await twoSites(world);
      await play(workers, world, failures, successes, ending);
      const bans = await bansOf(world, 'north');
      expect(bans.map(({ site, request_name, actor }) => [site, request_name, actor])).toEqual(
        banned ? [['north', 'sim@1', 'holdfast']] : [],
      );
      if (!banned) return;
      expect(bans[0]).toMatchObject({
        evidence: { site: 'north', total: failures + successes, failed: failures },
        created_at_ms: world.clock.now,
        expires_at_ms: world.clock.now + 7 * DAY_MS,
      });
      expect(await world.siteHistory('north')).toEqual([{ action: 'site_banned', actor: 'holdfast' }]);
    });

    test('not before it has ended, and with the attempts of jobs that succeeded elsewhere', async () => {
      const world = await requestWorld(databases);
      await world.submit(range({ units: 4, more: SITES }).replace('retry: 0', 'retry: 1'));
      const { north, south } = await twoSites(world);
      await world.tend();
      const claims = await north.claim();
      await north.end(claims.slice(0, 3), INFRASTRUCTURE);
      expect(await bansOf(world, 'north')).toEqual([]);
      await north.end(claims.slice(3), OK);
      expect(await bansOf(world, 'north')).toEqual([]);
      expect(await world.drive([south])).toBe('COMPLETED');
      expect(await bansOf(world, 'north')).toHaveLength(1);
      expect(await world.round()).toMatchObject({ decision: { failure_ratio: 0 } });
    });

    test('and the list of sites counts attempts, failures, and those of the category infrastructure', async () => {
      const world = await requestWorld(databases);
      await world.submit(range({ units: 20, more: BROAD }));
      const workers = await twoSites(world);
      await play(workers, world, 3, 2);
      const { items } = await world.engine.listSites({});
      expect(items.map(({ name, attempts }) => [name, attempts])).toEqual([
        ['north', { total: 5, failed: 3, infrastructure: 3 }],
        ['south', { total: 15, failed: 0, infrastructure: 0 }],
      ]);
    });

    test('once for the same attempts, though a rescue of the round ends as well', async () => {
      const world = await requestWorld(databases);
      await world.submit(range({ units: 20, more: BROAD }));
      const { north, south } = await twoSites(world);
      await play({ north, south }, world, 3, 0);
      expect(await bansOf(world, 'north')).toHaveLength(1);
      world.clock.now += 1;
      await world.engine.unbanSite('north', ADA);
      expect(await world.drive([south], inUnits([1], PERMANENT))).toBe('HELD');
      expect(await bansOf(world, 'north')).toEqual([]);
    });

    test('and its next work avoids the site, but that of others does not', async () => {
      const world = await requestWorld(databases);
      await world.submit(range({ units: 20, more: BROAD }));
      const { north, south } = await twoSites(world);
      await play({ north, south }, world, 3, 0);
      expect(await world.state()).toBe('ACTIVE');
      expect(await north.claim()).toEqual([]);
      await world.submit(range({ name: 'other', units: 1, more: SITES }));
      await world.tend();
      const other = await north.claim();
      expect(other).toHaveLength(1);
      const [job] = await south.claim();
      expect(job).toBeDefined();
    });

    test('never if it is the last one of the request', async () => {
      const world = await requestWorld(databases);
      await world.submit(range({ units: 20, more: BROAD }));
      const { north, south } = await twoSites(world);
      await world.tend();
      await north.end(await north.claim({ slots: 4 }), INFRASTRUCTURE);
      await south.end(await south.claim(), INFRASTRUCTURE);
      const banned = (await world.engine.listSites({ banned: true })).items.map(({ name }) => name);
      expect(banned).toHaveLength(1);
    });

    test('and a running attempt there is left alone', async () => {
      const world = await requestWorld(databases);
      await world.submit(range({ units: 2, more: SITES }));
      const { north } = await twoSites(world);
      await world.tend();
      const claims = await north.claim();
      await world.engine.banSite('north', { ...ADA, request: 'sim' });
      const shown = await north.exchange();
      expect([shown.stop, shown.cancel]).toEqual([[], []]);
      await north.end(claims, OK);
      expect(await world.state()).toBe('COMPLETED');
    });
  });

  describe('a site that three requests have banned', () => {
    test('is banned for all, once', async () => {
      const world = await requestWorld(databases);
      const workers = await twoSites(world);
      for (const name of ['a', 'b', 'c', 'd']) {
        await world.submit(range({ name, units: 20, more: BROAD }));
        await world.tend();
        // The site is closed to the fourth.
        await play(workers, world, 3, 0);
        await world.drive([workers.south], () => OK, name);
        expect(await world.state(name)).toBe('COMPLETED');
      }
      const bans = await bansOf(world, 'north');
      expect(bans.map(({ request_name }) => request_name)).toEqual(['a@1', 'b@1', 'c@1', null]);
      expect(bans[3]).toMatchObject({ reason: expect.stringContaining('c@1'), evidence: { requests: 3 } });
      expect((await world.siteHistory('north')).map(({ action }) => action)).toEqual([
        'site_banned',
        'site_banned',
        'site_banned',
        'site_ban_promoted',
      ]);
    });

    test('is banned for all, once, though their rounds end at the same moment in three processes', async () => {
      const world = await requestWorld(databases);
      const engines = [world.engine, await world.another(), await world.another()];
      const lasts: (() => Promise<unknown>)[] = [];
      for (const [index, name] of ['a', 'b', 'c'].entries()) {
        await world.submit(range({ name, units: 4, more: BROAD }));
        await world.tend();
        const { north, south } = await twoSites(world);
        const failing = await north.claim({ slots: 3 });
        const last = await south.claim();
        expect([failing.length, last.length]).toEqual([3, 1]);
        await north.end(failing, INFRASTRUCTURE);
        const reported = await south.report(last, OK);
        lasts.push(() => south.answer(reported, engines[index]!));
      }
      await Promise.all(lasts.map((end) => end()));
      for (const engine of engines.slice(1)) await engine.close();
      const bans = (await bansOf(world, 'north')).map(({ request_name }) => request_name);
      expect(bans.filter((name) => name !== null).sort()).toEqual(['a@1', 'b@1', 'c@1']);
      expect(bans.filter((name) => name === null)).toHaveLength(1);
    });

    test('counts versions of one request once', async () => {
      const world = await requestWorld(databases);
      const workers = await twoSites(world);
      await world.submit(range({ units: 20, more: BROAD }), { site_ban_promotion_threshold: 2 });
      await play(workers, world, 3, 0);
      await world.engine.restartRequest('sim', ADA);
      await workers.south.exchange();
      await play(workers, world, 3, 0);
      const bans = await bansOf(world, 'north');
      expect(bans.map(({ request_name }) => request_name)).toEqual(['sim@1', 'sim@2']);
    });
  });

  describe('a ban', () => {
    test('ends by time, which is recorded once, and the site is used again', async () => {
      const world = await requestWorld(databases);
      await world.submit(range({ units: 20, more: BROAD }), { site_ban_duration_days: 0.00002 });
      const { north, south } = await twoSites(world);
      await play({ north, south }, world, 3, 0);
      expect(await north.claim()).toEqual([]);
      world.clock.now += 0.00002 * DAY_MS;
      const other = await world.another();
      await Promise.all([world.tend(), other.tendRequests({ most_active: 20 }), world.tend()]);
      await other.close();
      expect((await world.siteHistory('north')).map(({ action }) => action)).toEqual([
        'site_banned',
        'site_ban_expired',
      ]);
      expect((await north.claim()).length).toBe(3);
      expect(await bansOf(world, 'north')).toEqual([]);
    });

    test('is removed by a person, whose name is recorded', async () => {
      const world = await requestWorld(databases);
      await world.submit(range({ units: 20, more: BROAD }));
      const { north, south } = await twoSites(world);
      await play({ north, south }, world, 3, 0);
      await world.engine.banSite('north', { actor: 'bob', reason: 'broken' });
      expect(await world.engine.unbanSite('north', { actor: 'eve', request: 'sim' })).toEqual({ removed: 1 });
      expect(await bansOf(world, 'north')).toMatchObject([
        { request_name: null, actor: 'bob', reason: 'broken' },
      ]);
      expect(await north.claim()).toEqual([]);
      expect(await world.engine.unbanSite('north', { actor: 'eve' })).toEqual({ removed: 1 });
      expect(await world.engine.unbanSite('north', { actor: 'eve' })).toEqual({ removed: 0 });
      expect((await north.claim()).length).toBe(3);
      expect(await world.siteHistory('north')).toEqual([
        { action: 'site_banned', actor: 'holdfast' },
        { action: 'site_banned', actor: 'bob' },
        { action: 'site_unbanned', actor: 'eve' },
        { action: 'site_unbanned', actor: 'eve' },
      ]);
    });

    test('of every site of a request holds it instead of planning', async () => {
      const world = await requestWorld(databases);
      await world.submit(range({ units: 2, more: SITES }));
      const { north } = await twoSites(world);
      for (const site of ['north', 'south']) await world.engine.banSite(site, ADA);
      await world.tend();
      expect(await world.show()).toMatchObject({
        status: 'HELD',
        hold: { code: 'no_sites', round: null },
        round_count: 0,
      });
      await world.engine.unbanSite('north', ADA);
      await world.engine.releaseRequest('sim', ADA);
      expect(await world.drive([north])).toBe('COMPLETED');
    });

    test('comes with a release, for this request alone', async () => {
      const world = await requestWorld(databases);
      await world.submit(range({ units: 10, more: SITES }));
      const { north, south } = await twoSites(world);
      expect(await world.drive([north], inUnits([1, 2], PERMANENT))).toBe('HELD');
      await world.engine.releaseRequest('sim', { ...ADA, site_bans: ['north'], reason: 'bad disks' });
      await world.tend();
      expect(await north.claim()).toEqual([]);
      expect(await world.drive([south])).toBe('COMPLETED');
      expect(await bansOf(world, 'north')).toMatchObject([
        { request_name: 'sim@1', actor: 'ada', reason: 'bad disks', evidence: null },
      ]);
    });
  });

  describe('a ready job', () => {
    test('that has no worker at its sites names the sites', async () => {
      const world = await requestWorld(databases);
      await world.submit(range({ units: 1, more: SITES }));
      const east = await world.worker('east');
      await world.tend();
      expect(await east.claim()).toEqual([]);
      const { workflow_id } = await world.round();
      const { waits } = await world.engine.explain(workflow_id, 'unit_000001_proc_01');
      expect(waits).toMatchObject([
        { worker: { site: 'east' }, short: { kind: 'site', site: 'east', allowed: ['north', 'south'] } },
      ]);
    });

    test('that has only workers at banned sites names the ban', async () => {
      const world = await requestWorld(databases);
      await world.submit(range({ units: 1 }));
      const north = await world.worker('north');
      await world.engine.banSite('north', { ...ADA, reason: 'broken', duration_days: 1 });
      await world.tend();
      expect(await north.claim()).toEqual([]);
      const { workflow_id } = await world.round();
      const { waits } = await world.engine.explain(workflow_id, 'unit_000001_proc_01');
      expect(waits).toMatchObject([
        {
          worker: { site: 'north' },
          short: { kind: 'ban', site: 'north', reason: 'broken', until_ms: world.clock.now + DAY_MS },
        },
      ]);
    });
  });
}
