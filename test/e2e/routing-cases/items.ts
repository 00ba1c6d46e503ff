import { AT_ONCE, type RoutingCase } from '../routing-play.ts';

const NOW = `retry: { ${AT_ONCE} }`;

/** A list of words as the output of a step. */
const LIST = (name: string, ...lists: string[]) => `
  ${name}:
    forEach: true
    exec: ./say ${name} ${lists.map((list) => `'${list}'`).join(' ')}`;

/** forEach: scopes, and routes inside an item. */
export const ITEMS: RoutingCase[] = [
  {
    name: 'items run side by side',
    spec: `
steps:${LIST('list', '[1,2,3]')}
  p: { exec: "touch up.{{ outputs.list }}; ./await up.1; ./await up.2; ./await up.3; ./play p{{ outputs.list }}" }
`,
    args: ['-j', '4'],
    executions: { branches: ['list p1', 'list p2', 'list p3'] },
    exit: 0,
  },
  {
    name: 'an item knows its place',
    spec: `
max_parallel: 1
steps:${LIST('list', '["x",{"y":1}]')}
  p: { exec: "./play p-{{ foreach.key }}-{{ foreach.index }}-{{ foreach.total }}-{{ foreach.path }}" }
`,
    executions: 'list p-x-0-2-list[0] p-1-1-2-list[1]',
    exit: 0,
  },
  {
    name: 'an item that fails leaves the others alone',
    spec: `
max_parallel: 1
steps:${LIST('list', '[1,2,3]')}
  p: { exec: "./play p{{ outputs.list }} {% if outputs.list == 2 %}1{% endif %}" }
  q: { exec: "./play q{{ outputs.list }}" }
`,
    executions: { branches: ['list p1 q1', 'list p2', 'list p3 q3'] },
    exit: 1,
    ends: { 'p@list[1]': 'failed', 'q@list[1]': 'canceled', 'q@list[2]': 'completed' },
  },
  {
    name: 'an item that fails does not count with continue_on_failure',
    spec: `
steps:${LIST('list', '[1,2]')}
  p: { exec: "./play p{{ outputs.list }} {% if outputs.list == 2 %}1{% endif %}", continue_on_failure: true }
  q: { exec: "./play q{{ outputs.list }}" }
`,
    executions: { branches: ['list p1 q1', 'list p2 q2'] },
    exit: 0,
    ends: { 'p@list[1]': 'failed', 'q@list[1]': 'completed' },
  },
  {
    name: 'a goto stays in its item',
    spec: `
steps:${LIST('list', '[1,2,3]')}
  A: { exec: "./play A{{ outputs.list }}" }
  B: { exec: "./play B{{ outputs.list }} {% if outputs.list == 2 %}1 0{% endif %}", on_fail: { goto: A } }
  C: { exec: "./play C{{ outputs.list }}" }
`,
    executions: { branches: ['list A1 B1 C1', 'list A2 B2 A2 B2 C2', 'list A3 B3 C3'] },
    exit: 0,
  },
  {
    name: 'each item has a max_loops of its own',
    spec: `
routing: { max_loops: 1 }
steps:${LIST('list', '[1,2,3]')}
  p: { exec: "./play p{{ outputs.list }} 1 0", on_fail: { retry: { max: 2, ${AT_ONCE} } } }
`,
    executions: { branches: ['list p1 p1', 'list p2 p2', 'list p3 p3'] },
    exit: 0,
  },
  {
    name: 'loop_abort ends its item only',
    spec: `
routing: { max_loops: 1 }
steps:${LIST('list', '[1,2]')}
  A: { exec: "./play A{{ outputs.list }}" }
  B: { exec: "./play B{{ outputs.list }} {% if outputs.list == 2 %}1{% endif %}", on_fail: { goto: A } }
  C: { exec: "./play C{{ outputs.list }}" }
  join: { exec: "./play join-{{ outputs.C | size }}", fanout: reduce }
`,
    executions: { branches: ['list A1 B1 C1 join-1', 'list A2 B2 A2 B2 join-1'] },
    exit: 1,
    ends: { 'B@list[1]': 'failed', 'C@list[1]': 'canceled', 'C@list[0]': 'completed', join: 'completed' },
    reasons: { 'B@list[1]': /loop_abort/ },
  },
  {
    name: 'an item calls a step of its own',
    spec: `
steps:${LIST('list', '["a","b"]')}
  p: { exec: "./play p-{{ outputs.list }} 1 0", on_fail: { run: [fix], ${NOW} }, on_success: { run: [note] } }
  q: { exec: "./play q-{{ outputs.list }}" }
  fix: { exec: "./play fix-{{ outputs.list }}" }
  note: { exec: "./play note-{{ outputs.list }}" }
`,
    executions: { branches: ['list p-a fix-a p-a note-a q-a', 'list p-b fix-b p-b note-b q-b'] },
    exit: 0,
  },
  {
    name: 'a remediation that fails in one item fails that item',
    spec: `
steps:${LIST('list', '[1,2]')}
  p: { exec: "./play p{{ outputs.list }} 1 0", on_fail: { run: [fix], ${NOW} } }
  fix: { exec: "./play fix{{ outputs.list }} {% if outputs.list == 2 %}1{% endif %}" }
`,
    executions: { branches: ['list p1 fix1 p1', 'list p2 fix2'] },
    exit: 1,
    ends: { 'p@list[0]': 'completed', 'p@list[1]': 'failed' },
    reasons: { 'p@list[1]': /fix/ },
  },
  {
    name: 'goto_js sees its item',
    spec: `
steps:${LIST('list', '["a","b"]')}
  A: { exec: "./play A-{{ outputs.list }}" }
  B:
    exec: "./play B-{{ outputs.list }} 1 0"
    continue_on_failure: true
    on_fail:
      goto_js: |
        const { key, index, total, path } = foreach;
        return outputs.list === key && key === 'b' && index === 1 && total === 2 && path === 'list[1]' ? 'A' : false;
`,
    executions: { branches: ['list A-a B-a', 'list A-b B-b A-b B-b'] },
    exit: 0,
  },
  {
    name: 'goto_js cannot leave its item',
    spec: `
steps:
  start: { exec: ./play start }
  list:
    forEach: true
    exec: ./say list '[1]'
  A: { exec: ./play A }
  B: { exec: ./play B 1 0, on_fail: { goto: A, goto_js: "'start'" } }
`,
    executions: 'start list A B A B',
    exit: 0,
    failedCode: { 'B@list[0]': ['goto_js'] },
  },
  {
    name: 'run_js cannot leave its item',
    spec: `
steps:
  start: { exec: ./play start }
  list:
    forEach: true
    exec: ./say list '[1]'
  B: { exec: ./play B 1 0, on_fail: { run: [fix], run_js: "['start']", ${NOW} } }
  fix: { exec: ./play fix }
`,
    executions: 'start list B fix B',
    exit: 0,
    failedCode: { 'B@list[0]': ['run_js'] },
  },
  {
    name: 'items do not see the outputs of other items',
    spec: `
steps:${LIST('list', '[1,2,3]')}
  A: { exec: "./say A{{ outputs.list }} {{ outputs.list }}" }
  B: { exec: "./play B{{ outputs.list }}-{{ outputs.A }}" }
`,
    executions: { branches: ['list A1 B1-1', 'list A2 B2-2', 'list A3 B3-3'] },
    exit: 0,
  },
  {
    name: 'if is asked for each item',
    spec: `
steps:${LIST('list', '[1,2,3]')}
  p: { exec: "./play p{{ outputs.list }}", if: "foreach.index !== 1" }
  q: { exec: "./play q{{ outputs.list }}" }
`,
    executions: { branches: ['list p1 q1', 'list p3 q3'] },
    exit: 0,
    ends: { 'p@list[1]': 'disabled', 'q@list[1]': 'disabled' },
  },
  {
    name: 'an output that is no list fails the forEach step',
    spec: `
steps:
  list: { exec: ./say list 42, forEach: true }
  p: { exec: ./play p }
  join: { exec: ./play join, fanout: reduce }
`,
    executions: 'list',
    exit: 1,
    ends: { list: 'failed', join: 'canceled' },
    errors: { list: /list.*number|number.*list/ },
  },
  {
    name: 'a forEach step that fails is tried again before there are items',
    spec: `
steps:
  list:
    forEach: true
    exec: ./play try 1 0 && echo '[1,2]'
    on_fail: { retry: { max: 1, ${AT_ONCE} } }
  p: { exec: "./play p{{ outputs.list }}" }
`,
    executions: { branches: ['try try p1', 'try try p2'] },
    exit: 0,
  },
];
