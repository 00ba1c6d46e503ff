import { AT_ONCE, type RoutingCase } from '../routing-play.ts';

/** Nested forEach, reduce, and lists that change when a goto makes them anew. */
export const JOINS: RoutingCase[] = [
  {
    name: 'a join gets the outputs of the items in their order',
    spec: `
steps:
  list:
    forEach: true
    exec: ./say list '[1,2,3]'
  p: { exec: "[ {{ outputs.list }} = 3 ] || ./await p.3; ./say p{{ outputs.list }} {{ outputs.list }}0; touch p.3" }
  join: { exec: "./play join-{{ outputs.p | join: '-' }}", fanout: reduce }
`,
    args: ['-j', '4'],
    executions: {
      branches: ['list p3 p1 join-10-20-30', 'list p3 p2 join-10-20-30'],
    },
    exit: 0,
  },
  {
    name: 'a join hears which items failed and why',
    spec: `
max_parallel: 1
steps:
  list:
    forEach: true
    exec: ./say list '["a","b","c"]'
  p: { exec: "./say p {{ outputs.list }}; [ {{ outputs.list }} != b ] || exit 9" }
  join:
    fanout: reduce
    exec: "./play join-{{ outputs.p | join: '' }}-{{ failures.p[0].key }}-{{ failures.p[0].index }}-{{ failures.p[0].status }}"
`,
    executions: 'list p p p join-ac-b-1-failed',
    exit: 1,
  },
  {
    name: 'a join waits for the re-attempts of its items',
    spec: `
steps:
  list:
    forEach: true
    exec: ./say list '[1,2]'
  p: { exec: "./play p{{ outputs.list }} 1 1 0", on_fail: { retry: { max: 2, ${AT_ONCE} } } }
  join: { exec: "./play join-{{ outputs.p | size }}", fanout: reduce }
  end: { exec: ./play end }
`,
    executions: { branches: ['list p1 p1 p1 join-2 end', 'list p2 p2 p2 join-2 end'] },
    exit: 0,
  },
  {
    name: 'a join runs when all its items failed',
    spec: `
steps:
  list:
    forEach: true
    exec: ./say list '[1,2]'
  p: { exec: "./play p{{ outputs.list }} 1" }
  join: { exec: "./play join-{{ outputs.p | size }}-{{ failures.p | size }}", fanout: reduce }
`,
    executions: { branches: ['list p1 join-0-2', 'list p2 join-0-2'] },
    exit: 1,
    ends: { join: 'completed' },
  },
  {
    name: 'items that are disabled are neither successes nor failures of a join',
    spec: `
steps:
  list:
    forEach: true
    exec: ./say list '[1,2]'
  p: { exec: "./play p{{ outputs.list }}", if: "foreach.index === 0" }
  join: { exec: "./play join-{{ outputs.p | size }}", fanout: reduce }
`,
    executions: 'list p1 join-1',
    exit: 0,
  },
  {
    name: 'a forEach inside an item makes items of it',
    spec: `
steps:
  list:
    forEach: true
    exec: ./say list '[[1,2],[3]]'
  parts:
    forEach: true
    exec: "./play parts-{{ foreach.index }}; printf %s {{ outputs.list | json }}"
  leaf: { exec: "./play leaf{{ outputs.parts }} {% if outputs.parts == 2 %}1 0{% endif %}", on_fail: { retry: { max: 1, ${AT_ONCE} } } }
  inner: { exec: "./say inner-{{ foreach.index }}-{{ outputs.leaf | size }} {{ foreach.index }}", fanout: reduce }
  outer: { exec: "./play outer-{{ outputs.inner | join: '' }}", fanout: reduce }
`,
    executions: {
      branches: [
        'list parts-0 leaf1 inner-0-2 outer-01',
        'list parts-0 leaf2 leaf2 inner-0-2 outer-01',
        'list parts-1 leaf3 inner-1-1 outer-01',
      ],
    },
    exit: 0,
    ends: { 'leaf@list[0]/parts[1]': 'completed', 'inner@list[1]': 'completed' },
  },
  {
    name: 'a failure in an inner item reaches the inner join only',
    spec: `
steps:
  list:
    forEach: true
    exec: ./say list '[[1,2],[3]]'
  parts:
    forEach: true
    exec: "printf %s {{ outputs.list | json }}"
  leaf: { exec: "./play leaf{{ outputs.parts }} {% if outputs.parts == 2 %}1{% endif %}" }
  inner: { exec: "./play inner-{{ foreach.index }}-{{ failures.leaf | size }}", fanout: reduce }
  outer: { exec: "./play outer-{{ failures.inner | size }}", fanout: reduce }
`,
    executions: {
      branches: [
        'list leaf1 inner-0-1 outer-0',
        'list leaf2 inner-0-1 outer-0',
        'list leaf3 inner-1-0 outer-0',
      ],
    },
    exit: 1,
    ends: { 'leaf@list[0]/parts[1]': 'failed', outer: 'completed' },
  },
  {
    name: 'an empty list inside an item is an empty join there',
    spec: `
steps:
  list:
    forEach: true
    exec: ./say list '[[1],[]]'
  parts:
    forEach: true
    exec: "printf %s {{ outputs.list | json }}"
  leaf: { exec: "./play leaf{{ outputs.parts }}" }
  inner: { exec: "./play inner-{{ foreach.index }}-{{ outputs.leaf | size }}", fanout: reduce }
`,
    executions: { branches: ['list leaf1 inner-0-1', 'list inner-1-0'] },
    exit: 0,
  },
  {
    name: 'a goto above a forEach makes its items anew, more of them',
    spec: `
max_parallel: 1
steps:
  a: { exec: ./play a }
  list:
    forEach: true
    exec: ./say list '[1,2]' '[1,2,3]'
  p: { exec: "./play p{{ outputs.list }}" }
  join: { exec: "./play join-{{ outputs.p | size }}", fanout: reduce }
  check: { exec: ./play check 1 0, on_fail: { goto: a } }
`,
    executions: 'a list p1 p2 join-2 check a list p1 p2 p3 join-3 check',
    exit: 0,
    ends: { 'p@list[2]': 'completed' },
  },
  {
    name: 'a goto above a forEach makes its items anew, fewer of them',
    spec: `
max_parallel: 1
steps:
  a: { exec: ./play a }
  list:
    forEach: true
    exec: ./say list '[1,2,3]' '[7]'
  p: { exec: "./play p{{ outputs.list }}" }
  join: { exec: "./play join-{{ outputs.p | size }}-{{ failures.p | size }}", fanout: reduce }
  check: { exec: ./play check 1 0, on_fail: { goto: a } }
`,
    executions: 'a list p1 p2 p3 join-3-0 check a list p7 join-1-0 check',
    exit: 0,
    ends: { 'p@list[0]': 'completed', 'p@list[1]': 'disabled', 'p@list[2]': 'disabled' },
  },
  {
    name: 'a step that was called in an item that is gone does not fail the run',
    spec: `
max_parallel: 1
steps:
  list:
    forEach: true
    exec: ./say list '[1,2]' '[1]'
  p: { exec: "test {{ outputs.list }} = 1", continue_on_failure: true, on_fail: { run: [fix] } }
  join: { exec: ./play join, fanout: reduce, on_success: { goto_js: "attempt === 1 ? 'list' : null" } }
  fix: { exec: ./play fix 1 }
`,
    executions: 'list fix join list join',
    exit: 0,
    ends: { 'p@list[1]': 'disabled', 'fix@list[1]': 'disabled' },
  },
  {
    name: 'a join whose list is disabled runs with an empty list',
    spec: `
steps:
  list: { exec: "./say list '[1,2]'", forEach: true, if: "false" }
  p: { exec: ./play p, depends_on: list }
  join:
    fanout: reduce
    depends_on: p
    if: outputs.p.length === 0 && failures.p.length === 0
    exec: ./play join-{{ outputs.p | size }}
  sum: { exec: "./play sum-{{ outputs.list | size }}", fanout: reduce, depends_on: list }
  beside: { exec: ./play beside, depends_on: list }
`,
    executions: { branches: ['join-0', 'sum-0'] },
    exit: 0,
    ends: { list: 'disabled', join: 'completed', sum: 'completed', 'beside@list[*]': 'disabled' },
  },
  {
    name: 'a join whose list failed and may fail runs with an empty list',
    spec: `
steps:
  list: { exec: ./play list 1, forEach: true, continue_on_failure: true }
  p: { exec: ./play p, depends_on: list }
  join: { exec: "./play join-{{ outputs.p | size }}", fanout: reduce, depends_on: p }
  sum: { exec: "./play sum-{{ outputs.list | size }}", fanout: reduce, depends_on: list }
  beside: { exec: ./play beside, depends_on: list }
`,
    executions: { branches: ['list join-0', 'list sum-0'] },
    exit: 0,
    ends: { list: 'failed', 'p@list[*]': 'disabled', join: 'completed', 'beside@list[*]': 'disabled' },
  },
  {
    name: 'items of which the list fails when it is made anew are no more',
    spec: `
max_parallel: 1
steps:
  list:
    forEach: true
    exec: ./say list '[1,2]' nothing
    continue_on_failure: true
  p: { exec: "./play p{{ outputs.list }}" }
  join: { exec: "./play join-{{ outputs.p | size }}", fanout: reduce }
  check: { exec: ./play check 1 0, on_fail: { goto: list } }
`,
    executions: 'list p1 p2 join-2 check list join-0 check',
    exit: 0,
    ends: { list: 'failed', 'p@list[0]': 'disabled', 'p@list[1]': 'disabled' },
  },
  {
    name: 'a goto to the forEach step itself makes its items anew, none of them',
    spec: `
max_parallel: 1
steps:
  list:
    forEach: true
    exec: ./say list '[1,2]' '[]'
  p: { exec: "./play p{{ outputs.list }} 1" }
  join: { exec: "./play join-{{ outputs.p | size }}-{{ failures.p | size }}", fanout: reduce }
  check: { exec: ./play check 1 0, on_fail: { goto: list } }
`,
    executions: 'list p1 p2 join-0-2 check list join-0-0 check',
    exit: 0,
    ends: { 'p@list[0]': 'disabled', 'p@list[1]': 'disabled' },
  },
  {
    name: 'items begin with a full max_loops each time they are made',
    spec: `
max_parallel: 1
routing: { max_loops: 1 }
steps:
  list:
    forEach: true
    exec: ./say list '[1]'
  p: { exec: ./play p 1 0 1 0, on_fail: { retry: { max: 1, ${AT_ONCE} } } }
  join: { exec: ./play join, fanout: reduce }
  check: { exec: ./play check 1 0, on_fail: { goto: list } }
`,
    executions: 'list p p join check list p p join check',
    exit: 0,
  },
  {
    name: 'a join comes after the branches of which one is enough',
    spec: `
steps:
  list: { exec: "./say list '[1,2]'", forEach: true }
  p:
    exec: "{% if outputs.list == 1 %}./await count.q1; {% endif %}./play p{{ outputs.list }} {% if outputs.list == 1 %}1{% endif %}"
    depends_on: list
    continue_on_failure: true
  q: { exec: "./play q{{ outputs.list }}", depends_on: list, if: "foreach.index === 0" }
  r: { exec: "./play r{{ outputs.list }}", depends_on: "p|q" }
  join: { exec: "./play join-{{ outputs.r | size }}", depends_on: r, fanout: reduce }
`,
    executions: { branches: ['list q1 p1', 'list q1 r1 join-2', 'list p2 r2 join-2'] },
    exit: 0,
  },
  {
    name: 'a goto inside an item lets a join that has not begun wait again',
    spec: `
max_parallel: 1
steps:
  list:
    forEach: true
    exec: ./say list '[1,2]'
  A: { exec: "./play A{{ outputs.list }}" }
  B: { exec: "./play B{{ outputs.list }}", on_success: { goto_js: "foreach.index === 1 && attempt === 1 ? 'A' : false" } }
  join: { exec: ./play join, fanout: reduce }
`,
    executions: { branches: ['list A1 B1 join', 'list A2 B2 A2 B2 join'] },
    exit: 0,
  },
];
