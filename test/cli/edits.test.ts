import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { ReinitializeResult } from '../../src/contract/engine.ts';
import type { UpdateResult } from '../../src/contract/records/update.ts';
import { World } from '../e2e/world.ts';
import { EDIT_TABLE, type EditCase, FILE_EDITS, GIVEN_FILES, ranAfter } from '../engine/edit-table.ts';
import { planOf } from '../engine/update-world.ts';

/** One state for all cases, and one server: to start one for each would take longer than the cases. */
const world = new World(
  Object.fromEntries(Object.entries(GIVEN_FILES).map(([name, text]) => [`given/${name}`, text])),
);
afterAll(() => world.destroy());
let cases = 0;

/** A workflow that has ended and then was edited, in a directory of its own. */
class Edited {
  readonly #name: string;

  private constructor(name: string) {
    this.#name = name;
  }

  static async create({ base, failed, edited, files }: EditCase): Promise<Edited> {
    cases += 1;
    const made = new Edited(`case_${cases}`);
    const directory = join(world.dir, made.#name);
    cpSync(join(world.dir, 'given'), directory, { recursive: true });
    made.#write(base);
    const { code, stderr } = await world.run('run', made.spec, '--cwd', made.#name);
    expect(code, stderr).toBe(failed.length > 0 ? 1 : 0);
    made.#write(edited);
    files?.change(directory);
    return made;
  }

  get spec(): string {
    return `${this.#name}.json`;
  }

  #write(spec: object): void {
    world.write(this.spec, JSON.stringify({ ...spec, name: this.#name }));
  }

  plan(): Promise<UpdateResult> {
    return world.json<UpdateResult>('run', this.spec, '--continue', '--dry-run');
  }
}

/** Names of the jobs that the second run of the workflow ran. */
async function ranAgain(id: number): Promise<string[]> {
  const attempts = await world.attempts(undefined, id);
  return attempts
    .filter(({ run_id }) => run_id === 2)
    .map(({ job_name }) => job_name)
    .sort();
}

describe.concurrent('run --continue after an edit', () => {
  test.each(EDIT_TABLE.map((each) => [each.what, each] as const))('%s', async (_, each) => {
    const edited = await Edited.create(each);
    const plan = await edited.plan();
    expect(planOf(plan)).toEqual(each.plan);
    expect(await world.run('run', edited.spec, '--continue')).toMatchObject({ code: 0 });
    expect(await ranAgain(plan.workflow_id)).toEqual(ranAfter(each));
    expect(await edited.plan()).toMatchObject({ mode: 'nothing', jobs: [] });
  });
});

describe.concurrent('reinitialize after an edit', () => {
  test.each(FILE_EDITS.map((each) => [each.what, each] as const))('%s', async (_, each) => {
    const { workflow_id } = await (await Edited.create(each)).plan();
    const id = `${workflow_id}`;
    const plan = await world.json<ReinitializeResult>('reinitialize', id, '--dry-run');
    expect(planOf(plan)).toEqual(each.plan);
    expect(await world.run('reinitialize', id)).toMatchObject({ code: 0 });
    expect(await world.run('run', id)).toMatchObject({ code: 0 });
    expect(await ranAgain(workflow_id)).toEqual(ranAfter(each));
  });
});
