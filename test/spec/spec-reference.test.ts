import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PLACEHOLDERS } from '../../src/core/request/request-model.ts';
import { specJsonSchema } from '../../src/spec/json-schema.ts';
import { loadRequest } from '../../src/spec/request/load-request.ts';
import { requestReference, specReference } from '../../src/spec/spec-reference.ts';
import { modelOf } from './spec-text.ts';

describe('the reference', () => {
  it('equals docs/spec.md', async () => {
    await expect(specReference()).toMatchFileSnapshot('../../docs/spec.md');
  });

  it('shows examples that are valid', () => {
    const examples = [...specReference().matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => text!);
    expect(examples.map((text) => modelOf(text).jobs.length)).toEqual([101, 6, 4, 2, 4]);
    const [, kdl] = /```kdl\n([\s\S]*?)```/.exec(specReference())!;
    expect(modelOf(kdl!, {}, 'flow.kdl').jobs).toHaveLength(4);
  });

  it('has a meaning for every key', () => {
    const rows = specReference()
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.filter((row) => row.split(' | ').at(-1)!.replace('|', '').trim() === '')).toEqual([]);
  });
});

describe('the reference of requests', () => {
  it('is in docs/requests.md', () => {
    const page = readFileSync(new URL('../../docs/requests.md', import.meta.url), 'utf8');
    const { request, rulebook } = requestReference();
    expect(page).toContain(request.trimEnd());
    expect(page).toContain(rulebook.trimEnd());
  });

  it('has every placeholder, and where it can be used', () => {
    const page = readFileSync(new URL('../../docs/requests.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `\{(\w+)\}` +\|(.+)\|$/gm)];
    expect(rows.map(([, name]) => name)).toEqual(PLACEHOLDERS);
    for (const [, name, cells] of rows) {
      const listed = cells!.split('|').map((cell) => cell.trim());
      for (const [column, part] of ['process', 'merge', 'cleanup'].entries()) {
        const fits = (work: object) => {
          const jobs = Object.entries({ process: 'x > {output}', [part]: `x {${name}}` });
          const spec = {
            kind: 'request',
            name: 'a',
            work,
            ...Object.fromEntries(jobs.map(([key, command]) => [key, { command }])),
          };
          const files = { readText: () => '', listFiles: () => [] };
          return loadRequest(JSON.stringify(spec), 'r.json', files).ok;
        };
        const range = fits({ range: { total: 1, per_job: 1 } });
        const items = fits({ items: ['x'] });
        const expected = range && items ? 'yes' : range ? 'range' : items ? 'items' : '';
        expect([name, part, listed[column]]).toEqual([name, part, expected]);
      }
    }
  });
});

describe('the JSON Schema', () => {
  it('is of draft 2020-12, describes every key and allows no others', () => {
    const schema = specJsonSchema();
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    const definitions = schema.$defs as Record<
      string,
      { additionalProperties?: unknown; properties: object }
    >;
    expect(Object.keys(definitions)).toEqual(
      expect.arrayContaining(['Workflow', 'Job', 'Step', 'Retry', 'Request', 'Rulebook']),
    );
    for (const [name, definition] of Object.entries(definitions)) {
      expect(definition.additionalProperties, name).toBe(false);
    }
  });
});
