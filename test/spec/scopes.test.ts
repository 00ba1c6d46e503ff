import { describe, expect, it } from 'vitest';
import { dependencySetOf, jobNamed, modelOf } from './spec-text.ts';

function scopesOf(text: string): Record<string, string> {
  return Object.fromEntries(modelOf(text).jobs.map(({ name, scope }) => [name, scope]));
}

describe('scopes', () => {
  it('of what follows a forEach step are its items, until a reduce step joins them', () => {
    const text = `steps:
  setup: { exec: x }
  list: { exec: x, forEach: true }
  A: { exec: x }
  B: { exec: x }
  join: { exec: x, fanout: reduce }
  end: { exec: x }
`;
    expect(scopesOf(text)).toEqual({
      setup: '',
      list: '',
      A: 'list[*]',
      B: 'list[*]',
      join: '',
      end: '',
    });
    expect(jobNamed(modelOf(text), 'list').config.for_each).toBe(true);
    expect(dependencySetOf(modelOf(text), 'join')).toEqual({
      members: ['list', 'B'],
      joined: ['B'],
      anyOf: [],
    });
    expect(dependencySetOf(modelOf(text), 'end')).toEqual({ members: ['join'], joined: [], anyOf: [] });
  });

  it('lie in one another, and a reduce step leaves the innermost', () => {
    const text = `steps:
  list: { exec: x, forEach: true }
  p: { exec: x, depends_on: list }
  parts: { exec: x, forEach: true, depends_on: p }
  q: { exec: x, depends_on: parts }
  inner: { exec: x, fanout: reduce, depends_on: [q, p] }
  outer: { exec: x, fanout: reduce, depends_on: inner }
`;
    expect(scopesOf(text)).toEqual({
      list: '',
      p: 'list[*]',
      parts: 'list[*]',
      q: 'list[*]/parts[*]',
      inner: 'list[*]',
      outer: '',
    });
    // `parts` must succeed in the item, or nobody knows which parts there are; `p` is nothing to join.
    expect(dependencySetOf(modelOf(text), 'inner')).toEqual({
      members: ['p', 'parts', 'q'],
      joined: ['q'],
      anyOf: [],
    });
    expect(dependencySetOf(modelOf(text), 'outer')).toEqual({
      members: ['list', 'inner'],
      joined: ['inner'],
      anyOf: [],
    });
  });

  it('that lie side by side are joined together', () => {
    const text = `steps:
  a: { exec: x, forEach: true, depends_on: [] }
  b: { exec: x, forEach: true }
  pa: { exec: x, depends_on: a }
  deeper: { exec: x, forEach: true, depends_on: pa }
  qa: { exec: x, depends_on: deeper }
  pb: { exec: x, depends_on: b }
  join: { exec: x, fanout: reduce, depends_on: [qa, pb] }
`;
    expect(scopesOf(text)).toMatchObject({ qa: 'a[*]/deeper[*]', pb: 'b[*]', join: '' });
    expect(dependencySetOf(modelOf(text), 'join')).toEqual({
      members: ['a', 'b', 'qa', 'pb'],
      joined: ['qa', 'pb'],
      anyOf: [],
    });
  });

  it('of a join do not depend on what runs further out', () => {
    const text = (more: string) => `steps:
  setup: { exec: x, depends_on: [] }
  list: { exec: x, forEach: true, depends_on: setup }
  a: { exec: x, forEach: true, depends_on: list }
  b: { exec: x, forEach: true, depends_on: list }
  pa: { exec: x, depends_on: a }
  pb: { exec: x, depends_on: b }
  join: { exec: x, fanout: reduce, depends_on: [pa, pb${more}] }
`;
    expect(scopesOf(text('')).join).toBe('list[*]');
    expect(scopesOf(text(', setup')).join).toBe('list[*]');
  });

  it('of a reduce step right after the list are outside, and it gets the list as it is', () => {
    const text = `steps:
  list: { exec: x, forEach: true }
  sum: { exec: "x {{ outputs.list | size }}", fanout: reduce }
`;
    expect(scopesOf(text).sum).toBe('');
    expect(dependencySetOf(modelOf(text), 'sum')).toEqual({ members: ['list'], joined: [], anyOf: [] });
  });

  it('of a reduce step can begin again', () => {
    const text = `steps:
  list: { exec: x, forEach: true }
  p: { exec: x }
  again: { exec: x, fanout: reduce, forEach: true }
  q: { exec: x }
`;
    expect(scopesOf(text)).toEqual({ list: '', p: 'list[*]', again: '', q: 'again[*]' });
  });

  it('of a step on call are those of its callers', () => {
    const text = `steps:
  list: { exec: x, forEach: true }
  p: { exec: x, on_fail: { run: [fix] } }
  fix: { exec: "x {{ foreach.key }} {{ outputs.list }}", depends_on: [] }
`;
    expect(scopesOf(text).fix).toBe('');
  });

  it('let steps wait for one of several in their item', () => {
    const text = `steps:
  list: { exec: x, forEach: true, depends_on: [] }
  a: { exec: x, depends_on: list, if: "foreach.index > 0" }
  b: { exec: x, depends_on: list, if: "foreach.index === 0" }
  c: { exec: x, depends_on: a|b }
`;
    expect(scopesOf(text).c).toBe('list[*]');
  });

  it('of a long chain are found without end of the stack', () => {
    const steps = Object.fromEntries(
      Array.from({ length: 20_000 }, (_, index) => [`s${index}`, { exec: 'x', forEach: index === 0 }]),
    );
    const model = modelOf(JSON.stringify({ steps }), {}, 'flow.json');
    expect(model.jobs.at(-1)!.scope).toBe('s0[*]');
  });
});

describe('what a template reads', () => {
  const reads = (exec: string) =>
    jobNamed(
      modelOf(
        JSON.stringify({ variables: { v: 'a' }, steps: { a: { exec: 'x' }, b: { exec: 'x' }, c: { exec } } }),
        {},
        'flow.json',
      ),
      'c',
    ).config.reads;

  it.each<[string, string[] | null]>([
    ['no template', []],
    ['{{ variables.v }}', []],
    ['{{ outputs.b.x }} {{ outputs.a }} {{ outputs["b"] | size }}', ['b', 'a']],
    ['{% for i in outputs.a %}{{ i }}{% endfor %}{% if outputs.b %}x{% endif %}', ['a', 'b']],
    ['{{ outputs[variables.v] }}', null],
    ['{{ outputs.a }} {{ outputs | json }}', null],
    ['{% assign all = outputs %}{{ all.a }}', null],
  ])('%s', (exec, expected) => {
    expect(reads(exec)).toEqual(expected);
  });

  it('may be the item, and what a reduce step joins', () => {
    const model = modelOf(`steps:
  list: { exec: x, forEach: true, depends_on: [] }
  p: { exec: "x {{ outputs.list }} {{ foreach.key }} {{ foreach.path }}", depends_on: list }
  join: { exec: "x {{ outputs.p | size }} {% for f in failures.p %}{{ f.key }}{% endfor %}", fanout: reduce, depends_on: p }
  reported: { exec: "x {% for f in failures.p %}{{ f.key }}{% endfor %}", fanout: reduce, depends_on: p }
  all: { exec: "x {{ failures | json }}", fanout: reduce, depends_on: p }
`);
    expect(jobNamed(model, 'p').config.reads).toEqual(['list']);
    expect(jobNamed(model, 'join').config.reads).toEqual(['p']);
    expect(jobNamed(model, 'reported').config.reads).toEqual(['p']);
    expect(jobNamed(model, 'all').config.reads).toBeNull();
  });
});
