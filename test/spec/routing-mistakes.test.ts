import { describe, expect, it } from 'vitest';
import { messagesOf } from './spec-text.ts';

/** Below `list` everything runs per item, until `join`. */
const FANOUT = (more: string) => `steps:
  setup: { exec: x, depends_on: [] }
  list: { exec: x, forEach: true, depends_on: setup }
  p: { exec: x, depends_on: list }
  q: { exec: x, depends_on: p }
  join: { exec: x, fanout: reduce, depends_on: q }
${more}`;

describe('mistakes in routes', () => {
  it.each<[string, string, string]>([
    [
      'a goto to nowhere',
      'steps:\n  build: { exec: x }\n  b: { exec: x, on_success: { goto: biuld } }\n',
      '3:37: steps.b.on_success.goto: there is no job or step "biuld"; did you mean "build"?',
    ],
    [
      'a default goto to nowhere',
      'routing: { defaults: { on_fail: { goto: biuld } } }\nsteps:\n  build: { exec: x }\n',
      '1:41: routing.defaults.on_fail.goto: there is no job or step "biuld"; did you mean "build"?',
    ],
    [
      'a default run of nothing known',
      'routing: { defaults: { on_fail: { run: [fix, fux] } } }\nsteps:\n  fix: { exec: x }\n',
      '1:46: routing.defaults.on_fail.run[1]: there is no job or step "fux"; did you mean "fix"?',
    ],
    [
      'a goto to a later step',
      'steps:\n  a: { exec: x, on_fail: { goto: b } }\n  b: { exec: x }\n',
      '2:34: steps.a.on_fail.goto: "b" does not come before "a"; goto leads to something it depends on',
    ],
    [
      'a goto to itself',
      'steps:\n  a: { exec: x, on_fail: { goto: a } }\n',
      '2:34: steps.a.on_fail.goto: "a" does not come before "a"; goto leads to something it depends on',
    ],
    [
      'a goto of a step on call',
      'steps:\n  a: { exec: x, depends_on: [], on_fail: { run: fix } }\n  fix: { exec: x, depends_on: a, on_fail: { goto: a } }\n',
      '3:51: steps.fix.on_fail.goto: "fix" is on call, so nothing comes before it; write `goto` at the step that calls it',
    ],
    [
      'a goto_js of a step on call',
      'steps:\n  a: { exec: x, on_fail: { run: fix } }\n  fix: { exec: x, on_success: { goto_js: "null" } }\n',
      '3:42: steps.fix.on_success.goto_js: "fix" is on call, so nothing comes before it; write `goto_js` at the step that calls it',
    ],
    [
      'a goto out of an item',
      FANOUT('  r: { exec: x, depends_on: p, on_fail: { goto: list } }\n'),
      '7:49: steps.r.on_fail.goto: a route cannot leave its forEach item: "r" runs in list[*], "list" in the root',
    ],
    [
      'a goto into the items',
      FANOUT('  end: { exec: x, depends_on: join, on_fail: { goto: q } }\n'),
      '7:54: steps.end.on_fail.goto: a route cannot leave its forEach item: "end" runs in the root, "q" in list[*]',
    ],
    [
      'a run out of an item',
      FANOUT('  r: { exec: x, depends_on: p, on_fail: { run: [setup] } }\n'),
      '7:49: steps.r.on_fail.run[0]: a route cannot leave its forEach item: "r" runs in list[*], "setup" in the root; a step with `on_call: true` can be called from anywhere',
    ],
    [
      'a run out of an item by way of a step on call',
      FANOUT(
        '  r: { exec: x, depends_on: p, on_fail: { run: fix } }\n  fix: { exec: x, on_fail: { run: setup } }\n',
      ),
      '8:35: steps.fix.on_fail.run: a route cannot leave its forEach item: "fix" runs in list[*], "setup" in the root; a step with `on_call: true` can be called from anywhere',
    ],
    [
      'a step that remediates itself',
      'steps:\n  a: { exec: x, on_fail: { run: [a] }, on_call: false }\n',
      '2:34: steps.a.on_fail.run[0]: "a" cannot run itself; to run it again write `retry: { max: 1 }`',
    ],
    [
      'a step that runs itself when it succeeds',
      'steps:\n  a: { exec: x, on_success: { run: a }, on_call: false }\n',
      '2:36: steps.a.on_success.run: "a" cannot run itself; to run it again write `goto`, which needs an ancestor',
    ],
    [
      'steps that run each other',
      'steps:\n  a: { exec: x, on_fail: { run: b } }\n  b: { exec: x, on_success: { run: c } }\n  c: { exec: x, on_fail: { run: [b] } }\n',
      '4:34: steps.c.on_fail.run[0]: steps that run each other would never end: b → c → b; a step that failed is tried again by itself after its `run`',
    ],
    [
      'two kinds of retry',
      'steps:\n  a: { exec: x, retry: {}, on_fail: { retry: { max: 1 } } }\n',
      '2:39: steps.a.on_fail.retry: `retry` and `on_fail.retry` exclude each other; keep one of them',
    ],
    [
      'a planned step that says it is on call',
      'steps:\n  a: { exec: x, on_call: true }\n  b: { exec: x, depends_on: a|c }\n  c: { exec: x }\n',
      '2:26: steps.a.on_call: planned jobs depend on "a", so it cannot be on call',
    ],
    [
      'an unknown key of a route',
      'steps:\n  a: { exec: x, on_fail: { rum: [b] } }\n',
      '2:28: steps.a.on_fail.rum: unknown key "rum"; did you mean "run"?',
    ],
    [
      'a backoff that does not exist',
      'steps:\n  a: { exec: x, on_fail: { retry: { max: 1, backoff: { mode: linear } } } }\n',
      '2:62: steps.a.on_fail.retry.backoff.mode: expected one of fixed, exponential, got "linear"',
    ],
    [
      'a negative number of loops',
      'routing: { max_loops: -1 }\nsteps: { a: { exec: x } }\n',
      '1:23: routing.max_loops: must be at least 0, got -1',
    ],
  ])('%s', (_, text, expected) => {
    expect(messagesOf(text)).toEqual([`flow.yaml:${expected}`]);
  });
});

describe('mistakes in what a step waits for', () => {
  it.each<[string, string, string]>([
    [
      'one of several that does not exist',
      'steps:\n  build: { exec: x }\n  b: { exec: x, depends_on: [build|tset] }\n  test: { exec: x }\n',
      '3:30: steps.b.depends_on[0]: there is no step "tset"; did you mean "test"?',
    ],
    [
      'one of several jobs that does not exist',
      'jobs: [{name: a, command: x}, {name: b, command: x, depends_on: a|z}]\n',
      '1:65: jobs[1].depends_on: there is no job "z"',
    ],
    [
      'one of several without a name',
      'steps:\n  a: { exec: x }\n  b: { exec: x, depends_on: "a|" }\n',
      '3:29: steps.b.depends_on: "a|" lacks a name beside a |; write a|b for one of two',
    ],
    [
      'one of several that is the step itself',
      'steps:\n  a: { exec: x }\n  b: { exec: x, depends_on: a|b }\n',
      '3:6: steps.b: waits for itself: b → b',
    ],
    [
      'items of two lists at once',
      'steps:\n  a: { exec: x, forEach: true, depends_on: [] }\n  b: { exec: x, forEach: true }\n  c: { exec: x, depends_on: [b, a] }\n',
      '4:29: steps.c.depends_on: it would run per item of "a" and per item of "b"; join one of them first, in a step with `fanout: reduce`',
    ],
    [
      'items that differ further in',
      'steps:\n  l: { exec: x, forEach: true, depends_on: [] }\n  a: { exec: x, forEach: true, depends_on: l }\n  b: { exec: x, forEach: true, depends_on: l }\n  pa: { exec: x, depends_on: a }\n  c: { exec: x, depends_on: [pa, b] }\n',
      '6:29: steps.c.depends_on: it would run per item of "a" and per item of "b"; join one of them first, in a step with `fanout: reduce`',
    ],
    [
      'nothing to join',
      'steps:\n  a: { exec: x }\n  b: { exec: x, fanout: reduce }\n',
      '3:25: steps.b.fanout: there is nothing to join: nothing upstream of it has forEach; leave `fanout` out, or add `forEach: true` to the step that makes the list',
    ],
    [
      'one of several of which all items are joined',
      FANOUT('  end: { exec: x, fanout: reduce, depends_on: p|setup }\n'),
      '7:47: steps.end.depends_on: it waits for every item of "p", so that cannot be one of several; name it without |',
    ],
    [
      'a join on call',
      'steps:\n  a: { exec: x, on_fail: { run: b } }\n  b: { exec: x, fanout: reduce }\n',
      '3:25: steps.b.fanout: "b" is on call, so nothing comes before it to be joined',
    ],
    [
      'a list on call',
      'steps:\n  a: { exec: x, on_fail: { run: b } }\n  b: { exec: x, forEach: true }\n',
      '3:26: steps.b.forEach: "b" is on call, so nothing comes after it to run per item; make the list in a planned step',
    ],
    [
      'a list that never is one',
      'steps:\n  a: { exec: x, forEach: true, output: text }\n',
      '2:26: steps.a.forEach: its output must be a list, and `output: text` never is; write `lines` or `json`',
    ],
    [
      'a list whose name would be a path',
      'steps:\n  a/b: { exec: x, forEach: true }\n',
      '2:28: steps["a/b"].forEach: a step with forEach gives its items their name: "a/b" must be without / @ [ ]',
    ],
    [
      'a circle among items',
      'steps:\n  l: { exec: x, forEach: true, depends_on: b }\n  b: { exec: x, depends_on: l, fanout: reduce }\n',
      '2:6: steps.l: waits for itself: l → b → l',
    ],
  ])('%s', (_, text, expected) => {
    expect(messagesOf(text)).toEqual([`flow.yaml:${expected}`]);
  });
});

describe('mistakes in what a template reads', () => {
  it.each<[string, string, string]>([
    [
      'an output of items from outside',
      FANOUT('  end: { exec: "x {{ outputs.q }}", depends_on: join }\n'),
      '7:22: steps.end.exec: template: "q" has an output per item of list[*], and this step runs outside of them; read it in the step with `fanout: reduce` that joins it',
    ],
    [
      'an output of items that is not joined',
      FANOUT('  end: { exec: "x {{ outputs.q }} {{ outputs.p }}", fanout: reduce, depends_on: q }\n'),
      '7:38: steps.end.exec: template: "p" has an output per item of list[*], and this step does not join it; add it to depends_on',
    ],
    [
      'the item outside of items',
      FANOUT('  end: { exec: "x {{ foreach.key }}", depends_on: join }\n'),
      '7:22: steps.end.exec: template: `foreach` is the item a step runs for, and this step runs outside of forEach items',
    ],
    [
      'the item in the step that joins them',
      FANOUT('  end: { exec: "x {{ foreach.key }}", depends_on: p, fanout: reduce }\n'),
      '7:22: steps.end.exec: template: `foreach` is the item a step runs for, and this step runs outside of forEach items',
    ],
    [
      'an unknown part of the item',
      FANOUT('  r: { exec: "x {{ foreach.indx }}", depends_on: p }\n'),
      '7:20: steps.r.exec: template: `foreach` has key, index, total, path, but no "indx"; did you mean "index"?',
    ],
    [
      'failures where nothing is joined',
      FANOUT('  r: { exec: "x {{ failures.p }}", depends_on: p }\n'),
      '7:20: steps.r.exec: template: `failures` are the items that a step with `fanout: reduce` joins and that did not succeed; this step joins none',
    ],
    [
      'failures of a step that is not joined',
      FANOUT('  r: { exec: "x {{ failures.pp }}", depends_on: p, fanout: reduce }\n'),
      '7:20: steps.r.exec: template: this step joins p, but not "pp"; did you mean "p"?',
    ],
    [
      'a root that does not exist',
      'steps: {a: {exec: "x {{ env.HOME }}"}}\n',
      '1:25: steps.a.exec: template: there is no "env"; a template sees `outputs` and `variables`, in a forEach item `foreach`, in a reduce step `failures`',
    ],
  ])('%s', (_, text, expected) => {
    expect(messagesOf(text)).toEqual([`flow.yaml:${expected}`]);
  });
});
