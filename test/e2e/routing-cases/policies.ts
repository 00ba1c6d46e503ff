import { AT_ONCE, type RoutingCase } from '../routing-play.ts';

const NOW = `retry: { ${AT_ONCE} }`;
const HANDLER = `
failure_handlers:
  - name: redo
    rules:
      - { exit_codes: [10], max_retries: 2 }
      - { exit_codes: [11], verdict: fail }
      - { exit_codes: [12], category: data }
`;

/** Routes beside failure handlers, retry budgets, post scripts and pending_failed; and the flags of run. */
export const POLICIES: RoutingCase[] = [
  {
    name: 'an exhausted failure handler continues with the routes',
    spec: `${HANDLER}
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 10 10 0, failure_handler: redo, on_fail: { goto: a } }
`,
    executions: 'a b b a b',
    exit: 0,
    verdicts: { b: ['retry', 'goto', 'complete'] },
  },
  {
    name: 'a failure that no rule of the handler matches goes to the routes',
    spec: `${HANDLER}
steps:
  b: { exec: ./play b 9 0, failure_handler: redo, on_fail: { run: [fix], ${NOW} } }
  fix: { exec: ./play fix }
`,
    executions: 'b fix b',
    exit: 0,
  },
  {
    name: 'an exhausted retry budget continues with the routes',
    spec: `
steps:
  a: { exec: ./play a }
  b:
    exec: ./play b 1 1 1 1 0
    retry: { max_retries_failure: 1, initial_retry_delay_ms: 0 }
    on_fail: { goto: a }
`,
    executions: 'a b b a b b a b',
    exit: 0,
  },
  {
    name: 'retries of retry do not count toward max_loops',
    spec: `
routing: { max_loops: 0 }
steps:
  b: { exec: ./play b 1 1 0, retry: { max_retries_failure: 2, initial_retry_delay_ms: 0 } }
`,
    executions: 'b b b',
    exit: 0,
  },
  {
    name: 'a step with retry does not take the re-attempts of the defaults',
    spec: `
routing: { defaults: { on_fail: { retry: { max: 5, ${AT_ONCE} } } } }
steps:
  b: { exec: ./play b 1, retry: { max_retries_failure: 1, initial_retry_delay_ms: 0 } }
`,
    executions: 'b b',
    exit: 1,
  },
  {
    name: 'a code that is not retried still takes its goto',
    spec: `
steps:
  a: { exec: ./play a }
  b:
    exec: ./play b 5 0
    retry: { max_retries_failure: 3, no_retry_on_exit_codes: [5] }
    on_fail: { goto: a }
`,
    executions: 'a b a b',
    exit: 0,
  },
  {
    name: 'a final failure is not tried again as it is',
    spec: `${HANDLER}
order: graph
max_parallel: 1
steps:
  b: { exec: ./play b 11, failure_handler: redo, on_fail: { retry: { max: 3, ${AT_ONCE} } } }
  c: { exec: ./play c 12, failure_handler: redo, on_fail: { retry: { max: 3, ${AT_ONCE} } } }
`,
    executions: 'b c',
    exit: 1,
    ends: { b: 'failed', c: 'failed' },
  },
  {
    name: 'a final failure is tried again after a remediation',
    spec: `${HANDLER}
order: graph
max_parallel: 1
steps:
  b: { exec: ./play b 11 0, failure_handler: redo, on_fail: { run: [fix], ${NOW} } }
  c: { exec: ./play c 12 0, failure_handler: redo, on_fail: { run: [fix], ${NOW} } }
  fix: { exec: ./play fix }
`,
    executions: 'b c fix b fix c',
    exit: 0,
  },
  {
    name: 'with use_pending_failed a step whose routes are used up fails, and one without routes waits',
    spec: `
use_pending_failed: true
order: graph
max_parallel: 1
steps:
  b: { exec: ./play b 1, on_fail: { retry: { max: 1, ${AT_ONCE} } } }
  c: { exec: ./play c 1 }
`,
    executions: 'b b c',
    exit: 3,
    ends: { b: 'failed', c: 'pending_failed' },
  },
  {
    name: 'with use_pending_failed routes are taken first',
    spec: `
use_pending_failed: true
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1 0, on_fail: { goto: a } }
`,
    executions: 'a b a b',
    exit: 0,
  },
  {
    name: 'with use_pending_failed loop_abort is a failure all the same',
    spec: `
use_pending_failed: true
routing: { max_loops: 0 }
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1, on_fail: { goto: a } }
`,
    executions: 'a b',
    exit: 1,
    ends: { b: 'failed' },
  },
  {
    name: 'a post script that refuses a success makes it take on_fail',
    spec: `
steps:
  a: { exec: ./play a }
  b: { exec: ./play b, post: ./play post 1 0, on_fail: { goto: a }, on_success: { run: [n] } }
  n: { exec: ./play n }
`,
    executions: 'a b post a b post n',
    exit: 0,
  },
  {
    name: 'a post script that accepts what the command did does not make a fail_if false',
    spec: `
steps:
  a: { exec: "./play a; echo 5", post: "true", fail_if: output > 3, on_fail: { run: [fix], ${NOW} } }
  fix: { exec: ./play fix }
`,
    executions: 'a fix a',
    exit: 1,
    verdicts: { a: ['retry', 'fail'] },
  },
  {
    name: 'what an accepted failure puts out is the output of its step',
    spec: `
failure_handlers: [{ name: accept, rules: [{ exit_codes: [3], verdict: accept }] }]
steps:
  a: { exec: "./play a; echo 5; exit 3", post: "true", on_success: { run_js: "return output === 5 ? ['n'] : []" } }
  list: { exec: "./play list; echo '[1,2]'; exit 3", forEach: true, failure_handler: accept, depends_on: a }
  p: { exec: "./play p{{ outputs.list }}-{{ outputs.a }}", depends_on: list }
  n: { exec: ./play n, on_call: true }
`,
    executions: { branches: ['a n list p1-5', 'a n list p2-5'] },
    exit: 0,
  },
  {
    name: 'what an accepted failure does not put out is not what an earlier visit did',
    spec: `
max_parallel: 1
steps:
  a: { exec: ./play a }
  b:
    exec: if [ "$HOLDFAST_ATTEMPT_ID" = 1 ]; then echo '"old"'; else echo no JSON; fi
    output: json
    post: "true"
  c: { exec: "./play c-{{ outputs.b }}", on_success: { goto_js: "attempt === 1 ? 'a' : null" } }
`,
    executions: 'a c-old a c-',
    exit: 0,
  },
  {
    name: 'a post script that accepts a failure makes it take on_success',
    spec: `
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1, post: ./play post, on_fail: { goto: a }, on_success: { run: [n] } }
  n: { exec: ./play n }
`,
    executions: 'a b post n',
    exit: 0,
  },
  {
    name: '--retry-max caps re-attempts',
    spec: `
steps:
  b: { exec: ./play b 1, on_fail: { retry: { max: 5, ${AT_ONCE} } } }
`,
    args: ['--retry-max', '1'],
    executions: 'b b',
    exit: 1,
  },
  {
    name: '--retry-max 0 means no re-attempt, and nothing to run before one',
    spec: `
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1 0, on_fail: { run: [fix], goto: a, retry: { ${AT_ONCE} } } }
  c: { exec: ./play c 1, on_fail: { run: [fix], retry: { ${AT_ONCE} } } }
  fix: { exec: ./play fix }
`,
    args: ['--retry-max', '0'],
    executions: 'a b a b c',
    exit: 1,
    ends: { fix: 'disabled' },
  },
  {
    name: '--on-fail-max-loops takes the place of max_loops',
    spec: `
routing: { max_loops: 10 }
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1, on_fail: { goto: a } }
`,
    args: ['--on-fail-max-loops', '1'],
    executions: 'a b a b',
    exit: 1,
    reasons: { b: /loop_abort/ },
  },
  {
    name: '--no-failure-routing takes no route, neither after a failure nor after a success',
    spec: `
routing: { defaults: { on_fail: { retry: { max: 1, ${AT_ONCE} } } } }
steps:
  a: { exec: ./play a, on_success: { run: [n] } }
  b: { exec: ./play b 1, on_fail: { run: [n], goto: a, ${NOW} } }
  n: { exec: ./play n }
`,
    args: ['--no-failure-routing'],
    executions: 'a b',
    exit: 1,
    ends: { b: 'failed', n: 'disabled' },
  },
];
