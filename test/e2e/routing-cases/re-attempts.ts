import { AT_ONCE, type RoutingCase } from '../routing-play.ts';

/** on_fail.retry alone, and where its settings come from. */
export const RE_ATTEMPTS: RoutingCase[] = [
  {
    name: 'a step is tried again as often as retry.max says, and continues when it succeeds',
    spec: `
steps:
  unit: { exec: ./play unit 1 1 0, on_fail: { retry: { max: 2, ${AT_ONCE} } } }
  after: { exec: ./play after }
`,
    executions: 'unit unit unit after',
    exit: 0,
  },
  {
    name: 'a step whose re-attempts are used up fails, and its dependents are canceled',
    spec: `
steps:
  unit: { exec: ./play unit 1, on_fail: { retry: { max: 1, ${AT_ONCE} } } }
  after: { exec: ./play after }
`,
    executions: 'unit unit',
    exit: 1,
    ends: { unit: 'failed', after: 'canceled' },
  },
  {
    name: 'retry.max 0 with nothing to run is no re-attempt',
    spec: `
steps:
  unit: { exec: ./play unit 1, on_fail: { retry: { max: 0, ${AT_ONCE} } } }
`,
    executions: 'unit',
    exit: 1,
    verdicts: { unit: ['fail'] },
  },
  {
    name: 'a step without routes fails as it always did',
    spec: `
steps:
  unit: { exec: ./play unit 1 }
  after: { exec: ./play after }
`,
    executions: 'unit',
    exit: 1,
    ends: { after: 'canceled' },
  },
  {
    name: 'exponential backoff is waited for',
    spec: `
steps:
  unit: { exec: ./play unit 1 1 0, on_fail: { retry: { max: 2, backoff: { mode: exponential, delay_ms: 40 } } } }
`,
    executions: 'unit unit unit',
    exit: 0,
    waits: { unit: [40, 80] },
  },
  {
    name: 'each new visit has its re-attempts anew',
    spec: `
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1 1 1 0, on_fail: { retry: { max: 1, ${AT_ONCE} }, goto: a } }
`,
    executions: 'a b b a b b',
    exit: 0,
  },
  {
    name: 're-attempts count toward max_loops',
    spec: `
routing: { max_loops: 1 }
steps:
  unit: { exec: ./play unit 1, on_fail: { retry: { max: 3, ${AT_ONCE} } } }
`,
    executions: 'unit unit',
    exit: 1,
    reasons: { unit: /loop_abort/ },
    verdicts: { unit: ['retry', 'loop_abort'] },
  },
  {
    name: 'max_loops is enough for as many re-attempts as it says',
    spec: `
routing: { max_loops: 2 }
steps:
  unit: { exec: ./play unit 1 1 0, on_fail: { retry: { max: 3, ${AT_ONCE} } } }
`,
    executions: 'unit unit unit',
    exit: 0,
  },
  {
    name: 'defaults reach every step, and on_fail none opts out',
    spec: `
order: graph
max_parallel: 1
routing: { defaults: { on_fail: { retry: { max: 1, ${AT_ONCE} } } } }
steps:
  a: { exec: ./play a 1 0 }
  b: { exec: ./play b 1 0, on_fail: none }
  c: { exec: ./play c 1 0 }
`,
    executions: 'a a b c c',
    exit: 1,
    ends: { a: 'completed', b: 'failed', c: 'completed' },
  },
  {
    name: 'defaults merge key by key, and a key of the step replaces the whole of it',
    spec: `
routing: { defaults: { on_fail: { run: [fix], retry: { max: 2, ${AT_ONCE} } } } }
steps:
  a: { exec: ./play a 1 1 0 }
  b: { exec: ./play b 1 1 0, on_fail: { run: [other] } }
  c: { exec: ./play c 1 1 0, on_fail: { retry: { max: 1, ${AT_ONCE} } } }
  fix: { exec: ./play fix }
  other: { exec: ./play other }
`,
    executions: 'a fix a fix a b other b other b c fix c',
    exit: 1,
    ends: { a: 'completed', b: 'completed', c: 'failed' },
  },
  {
    name: 'a default remediation does not remediate itself',
    spec: `
routing: { defaults: { on_fail: { run: [fix], retry: { ${AT_ONCE} } } } }
steps:
  a: { exec: ./play a 1 }
  fix: { exec: ./play fix 1 }
`,
    executions: 'a fix',
    exit: 1,
    ends: { a: 'failed', fix: 'failed' },
  },
  {
    name: 'a default goto is for those that come after its target',
    spec: `
routing: { defaults: { on_fail: { goto: b } } }
steps:
  a: { exec: ./play a }
  b: { exec: ./play b }
  c: { exec: ./play c 1 0 }
  d: { exec: ./play d 1 0 }
`,
    executions: 'a b c b c d b c d',
    exit: 0,
  },
  {
    name: 'a default goto leaves alone what its target waits for',
    spec: `
routing: { defaults: { on_fail: { goto: b } } }
steps:
  a: { exec: ./play a 1 }
  b: { exec: ./play b }
`,
    executions: 'a',
    exit: 1,
    ends: { a: 'failed', b: 'canceled' },
  },
  {
    name: 'jobs have routes too',
    spec: `
max_parallel: 1
jobs:
  - { name: prepare, command: ./play prepare }
  - name: work_{i}
    parameters: { i: "1:2" }
    depends_on: [prepare]
    command: ./play work_{i} 1 1 0
    on_fail: { run: [clean], retry: { max: 1, ${AT_ONCE} }, goto: prepare }
  - { name: clean, command: ./play clean }
  - { name: report, command: ./play report, depends_on: [work_1, work_2] }
`,
    executions: 'prepare work_1 work_2 clean work_1 prepare work_1 work_2 clean work_2 report',
    exit: 0,
    ends: { clean: 'completed', report: 'completed' },
  },
];
