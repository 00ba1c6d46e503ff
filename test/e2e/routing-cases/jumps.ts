import { AT_ONCE, type RoutingCase } from '../routing-play.ts';

/** goto after failures, and max_loops. */
export const JUMPS: RoutingCase[] = [
  {
    name: 'goto runs everything downstream of its target again, and nothing else',
    spec: `
max_parallel: 1
steps:
  before: { exec: ./play before }
  a: { exec: ./play a, depends_on: before }
  side: { exec: ./play side, depends_on: a }
  b: { exec: ./play b 1 0, depends_on: a, on_fail: { goto: a } }
  end: { exec: ./play end, depends_on: [side, b] }
  x: { exec: ./play x, depends_on: before }
`,
    executions: 'before a side b a side b end x',
    exit: 0,
  },
  {
    name: 'what has not run when a goto comes runs once',
    spec: `
max_parallel: 1
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1 0, depends_on: a, on_fail: { goto: a } }
  side: { exec: ./play side, depends_on: a }
`,
    executions: 'a b a b side',
    exit: 0,
  },
  {
    name: 'a goto to the middle does not repeat what comes before it',
    spec: `
steps:
  a: { exec: ./play a }
  b: { exec: ./play b }
  c: { exec: ./play c 1 1 0, on_fail: { goto: b } }
  d: { exec: ./play d }
`,
    executions: 'a b c b c b c d',
    exit: 0,
  },
  {
    name: 'a step that had failed runs again when a goto above it comes',
    spec: `
max_parallel: 1
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1 0, depends_on: a }
  after: { exec: ./play after, depends_on: b }
  c: { exec: ./play c 1 0, depends_on: a, on_fail: { goto: a } }
`,
    executions: 'a b c a b after c',
    exit: 0,
    ends: { b: 'completed', after: 'completed' },
  },
  {
    name: 'what a failure elsewhere had canceled stays canceled',
    spec: `
max_parallel: 1
steps:
  x: { exec: ./play x 1 }
  a: { exec: ./play a }
  b: { exec: ./play b 1 0, depends_on: a, on_fail: { goto: a } }
  both: { exec: ./play both, depends_on: [x, b] }
`,
    executions: 'x a b a b',
    exit: 1,
    ends: { b: 'completed', both: 'canceled' },
  },
  {
    name: 'gotos of two steps count together',
    spec: `
routing: { max_loops: 2 }
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1 0, on_fail: { goto: a } }
  c: { exec: ./play c 1, on_fail: { goto: b } }
`,
    executions: 'a b a b c b c',
    exit: 1,
    reasons: { c: /loop_abort/ },
  },
  {
    name: 'max_loops is enough for as many gotos as it says',
    spec: `
routing: { max_loops: 2 }
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1 1 0, on_fail: { goto: a } }
`,
    executions: 'a b a b a b',
    exit: 0,
  },
  {
    name: 'loop_abort lists the routes that were taken',
    spec: `
routing: { max_loops: 2 }
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1, on_fail: { retry: { max: 1, ${AT_ONCE} }, goto: a } }
`,
    executions: 'a b b a b',
    exit: 1,
    reasons: { b: /loop_abort.*b.*b.*a/s },
    says: [/loop_abort/],
  },
  {
    name: 'loop_abort stops what runs and cancels what has not started',
    spec: `
routing: { max_loops: 0 }
steps:
  a: { exec: ./play a }
  b: { exec: ./await x.up; ./play b 1, depends_on: a, on_fail: { goto: a } }
  x: { exec: ./play x; touch x.up; ./await never }
  after: { exec: ./play after, depends_on: x }
`,
    args: ['-j', '4'],
    executions: { branches: ['a b', 'x b'] },
    exit: 1,
    ends: { a: 'completed', b: 'failed', x: 'canceled', after: 'canceled' },
    reasons: { x: /^loop_abort of b$/ },
  },
  {
    name: 'goto_js sees how the step failed, and chooses',
    spec: `
steps:
  setup: { exec: ./play setup }
  compile: { exec: ./play compile }
  unit:
    exec: |
      if ./play unit 4 5 0; then exit 0; else code=$?; fi
      [ $code = 4 ] && echo 'module not found' >&2
      exit $code
    on_fail:
      goto: setup
      goto_js: |
        if (error.stderr.includes('module not found')) return 'setup';
        if (error.code === 5 && error.exitCode === 5) return 'compile';
        return false;
`,
    executions: 'setup compile unit setup compile unit compile unit',
    exit: 0,
  },
  {
    name: 'error.message is what the program said last',
    spec: `
steps:
  a: { exec: ./play a }
  b:
    exec: |
      ./play b 1 0; code=$?
      echo out
      printf 'Error: module not found\\n\\n' >&2
      exit $code
    on_fail:
      goto_js: |
        if (error.message?.includes('module not found')) return 'a';
        return null;
`,
    executions: 'a b a b',
    exit: 0,
  },
  {
    name: 'goto_js goes before goto',
    spec: `
steps:
  a: { exec: ./play a }
  b: { exec: ./play b }
  c: { exec: ./play c 1 0, on_fail: { goto: a, goto_js: "'b'" } }
`,
    executions: 'a b c b c',
    exit: 0,
  },
  {
    name: 'goto_js sees a timeout as code 152',
    spec: `
steps:
  a: { exec: ./play a }
  b:
    timeout: 1000
    exec: ./play b 1 0 || ./await never
    on_fail: { goto_js: "error.code === 152 && error.exitCode === null ? 'a' : false" }
`,
    executions: 'a b a b',
    exit: 0,
  },
  {
    name: 'false from goto_js means no jump, whatever goto says',
    spec: `
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1, on_fail: { goto: a, goto_js: "false" } }
`,
    executions: 'a b',
    exit: 1,
    reasons: { b: /^(?!.*loop_abort)/ },
  },
  {
    name: 'null from goto_js leaves it to goto',
    spec: `
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1 0, on_fail: { goto: a, goto_js: "null" } }
`,
    executions: 'a b a b',
    exit: 0,
    problems: [],
  },
  {
    name: 'nothing returned from goto_js leaves it to goto',
    spec: `
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1 0, on_fail: { goto: a, goto_js: "if (loop > 5) return 'a';" } }
`,
    executions: 'a b a b',
    exit: 0,
    problems: [],
  },
  {
    name: 'null from goto_js without goto is no jump',
    spec: `
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1, on_fail: { goto_js: "null" } }
`,
    executions: 'a b',
    exit: 1,
  },
  {
    name: 'a step that goto_js names but does not come before is refused, and goto applies',
    spec: `
max_parallel: 1
steps:
  a: { exec: ./play a }
  beside: { exec: ./play beside, depends_on: a }
  b: { exec: ./play b 1 0, depends_on: a, on_fail: { goto: a, goto_js: "'beside'" } }
`,
    executions: 'a beside b a beside b',
    exit: 0,
    failedCode: { b: ['goto_js'] },
  },
  {
    name: 'a goto_js that names nothing there is, or no step at all, is refused',
    spec: `
max_parallel: 1
order: graph
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1, depends_on: a, on_fail: { goto_js: "'nope'" } }
  c: { exec: ./play c 1, depends_on: a, on_fail: { goto_js: "42" } }
  d: { exec: ./play d 1, depends_on: a, on_fail: { goto_js: "true" } }
`,
    executions: 'a b c d',
    exit: 1,
    failedCode: { b: ['goto_js'], c: ['goto_js'], d: ['goto_js'] },
  },
  {
    name: 'a goto_js that throws is recorded, and goto applies',
    spec: `
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1 0, on_fail: { goto: a, goto_js: "throw new Error('no idea')" } }
`,
    executions: 'a b a b',
    exit: 0,
    problems: [/no idea/],
  },
  {
    name: 'goto_js decides only when the re-attempts are used up',
    spec: `
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1 1 0, on_fail: { retry: { max: 1, ${AT_ONCE} }, goto_js: "loop === 1 ? 'a' : false" } }
`,
    executions: 'a b b a b',
    exit: 0,
  },
];
