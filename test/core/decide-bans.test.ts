import { describe, expect, it } from 'vitest';
import { decideBans } from '../../src/core/request/decide-bans.ts';
import { DEFAULT_ERROR_SETTINGS } from '../../src/core/request/error-settings.ts';

const at = (site: string, failed: number, total: number) => ({ site, failed, total });
const open = ['north', 'south', 'east'];
const banned = (attempts: ReturnType<typeof at>[], sites = open, changes = {}) =>
  decideBans({ attempts, open: sites }, { ...DEFAULT_ERROR_SETTINGS, ...changes }).map(({ site }) => site);

describe('bans of sites', () => {
  it.each([
    ['3 of 5', at('north', 3, 5), ['north']],
    ['3 of 6: not more than half', at('north', 3, 6), []],
    ['2 of 2: too few', at('north', 2, 2), []],
    ['3 of 3', at('north', 3, 3), ['north']],
    ['a site that is not open', at('west', 9, 9), []],
  ])('%s', (_, attempts, expected) => {
    expect(banned([attempts])).toEqual(expected);
  });

  it('have settings for both limits', () => {
    expect(banned([at('north', 2, 2)], open, { site_ban_min_failures: 2 })).toEqual(['north']);
    expect(banned([at('north', 3, 6)], open, { site_ban_failure_ratio: 0.4 })).toEqual(['north']);
  });

  it('never take the last site, and leave the best of all bad ones', () => {
    expect(banned([at('north', 9, 9)], ['north'])).toEqual([]);
    expect(banned([at('north', 9, 10), at('south', 6, 10), at('east', 10, 10)])).toEqual(['east', 'north']);
  });

  it('carry their evidence and a reason', () => {
    expect(decideBans({ attempts: [at('north', 3, 4)], open }, DEFAULT_ERROR_SETTINGS)).toEqual([
      {
        site: 'north',
        evidence: { site: 'north', failed: 3, total: 4 },
        reason: '3 of 4 attempts failed for reasons of the site (75 %)',
      },
    ]);
  });
});
