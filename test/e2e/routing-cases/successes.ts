import { AT_ONCE, type RoutingCase } from '../routing-play.ts';

/** on_success: run, run_js, goto, goto_js. */
export const SUCCESSES: RoutingCase[] = [
  {
    name: 'dependents wait for what a success runs',
    spec: `
steps:
  b: { exec: ./play b, on_success: { run: [n1, n2] } }
  n1: { exec: ./play n1 }
  n2: { exec: ./play n2 }
  after: { exec: ./play after, depends_on: b }
`,
    args: ['-j', '4'],
    executions: 'b n1 n2 after',
    exit: 0,
  },
  {
    name: 'a success runs its steps first and jumps then',
    spec: `
steps:
  a: { exec: ./play a }
  b: { exec: ./play b, on_success: { run: [n], goto_js: "attempt === 1 ? 'a' : null" } }
  n: { exec: ./play n }
  end: { exec: ./play end }
`,
    executions: 'a b n a b n end',
    exit: 0,
  },
  {
    name: 'goto_js of a success sees what the steps it ran put out',
    spec: `
steps:
  a: { exec: ./play a }
  b: { exec: ./play b, on_success: { run: [check], goto_js: "outputs.check.again ? 'a' : false" } }
  check: { exec: "./say check '{\\"again\\": true}' '{\\"again\\": false}'" }
`,
    executions: 'a b check a b check',
    exit: 0,
  },
  {
    name: 'a step run after a success that fails ends the list and the jump, not the step',
    spec: `
steps:
  a: { exec: ./play a }
  b: { exec: ./play b, on_success: { run: [n1, n2], goto: a } }
  n1: { exec: ./play n1 1 }
  n2: { exec: ./play n2 }
  after: { exec: ./play after }
`,
    executions: 'a b n1 after',
    exit: 1,
    ends: { b: 'completed', n1: 'failed', n2: 'disabled', after: 'completed' },
  },
  {
    name: 'a step run after a success may fail with continue_on_failure',
    spec: `
steps:
  a: { exec: ./play a }
  b: { exec: ./play b, on_success: { run: [n1, n2], goto_js: "attempt === 1 ? 'a' : false" } }
  n1: { exec: ./play n1 1, continue_on_failure: true }
  n2: { exec: ./play n2 }
`,
    executions: 'a b n1 n2 a b n1 n2',
    exit: 0,
    ends: { n1: 'failed', n2: 'completed' },
  },
  {
    name: 'calls after successes do not count toward max_loops',
    spec: `
routing: { max_loops: 0 }
steps:
  a: { exec: ./play a, on_success: { run: [n] } }
  b: { exec: ./play b, on_success: { run: [n] } }
  n: { exec: ./play n }
`,
    executions: 'a n b n',
    exit: 0,
    callers: { n: ['a', 'b'] },
  },
  {
    name: 'run_js of a success adds to run, without duplicates',
    spec: `
steps:
  b: { exec: ./play b, on_success: { run: [n1], run_js: "['n2', 'n1', 'n2']" } }
  n1: { exec: ./play n1 }
  n2: { exec: ./play n2, on_call: true }
`,
    executions: 'b n1 n2',
    exit: 0,
  },
  {
    name: 'run_js of a success sees its output',
    spec: `
steps:
  b:
    exec: ./say b '{"note":["n2"]}'
    on_success: { run_js: "return output.note" }
  n1: { exec: ./play n1, on_call: true }
  n2: { exec: ./play n2, on_call: true }
`,
    executions: 'b n2',
    exit: 0,
    ends: { n1: 'disabled' },
  },
  {
    name: 'an empty list from run_js runs nothing',
    spec: `
steps:
  b: { exec: ./play b, on_success: { run_js: "[]" } }
  after: { exec: ./play after }
`,
    executions: 'b after',
    exit: 0,
    problems: [],
  },
  {
    name: 'one bad id from run_js of a success spoils them all, and run applies',
    spec: `
steps:
  b: { exec: ./play b, on_success: { run: [n1], run_js: "['n2', 'nope']" } }
  n1: { exec: ./play n1 }
  n2: { exec: ./play n2, on_call: true }
`,
    executions: 'b n1',
    exit: 0,
    failedCode: { b: ['run_js'] },
  },
  {
    name: 'the static goto of a success goes round until max_loops ends it',
    spec: `
routing: { max_loops: 2 }
steps:
  a: { exec: ./play a }
  b: { exec: ./play b, on_success: { goto: a } }
  after: { exec: ./play after }
`,
    executions: 'a b a b a b',
    exit: 1,
    ends: { a: 'completed', b: 'failed', after: 'canceled' },
    reasons: { b: /loop_abort/ },
    verdicts: { b: ['goto', 'goto', 'loop_abort'] },
  },
  {
    name: 'false from goto_js ends the round of a static goto',
    spec: `
steps:
  a: { exec: ./play a }
  b: { exec: ./play b, on_success: { goto: a, goto_js: "loop === 3 ? false : null" } }
`,
    executions: 'a b a b a b a b',
    exit: 0,
  },
  {
    name: 'a goto_js of a success that cannot be evaluated leaves it to goto',
    spec: `
routing: { max_loops: 1 }
steps:
  a: { exec: ./play a }
  b: { exec: ./play b, on_success: { goto: a, goto_js: "nothing.like.it" } }
`,
    executions: 'a b a b',
    exit: 1,
    problems: [/nothing/, /nothing/],
  },
  {
    name: 'a goto_js that fails after the called steps is an event, too',
    spec: `
steps:
  a: { exec: ./play a, on_success: { run: [n], goto_js: nosuch.x } }
  n: { exec: ./play n }
`,
    executions: 'a n',
    exit: 0,
    prints: [/code +a +goto_js cannot be evaluated: .*nosuch/],
    events: { evaluation_failure: [/nosuch/] },
  },
  {
    name: 'outputs are fresh after a goto, and outputs_history keeps the old ones',
    spec: `
steps:
  a: { exec: ./say a 1 2 3 }
  b: { exec: "./play b{{ outputs.a }}", on_success: { goto_js: "outputs.a < 3 && outputs_history.a.length === outputs.a ? 'a' : false" } }
`,
    executions: 'a b1 a b2 a b3',
    exit: 0,
  },
  {
    name: 'a step can have routes for both ends',
    spec: `
steps:
  a: { exec: ./play a }
  b:
    exec: ./play b 1 1 0 0
    on_fail: { run: [fix], retry: { max: 1, ${AT_ONCE} }, goto: a }
    on_success: { run: [note], goto_js: "loop < 3 ? 'a' : false" }
  fix: { exec: ./play fix }
  note: { exec: ./play note }
`,
    executions: 'a b fix b a b note a b note',
    exit: 0,
  },
  {
    name: 'two steps that call each other after their successes end',
    spec: `
steps:
  a: { exec: ./play a, on_success: { run: [b] } }
  b: { exec: ./play b, on_success: { run_js: "['a']" } }
`,
    executions: 'a b',
    exit: 0,
    ends: { a: 'completed', b: 'completed' },
  },
];
