import { AT_ONCE, type RoutingCase } from '../routing-play.ts';

/** What the worked cases G1 to G20 ask for, and P5, under their names; G17 is in `routing-crash.test.ts`. */
export const WORKED_CASES: RoutingCase[] = [
  {
    name: 'G1: remediation runs before the re-attempt',
    spec: `
steps:
  build:
    exec: ./play build 1 0
    on_fail: { run: [lint-fix], retry: { max: 1, ${AT_ONCE} } }
  lint-fix: { exec: ./play lint-fix }
`,
    executions: 'build lint-fix build',
    exit: 0,
    ends: { build: 'completed', 'lint-fix': 'completed' },
    verdicts: { build: ['retry', 'complete'] },
  },
  {
    name: 'G2: run without retry means one re-attempt',
    spec: `
steps:
  build: { exec: ./play build 1, on_fail: { run: [fix], retry: { ${AT_ONCE} } } }
  fix: { exec: ./play fix }
`,
    executions: 'build fix build',
    exit: 1,
    ends: { build: 'failed', fix: 'completed' },
  },
  {
    name: 'G3: re-attempts and gotos share max_loops, and the one too many aborts',
    spec: `
routing: { max_loops: 3 }
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1, on_fail: { run: [fix], goto: a, retry: { ${AT_ONCE} } } }
  fix: { exec: ./play fix }
`,
    executions: 'a b fix b a b fix b',
    exit: 1,
    ends: { a: 'completed', b: 'failed' },
    reasons: { b: /loop_abort/ },
    verdicts: { b: ['retry', 'goto', 'retry', 'loop_abort'] },
  },
  {
    name: 'G4: a remediation that fails fails the step, which names it, and nothing else',
    spec: `
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1, depends_on: a, on_fail: { run: [fix], goto: a, retry: { ${AT_ONCE} } } }
  fix: { exec: ./play fix 1 }
  after: { exec: ./play after, depends_on: b }
  x: { exec: ./play x }
  y: { exec: ./play y, depends_on: x }
`,
    executions: { branches: ['a b fix', 'x y'] },
    exit: 1,
    ends: { b: 'failed', fix: 'failed', after: 'canceled', y: 'completed' },
    reasons: { b: /fix/ },
  },
  {
    name: 'G5: goto after the re-attempts, and what is beside it is left alone',
    spec: `
steps:
  setup: { exec: ./play setup }
  unit:
    depends_on: setup
    exec: ./play unit 1 1 0
    on_fail: { retry: { max: 1, ${AT_ONCE} }, goto: setup }
  x: { exec: ./play x }
`,
    executions: { branches: ['setup unit unit setup unit', 'x'] },
    exit: 0,
  },
  {
    name: 'G6: gotos at the same time merge',
    spec: `
steps:
  a: { exec: ./play a }
  b: { exec: touch b.up; ./await c.up; ./play b 1 0, depends_on: a, on_fail: { goto: a } }
  c: { exec: touch c.up; ./await b.up; ./play c 1 0, depends_on: a, on_fail: { goto: a } }
`,
    args: ['-j', '4'],
    executions: { branches: ['a b a b', 'a c a c'] },
    exit: 0,
  },
  {
    name: 'G7: goto_js after a success',
    spec: `
steps:
  unit: { exec: ./play unit }
  build: { exec: ./play build, on_success: { goto_js: "attempt === 1 ? 'unit' : null" } }
`,
    executions: 'unit build unit build',
    exit: 0,
    verdicts: { build: ['goto', 'complete'] },
  },
  {
    name: 'G8: the sketch of the proposal goes round until max_loops ends it',
    spec: `
version: "2.0"
routing:
  max_loops: 10
  defaults: { on_fail: { retry: { max: 0, backoff: { mode: fixed, delay_ms: 2000 } } } }
steps:
  setup-env: { type: command, exec: ./play setup-env }
  unit-tests:
    type: command
    exec: ./play unit-tests
    on_fail:
      retry: { max: 1, backoff: { mode: fixed, delay_ms: 3000 } }
      goto: setup-env
      goto_js: |
        // Provided variables: step, attempt, loop, error, foreach, outputs, pr, files
        if (error.message?.includes('module not found')) return 'setup-env';
        return null;
      run_js: |
        const fixes = [];
        if (error.stderr?.includes('lint')) fixes.push('lint-fix');
        return fixes;
  lint-fix: { type: command, exec: ./play lint-fix }
  build:
    type: command
    exec: ./play build
    on_fail: { run: [lint-fix], retry: { max: 1 } }
  summary:
    type: command
    exec: ./play summary
    on_success:
      run: [notify]
      goto: unit-tests
      goto_js: |
        if (/retest/i.test(outputs?.overview ?? '')) return 'unit-tests';
        return null;
  notify: { type: command, exec: ./play notify }
`,
    executions: `setup-env${' unit-tests build summary notify'.repeat(11)}`,
    exit: 1,
    ends: { summary: 'failed', notify: 'completed', 'lint-fix': 'disabled' },
    reasons: { summary: /loop_abort/ },
  },
  {
    name: 'G9: with max_loops 0 nothing is routed',
    spec: `
routing: { max_loops: 0 }
steps:
  base: { exec: ./play base }
  failing: { exec: ./play failing 1, on_fail: { goto: base } }
`,
    executions: 'base failing',
    exit: 1,
    reasons: { failing: /loop_abort/ },
  },
  {
    name: 'G10: each item has attempts of its own',
    spec: `
steps:
  list:
    forEach: true
    exec: ./say list '["a","b","c"]'
  p: { exec: "./play p-{{ outputs.list }} 1 0", on_fail: { retry: { max: 1, ${AT_ONCE} } } }
`,
    executions: { branches: ['list p-a p-a', 'list p-b p-b', 'list p-c p-c'] },
    exit: 0,
    ends: { 'p@list[0]': 'completed', 'p@list[2]': 'completed' },
  },
  {
    name: 'G11: an item that fails ends only its branch, and the join hears of it',
    spec: `
steps:
  list: { exec: "./say list '[1,2,3]'", forEach: true }
  A: { exec: "./play A{{ outputs.list }}" }
  B: { exec: "./play B{{ outputs.list }} {% if outputs.list == 2 %}1{% endif %}" }
  C: { exec: "./play C{{ outputs.list }}" }
  join: { exec: "./play join-{{ outputs.C | size }}-{{ failures.C | size }}", fanout: reduce }
`,
    executions: { branches: ['list A1 B1 C1 join-2-1', 'list A2 B2 join-2-1', 'list A3 B3 C3 join-2-1'] },
    exit: 1,
    ends: { 'B@list[1]': 'failed', 'C@list[1]': 'canceled', 'C@list[2]': 'completed', join: 'completed' },
  },
  {
    name: 'G12: an empty list disables its items, and the join gets an empty list',
    spec: `
steps:
  list: { exec: "./say list '[]'", forEach: true }
  p: { exec: ./play p }
  join: { exec: "./play join-{{ outputs.p | size }}", fanout: reduce }
`,
    executions: 'list join-0',
    exit: 0,
    ends: { join: 'completed' },
  },
  {
    name: 'G13: goto_js that loops for ever fails to be evaluated, and the static goto applies',
    spec: `
routing: { max_loops: 1 }
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1 0, depends_on: a, on_fail: { goto_js: "while (true) {}", goto: a } }
  x: { exec: ./play x }
`,
    executions: { branches: ['a b a b', 'x'] },
    exit: 0,
    problems: [/./],
  },
  {
    name: 'G14: steps without depends_on run in written order',
    spec: `
steps:
  x: { exec: ./play x }
  y: { exec: ./play y }
  z: { exec: ./play z }
`,
    executions: 'x y z',
    exit: 0,
  },
  {
    name: 'G15: a step that is planned and called runs once as each',
    spec: `
max_parallel: 1
steps:
  notify: { exec: ./play notify }
  build: { exec: ./play build, depends_on: notify, on_success: { run: [notify] } }
  deploy: { exec: ./play deploy, depends_on: [notify, build] }
`,
    executions: 'notify build notify deploy',
    exit: 0,
    ends: { notify: 'completed' },
  },
  {
    name: 'G16: what runs downstream of a goto is let finish and superseded',
    spec: `
steps:
  a: { exec: ./play a }
  b:
    depends_on: a
    exec: ./play b; [ ! -e c.up ] || { touch b.again; ./await overtaken; }
  c:
    depends_on: b
    exec: ./play c 1 0; code=$?; touch c.up; ./await b.again; exit $code
    on_fail: { goto: a }
  d: { exec: ./await c.up, on_success: { run: [b] } }
`,
    args: ['-j', '4'],
    executions: 'a b c b a b c',
    exit: 0,
    meanwhile: async (world) => {
      await world.attemptWhich(
        'c goes to a',
        ({ job_name, verdict }) => job_name === 'c' && verdict === 'goto',
      );
      world.write('overtaken');
    },
    verdicts: { b: ['complete', 'supersede', 'complete'], c: ['goto', 'complete'] },
  },
  {
    name: 'G18: a loop_abort fails the run, also with continue_on_failure',
    spec: `
routing: { max_loops: 0 }
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1, on_fail: { goto: a }, continue_on_failure: true }
`,
    executions: 'a b',
    exit: 1,
    ends: { b: 'failed' },
    reasons: { b: /loop_abort/ },
    verdicts: { b: ['loop_abort'] },
  },
  {
    name: 'G19: the code of a reduce step sees what it joins',
    spec: `
variables: { least: 2 }
steps:
  list: { exec: "./say list '[1,2]'", forEach: true }
  v: { exec: "./play v{{ outputs.list }} >&2; echo {{ outputs.list }}" }
  j:
    exec: ./play j; echo 3
    fanout: reduce
    if: outputs.v.length === variables.least && failures.v.length === 0
    fail_if: outputs.v.join() !== '1,2'
    on_success: { goto_js: "outputs_history.j.join() === '3' && outputs.v.length === 2 ? 'list' : null" }
`,
    executions: { branches: ['list v1 j list v1 j', 'list v2 j list v2 j'] },
    exit: 0,
    problems: [],
    ends: { j: 'completed' },
  },
  {
    name: 'G20: code that cannot be evaluated is a line of the output and an event',
    spec: `
steps:
  a: { exec: ./play a, on_success: { goto_js: nosuch.x } }
`,
    executions: 'a',
    exit: 0,
    prints: [/code +a +goto_js cannot be evaluated: .*nosuch/],
    says: [/a +1 +evaluation_failure +goto_js cannot be evaluated: .*nosuch/],
    events: { evaluation_failure: [/^goto_js cannot be evaluated: .*nosuch.*; the static keys apply$/] },
  },
  {
    name: 'P5: a failure that post calls permanent still takes its goto',
    spec: `
steps:
  fetch: { exec: ./play fetch }
  job:
    exec: ./play job 1 0
    post: '[ "$HOLDFAST_RETURN_CODE" = 0 ] || exit 42'
    on_fail: { retry: { max: 3, ${AT_ONCE} }, goto: fetch }
`,
    executions: 'fetch job fetch job',
    exit: 0,
    verdicts: { job: ['goto', 'complete'] },
  },
];
