import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes longest would otherwise be the last that runs, alone: without results of an earlier run, files go by size. */
const LONG = [
  'test/web/pages.test.ts',
  'test/postgres/engine.test.ts',
  'test/postgres/requests.test.ts',
  'test/chaos/chaos.test.ts',
  'test/web/ways.test.ts',
  'test/web/rights.test.ts',
  'test/e2e/traces.test.ts',
  'test/docs/pages.test.ts',
  'test/web/keyboard.test.ts',
  'test/e2e/workers.test.ts',
  'test/package/package.test.ts',
];

export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = LONG.findIndex((path) => moduleId.endsWith(path));
      return found < 0 ? LONG.length : found;
    };
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}
