import { AT_ONCE, type RoutingCase } from '../routing-play.ts';

const NOW = `retry: { ${AT_ONCE} }`;

/** run_js of failures, what code sees, and what becomes of code that fails. */
export const CODE: RoutingCase[] = [
  {
    name: 'run_js alone makes one re-attempt',
    spec: `
steps:
  b: { exec: ./play b 1, on_fail: { run_js: "['fix']", ${NOW} } }
  fix: { exec: ./play fix, on_call: true }
`,
    executions: 'b fix b',
    exit: 1,
  },
  {
    name: 'run_js comes after run, without duplicates, in order',
    spec: `
steps:
  b: { exec: ./play b 1 0, on_fail: { run: [f1, f2], run_js: "['f3', 'f1', 'f3']", ${NOW} } }
  f1: { exec: ./play f1 }
  f2: { exec: ./play f2 }
  f3: { exec: ./play f3, on_call: true }
`,
    executions: 'b f1 f2 f3 b',
    exit: 0,
  },
  {
    name: 'run_js is asked at each failure',
    spec: `
steps:
  b:
    exec: ./play b 3 4 0
    on_fail:
      retry: { max: 2, ${AT_ONCE} }
      run_js: |
        const fixes = [];
        if (error.code === 4) fixes.push('fix');
        return fixes;
  fix: { exec: ./play fix, on_call: true }
`,
    executions: 'b b fix b',
    exit: 0,
  },
  {
    name: 'an empty list from run_js with no retry is no re-attempt, and goto is next',
    spec: `
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1 0, on_fail: { run_js: "[]", goto: a } }
`,
    executions: 'a b a b',
    exit: 0,
    verdicts: { b: ['goto', 'complete'] },
  },
  {
    name: 'one bad id among good ones spoils them all, and run applies',
    spec: `
steps:
  b: { exec: ./play b 1 0, on_fail: { run: [f1], run_js: "['f2', 'nope']", ${NOW} } }
  f1: { exec: ./play f1 }
  f2: { exec: ./play f2, on_call: true }
`,
    executions: 'b f1 b',
    exit: 0,
    failedCode: { b: ['run_js'] },
  },
  {
    name: 'a step cannot remediate itself by code',
    spec: `
steps:
  b: { exec: ./play b 1, on_fail: { run_js: "[step.id]", ${NOW} } }
`,
    executions: 'b',
    exit: 1,
    failedCode: { b: ['run_js'] },
  },
  {
    name: 'null, false and a text are no lists of ids',
    spec: `
order: graph
max_parallel: 1
steps:
  b: { exec: ./play b 1, on_fail: { run_js: "null" } }
  c: { exec: ./play c 1, on_fail: { run_js: "false" } }
  d: { exec: ./play d 1, on_fail: { run_js: "'fix'" } }
  fix: { exec: ./play fix, on_call: true }
`,
    executions: 'b c d',
    exit: 1,
    failedCode: { b: ['run_js'], c: ['run_js'], d: ['run_js'] },
  },
  {
    name: 'a run_js that throws is recorded, and what is static applies',
    spec: `
steps:
  b: { exec: ./play b 1 0, on_fail: { run: [fix], run_js: "undefined.x", ${NOW} } }
  fix: { exec: ./play fix }
`,
    executions: 'b fix b',
    exit: 0,
    problems: [/TypeError/],
  },
  {
    name: 'run_js and goto_js of the same failure both count',
    spec: `
steps:
  a: { exec: ./play a }
  b:
    exec: ./play b 1 1 0
    on_fail: { run_js: "['fix']", goto_js: "'a'", ${NOW} }
  fix: { exec: ./play fix, on_call: true }
`,
    executions: 'a b fix b a b',
    exit: 0,
  },
  {
    name: 'attempt counts executions over the run, and loop the routes of the scope',
    spec: `
steps:
  a: { exec: ./play a }
  b:
    exec: ./play b 1
    on_fail:
      retry: { max: 1, ${AT_ONCE} }
      goto_js: |
        if (attempt === 2 && loop === 1) return 'a';
        if (attempt === 4 && loop === 3) return 'a';
        return false;
`,
    executions: 'a b b a b b a b b',
    exit: 1,
    verdicts: { b: ['retry', 'goto', 'retry', 'goto', 'retry', 'fail'] },
  },
  {
    name: 'code sees its step, the files and the request of --context, and the environment it was promised',
    spec: `
routing: { env: [HF_TARGET] }
steps:
  a: { exec: ./play a }
  b:
    tags: [slow]
    group: tests
    env: { HF_TARGET: production, HF_OTHER: secret }
    exec: ./play b 1 0
    on_fail:
      goto_js: |
        const known = step.id === 'b' && step.tags[0] === 'slow' && step.group === 'tests' && foreach === null;
        const given = pr.number === 7 && files[0].filename === 'x.ts';
        return known && given && env.HF_TARGET === 'production' && env.HF_OTHER === undefined ? 'a' : false;
`,
    files: { 'context.json': { pr: { number: 7 }, files: [{ filename: 'x.ts' }] } },
    args: ['--context', 'context.json'],
    executions: 'a b a b',
    exit: 0,
  },
  {
    name: 'without --context there is no request and there are no files',
    spec: `
steps:
  a: { exec: ./play a }
  b: { exec: ./play b 1 0, on_fail: { goto_js: "pr === null && files === null ? 'a' : false" } }
`,
    executions: 'a b a b',
    exit: 0,
  },
  {
    name: 'outputs of steps that did not run are not there',
    spec: `
steps:
  a: { exec: ./say a here }
  b: { exec: ./play b 1 0, on_fail: { goto_js: "outputs.a === 'here' && outputs.spare === undefined && outputs.b === undefined ? 'a' : false" } }
  spare: { exec: ./play spare, on_call: true }
`,
    executions: 'a b a b',
    exit: 0,
  },
  {
    name: 'code cannot change what other code sees',
    spec: `
steps:
  a: { exec: "./say a '{\\"n\\": 1}'" }
  b:
    exec: ./play b 1 0
    on_fail:
      run_js: |
        try { outputs.a.n = 2; Object.prototype.n = 3; globalThis.seen = true; } catch {}
        return [];
      goto_js: "outputs.a.n === 1 && typeof seen === 'undefined' ? 'a' : false"
`,
    executions: 'a b a b',
    exit: 0,
  },
];
