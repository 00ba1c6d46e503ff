import { AT_ONCE, type RoutingCase } from '../routing-play.ts';

const NOW = `retry: { ${AT_ONCE} }`;

/** on_fail.run, run_js, and steps that are called. */
export const REMEDIATION: RoutingCase[] = [
  {
    name: 'remediation runs in the order written, one after another',
    spec: `
steps:
  b: { exec: ./play b 1 0, on_fail: { run: [f2, f1], ${NOW} } }
  f1: { exec: ./play f1 }
  f2: { exec: ./play f2 }
`,
    executions: 'b f2 f1 b',
    exit: 0,
  },
  {
    name: 'what comes after a remediation that failed is not run',
    spec: `
steps:
  b: { exec: ./play b 1 0, on_fail: { run: [f1, f2], ${NOW} } }
  f1: { exec: ./play f1 1 }
  f2: { exec: ./play f2 }
`,
    executions: 'b f1',
    exit: 1,
    ends: { b: 'failed', f1: 'failed', f2: 'disabled' },
    reasons: { b: /f1/ },
  },
  {
    name: 'remediation runs before each re-attempt',
    spec: `
steps:
  b: { exec: ./play b 1 1 0, on_fail: { run: [fix], retry: { max: 2, ${AT_ONCE} } } }
  fix: { exec: ./play fix }
`,
    executions: 'b fix b fix b',
    exit: 0,
  },
  {
    name: 'a remediation has a policy of its own',
    spec: `
steps:
  b: { exec: ./play b 1 0, on_fail: { run: [fix], ${NOW} } }
  fix: { exec: ./play fix 1 0, on_fail: { retry: { max: 1, ${AT_ONCE} } } }
`,
    executions: 'b fix fix b',
    exit: 0,
  },
  {
    name: 'a remediation can have a remediation',
    spec: `
steps:
  b: { exec: ./play b 1 0, on_fail: { run: [fix], ${NOW} } }
  fix: { exec: ./play fix 1 0, on_fail: { run: [deep], ${NOW} } }
  deep: { exec: ./play deep }
`,
    executions: 'b fix deep fix b',
    exit: 0,
  },
  {
    name: 'a remediation runs what its own success calls before the step continues',
    spec: `
steps:
  b: { exec: ./play b 1 0, on_fail: { run: [fix], ${NOW} } }
  fix: { exec: ./play fix, on_success: { run: [note] } }
  note: { exec: ./play note }
`,
    executions: 'b fix note b',
    exit: 0,
  },
  {
    name: 'a remediation with continue_on_failure may fail',
    spec: `
steps:
  b: { exec: ./play b 1 0, on_fail: { run: [fix], ${NOW} } }
  fix: { exec: ./play fix 1, continue_on_failure: true }
`,
    executions: 'b fix b',
    exit: 0,
    ends: { b: 'completed', fix: 'failed' },
  },
  {
    name: 'a called step does not take its own goto',
    spec: `
max_parallel: 1
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1 0, depends_on: a, on_fail: { run: [fix], ${NOW} } }
  fix: { exec: ./play fix 0 1, depends_on: a, on_call: false, on_fail: { goto: a } }
`,
    executions: 'a b fix fix',
    exit: 1,
    ends: { a: 'completed', b: 'failed', fix: 'failed' },
    callers: { fix: [null, 'b'] },
  },
  {
    name: 'a called step does not wait for its own dependencies',
    spec: `
max_parallel: 1
steps:
  b: { exec: ./play b 1 0, on_fail: { run: [fix], ${NOW} } }
  late: { exec: ./play late, depends_on: b }
  fix: { exec: ./play fix, depends_on: late }
`,
    executions: 'b fix b late',
    exit: 0,
  },
  {
    name: 'calls of the same step queue',
    spec: `
steps:
  b: { exec: touch b.up; ./await c.up; ./play b 1 0, depends_on: start, on_fail: { run: [fix], ${NOW} } }
  c: { exec: touch c.up; ./await b.up; ./play c 1 0, depends_on: start, on_fail: { run: [fix], ${NOW} } }
  start: { exec: ./play start }
  fix: { exec: ./play fix-begins; ./play fix-ends }
`,
    args: ['-j', '4'],
    executions: { branches: ['start b b', 'start c c', 'fix-begins fix-ends fix-begins fix-ends'] },
    exit: 0,
  },
  {
    name: 'calls are served in the order in which they were made',
    spec: `
order: graph
max_parallel: 1
steps:
  b: { exec: ./play b 1 0, on_fail: { run: [fix], ${NOW} } }
  c: { exec: ./play c 1 0, on_fail: { run: [fix], ${NOW} } }
  fix: { exec: ./play fix }
`,
    executions: 'b c fix b fix c',
    exit: 0,
    callers: { fix: ['b', 'c'] },
  },
  {
    name: 'a cycle of calls fails at once and says so',
    spec: `
steps:
  b: { exec: ./play b 1 0, on_fail: { run: [fix], ${NOW} } }
  fix: { exec: ./play fix 1 0, on_fail: { run: [deep], ${NOW} } }
  deep: { exec: ./play deep 1 0, on_fail: { run_js: "['b']", ${NOW} } }
`,
    executions: 'b fix deep',
    exit: 1,
    ends: { b: 'failed', fix: 'failed', deep: 'failed' },
    reasons: { b: /fix/, fix: /deep/, deep: /\bb\b.*waits/ },
  },
  {
    name: 'on_call false plans a step that is also called',
    spec: `
steps:
  fix: { exec: ./play fix, on_call: false }
  b: { exec: ./play b 1 0, on_fail: { run: [fix], ${NOW} } }
`,
    executions: 'fix b fix b',
    exit: 0,
    callers: { fix: [null, 'b'] },
  },
  {
    name: 'on_call true keeps a step that only code names from being planned',
    spec: `
steps:
  fix: { exec: ./play fix, on_call: true }
  spare: { exec: ./play spare, on_call: true }
  b: { exec: ./play b 1 0, on_fail: { run_js: "['fix']", ${NOW} } }
`,
    executions: 'b fix b',
    exit: 0,
    ends: { fix: 'completed', spare: 'disabled' },
  },
  {
    name: 'a step that only code names is planned',
    spec: `
steps:
  fix: { exec: ./play fix }
  b: { exec: ./play b 1 0, on_fail: { run_js: "['fix']", ${NOW} } }
`,
    executions: 'fix b fix b',
    exit: 0,
  },
  {
    name: 'a step on call that nobody calls stays disabled and spoils nothing',
    spec: `
steps:
  b: { exec: ./play b, on_fail: { run: [fix], ${NOW} } }
  fix: { exec: ./play fix 1 }
`,
    executions: 'b',
    exit: 0,
    ends: { fix: 'disabled' },
  },
  {
    name: 'a planned step that is called before its turn has its turn all the same',
    spec: `
max_parallel: 1
steps:
  b: { exec: ./play b 1 0, on_fail: { run: [later], ${NOW} } }
  later: { exec: ./play later, depends_on: b }
  end: { exec: ./play end, depends_on: later }
`,
    executions: 'b later b later end',
    exit: 0,
  },
  {
    name: 'a planned step whose turn is to come has it even after a call that failed',
    spec: `
max_parallel: 1
steps:
  b: { exec: ./play b 1 0, on_fail: { run: [later], ${NOW} } }
  later: { exec: ./play later 1 0, on_call: false, depends_on: x }
  end: { exec: ./play end, depends_on: later }
  x: { exec: ./play x }
`,
    executions: 'b later x later end',
    exit: 1,
    ends: { b: 'failed', later: 'completed', end: 'completed' },
  },
  {
    name: 'a planned step that was through has failed when a call of it fails, and its dependents continue',
    spec: `
max_parallel: 1
steps:
  done: { exec: ./play done 0 1 }
  b: { exec: ./play b 1 0, depends_on: done, on_fail: { run: [done], ${NOW} } }
  x: { exec: ./play x }
  end: { exec: ./play end, depends_on: [done, x] }
`,
    executions: 'done b done x end',
    exit: 1,
    ends: { done: 'failed', b: 'failed', end: 'completed' },
  },
];
