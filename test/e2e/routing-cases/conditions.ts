import { AT_ONCE, type RoutingCase } from '../routing-play.ts';

/** if, fail_if, continue_on_failure, and dependencies of which one is enough. */
export const CONDITIONS: RoutingCase[] = [
  {
    name: 'a step whose if is false is disabled, and so are its dependents',
    spec: `
max_parallel: 1
steps:
  a: { exec: ./say a no }
  b: { exec: ./play b, depends_on: a, if: "outputs.a === 'yes'" }
  c: { exec: ./play c, depends_on: b }
  d: { exec: ./play d, depends_on: [a, c] }
  x: { exec: ./play x, depends_on: a }
`,
    executions: 'a x',
    exit: 0,
    ends: { b: 'disabled', c: 'disabled', d: 'disabled', x: 'completed' },
  },
  {
    name: 'a step whose if is true runs',
    spec: `
steps:
  a: { exec: "./say a '{\\"sizes\\": [1, 2]}'" }
  b: { exec: ./play b, if: "outputs.a.sizes.length > 1" }
`,
    executions: 'a b',
    exit: 0,
  },
  {
    name: 'an if that cannot be evaluated is a failed attempt',
    spec: `
steps:
  a: { exec: ./play a, if: "nothing.here" }
  b: { exec: ./play b }
`,
    executions: '',
    exit: 1,
    ends: { a: 'failed', b: 'canceled' },
    problems: [/nothing/],
    causes: { a: ['spawn'] },
  },
  {
    name: 'an if is asked again when a goto brings its step back',
    spec: `
steps:
  a: { exec: ./say a 1 2 }
  b: { exec: ./play b, if: "outputs.a === 2", depends_on: a }
  c: { exec: ./play c 1 0, depends_on: a, on_fail: { goto: a } }
max_parallel: 1
`,
    executions: 'a c a b c',
    exit: 0,
    ends: { b: 'completed' },
  },
  {
    name: 'a fail_if that is true makes a failure of a success, and routes see it',
    spec: `
steps:
  a: { exec: ./play a }
  b: { exec: ./say b 1 2 3, fail_if: "output < 3", on_fail: { retry: { max: 1, ${AT_ONCE} }, goto: a } }
`,
    executions: 'a b b a b',
    exit: 0,
    verdicts: { b: ['retry', 'goto', 'complete'] },
  },
  {
    name: 'a fail_if that is true without routes fails the step',
    spec: `
steps:
  a: { exec: ./say a bad, fail_if: "output === 'bad'" }
  b: { exec: ./play b }
`,
    executions: 'a',
    exit: 1,
    ends: { a: 'failed', b: 'canceled' },
    reasons: { a: /./ },
  },
  {
    name: 'a fail_if that is false lets the step complete',
    spec: `
steps:
  a: { exec: ./say a good, fail_if: "output === 'bad'" }
`,
    executions: 'a',
    exit: 0,
  },
  {
    name: 'a fail_if that cannot be evaluated is a failure',
    spec: `
steps:
  a: { exec: ./say a good, fail_if: "output.deep.er" }
`,
    executions: 'a',
    exit: 1,
    problems: [/TypeError/],
  },
  {
    name: 'continue_on_failure lets dependents run and the run count as good',
    spec: `
steps:
  a: { exec: ./play a 1, continue_on_failure: true }
  b: { exec: ./play b }
`,
    executions: 'a b',
    exit: 0,
    ends: { a: 'failed', b: 'completed' },
  },
  {
    name: 'routes come before continue_on_failure',
    spec: `
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1, continue_on_failure: true, on_fail: { retry: { max: 1, ${AT_ONCE} } } }
  c: { exec: ./play c }
`,
    executions: 'a b b c',
    exit: 0,
    ends: { b: 'failed', c: 'completed' },
  },
  {
    name: 'one of a|b is enough',
    spec: `
max_parallel: 1
steps:
  a: { exec: ./play a 1 }
  b: { exec: ./play b }
  c: { exec: ./play c, depends_on: "a|b" }
`,
    executions: 'a b c',
    exit: 1,
    ends: { a: 'failed', c: 'completed' },
  },
  {
    name: 'when a and b both failed, a|b is canceled',
    spec: `
max_parallel: 1
steps:
  a: { exec: ./play a 1 }
  b: { exec: ./play b 1 }
  c: { exec: ./play c, depends_on: "a|b" }
`,
    executions: 'a b',
    exit: 1,
    ends: { c: 'canceled' },
  },
  {
    name: 'a disabled branch leaves a|b to the other',
    spec: `
max_parallel: 1
steps:
  a: { exec: ./play a, if: "false" }
  b: { exec: ./play b }
  c: { exec: ./play c, depends_on: ["a | b", start] }
  start: { exec: ./play start }
`,
    executions: 'b start c',
    exit: 0,
    ends: { a: 'disabled', c: 'completed' },
  },
  {
    name: 'when both branches are disabled, so is what needs one of them',
    spec: `
max_parallel: 1
steps:
  a: { exec: ./play a, if: "false" }
  b: { exec: ./play b, if: "false" }
  c: { exec: ./play c, depends_on: "a|b" }
`,
    executions: '',
    exit: 0,
    ends: { a: 'disabled', b: 'disabled', c: 'disabled' },
  },
  {
    name: 'goto runs again what needs one of several',
    spec: `
max_parallel: 1
steps:
  start: { exec: ./play start }
  a: { exec: ./play a 1 0, depends_on: start }
  b: { exec: ./play b 0 1, depends_on: start }
  c: { exec: ./play c 1 0, depends_on: "a|b", on_fail: { goto: start } }
`,
    executions: 'start a b c start a b c',
    exit: 1,
    ends: { a: 'completed', b: 'failed', c: 'completed' },
  },
];
