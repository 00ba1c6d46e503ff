import { describe, test } from 'vitest';
import { CODE } from './routing-cases/code.ts';
import { CONDITIONS } from './routing-cases/conditions.ts';
import { ITEMS } from './routing-cases/items.ts';
import { JOINS } from './routing-cases/joins.ts';
import { JUMPS } from './routing-cases/jumps.ts';
import { POLICIES } from './routing-cases/policies.ts';
import { RE_ATTEMPTS } from './routing-cases/re-attempts.ts';
import { REMEDIATION } from './routing-cases/remediation.ts';
import { SUCCESSES } from './routing-cases/successes.ts';
import { WORKED_CASES } from './routing-cases/worked-cases.ts';
import { playCase } from './routing-play.ts';

const TABLE = {
  'worked cases': WORKED_CASES,
  're-attempts': RE_ATTEMPTS,
  remediation: REMEDIATION,
  'jumps after failures': JUMPS,
  'routes of successes': SUCCESSES,
  'code in routes': CODE,
  'conditions and any-of': CONDITIONS,
  'routes beside other policies': POLICIES,
  'items of a forEach': ITEMS,
  'nested items and joins': JOINS,
};

/** The first of each part and the first with each exit code have the program in a process of their own. */
const exits = new Set<number>();

describe.concurrent.each(Object.entries(TABLE))('%s', (_, cases) => {
  for (const [index, routed] of cases.entries()) {
    const apart = index === 0 || !exits.has(routed.exit);
    exits.add(routed.exit);
    test(routed.name, (context) => playCase(routed, context, { apart }));
  }
});
