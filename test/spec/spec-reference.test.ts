import { describe, expect, it } from 'vitest';
import { specJsonSchema } from '../../src/spec/json-schema.ts';
import { specReference } from '../../src/spec/spec-reference.ts';
import { modelOf } from './spec-text.ts';

describe('the reference', () => {
  it('equals docs/spec.md', async () => {
    await expect(specReference()).toMatchFileSnapshot('../../docs/spec.md');
  });

  it('shows examples that are valid', () => {
    const examples = [...specReference().matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text]) => text!);
    expect(examples.map((text) => modelOf(text).jobs.length)).toEqual([101, 2, 4]);
  });

  it('has a meaning for every key', () => {
    const rows = specReference()
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.filter((row) => row.split(' | ').at(-1)!.replace('|', '').trim() === '')).toEqual([]);
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
    expect(Object.keys(definitions)).toEqual(expect.arrayContaining(['Workflow', 'Job', 'Step', 'Retry']));
    for (const [name, definition] of Object.entries(definitions)) {
      expect(definition.additionalProperties, name).toBe(false);
    }
  });
});
