import fc from 'fast-check';
import type { FullState, RestingState, ServedCall } from '../../src/core/job/full-state.ts';

const id = fc.integer({ min: 1, max: 2 ** 40 });
const time = fc.integer({ min: 0, max: 2 ** 45 });
/** Text of PostgreSQL has no zero bytes. */
const text = fc.string({ minLength: 1 }).map((drawn) => drawn.replaceAll('\0', '?'));
const because = fc.option(id);
const avoids = fc.option(fc.record({ worker_id: id, site: fc.option(text), until: time }));

const anyEnded = fc.oneof(
  fc.record({ status: fc.constantFrom('completed', 'failed', 'terminated', 'disabled') }),
  fc.record({ status: fc.constant('canceled'), because }),
);

const anyResting = fc.oneof(
  anyEnded,
  fc.record({
    status: fc.constant('blocked'),
    waiting: fc.record({ for: fc.constantFrom('dependencies', 'overtaken') }),
  }),
) as fc.Arbitrary<RestingState>;

export const anyState = fc.oneof(
  anyResting,
  fc.record({ status: fc.constantFrom('uninitialized', 'pending_failed') }),
  fc.record({
    status: fc.constant('blocked'),
    waiting: fc.record({ for: fc.constant('route'), token: id }),
  }),
  fc.record({
    status: fc.constant('ready'),
    waiting: fc.oneof(
      fc.record({ for: fc.constant('worker'), gives_up_at: fc.option(time) }),
      fc.record({ for: fc.constant('retry'), until: time }),
      fc.record({ for: fc.constantFrom('recovery', 'route'), token: id, until: time }),
    ),
    avoids,
  }),
  fc.record({
    status: fc.constantFrom('pending', 'running'),
    order: fc.option(
      fc.oneof(
        fc.record({ kind: fc.constant('cancel'), because }),
        fc.record({ kind: fc.constant('retry'), actor: text }),
      ),
    ),
    overtaken: fc.boolean(),
  }),
) as fc.Arbitrary<FullState>;

export const anyServedCall: fc.Arbitrary<ServedCall | null> = fc.option(
  fc.record({ call_id: id, returns_to: anyResting }),
);
