import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'vitest';
import type { ServedEngine } from '../../src/contract/engine.ts';
import type { AttemptRecord, AuditRecord } from '../../src/contract/records/records.ts';
import type { ItemRecord, RequestRecord, UnitRecord } from '../../src/contract/records/request.ts';
import type { PostRecord } from '../../src/core/request/post-record.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { type CliResult, until } from '../cli/run-cli.ts';
import { World } from './world.ts';

const ALL = { limit: 1_000 };
/** Jobs here end at once, so that several are started together. */
const TOGETHER = ['-j', '8'];

/** A directory with the spec of a request, and how it ended. */
export class RequestWorld extends World {
  readonly name: string;

  constructor(spec: { name?: string } & Record<string, unknown>) {
    super({ 'request.json': requestSpec(spec) });
    this.name = spec.name ?? 'campaign';
  }

  drive(): Promise<CliResult> {
    return this.run('run', 'request.json', ...TOGETHER);
  }

  /** Continues the request in a process of its own. */
  resume(): Promise<CliResult> {
    return this.run('requests', 'run', this.name, ...TOGETHER);
  }

  show(ref = this.name): Promise<RequestRecord> {
    return this.ask((engine) => engine.getRequest(ref));
  }

  async units(): Promise<UnitRecord[]> {
    return (await this.ask((engine) => engine.listUnits(this.name, ALL))).items;
  }

  async items(): Promise<ItemRecord[]> {
    return (await this.ask((engine) => engine.listItems(this.name, ALL))).items;
  }

  /** Oldest first. */
  async history(): Promise<AuditRecord[]> {
    return (await this.ask((engine) => engine.requestHistory(this.name, ALL))).items.reverse();
  }

  async actions(): Promise<string[]> {
    return (await this.history()).map(({ action }) => action);
  }

  /** Attempts of all rounds, in the order of rounds. */
  async allAttempts(): Promise<AttemptRecord[]> {
    const { rounds } = await this.show();
    return this.ask(async (engine) => {
      const pages = [];
      for (const { workflow_id } of rounds) pages.push((await engine.listAttempts(workflow_id, ALL)).items);
      return pages.flat();
    });
  }

  /** Polls until the request satisfies the check. */
  until(what: string, check: (request: RequestRecord) => boolean): Promise<boolean> {
    return this.ask((engine) =>
      until(async () => {
        const { items } = await engine.listRequests();
        return items.length > 0 && check(await engine.getRequest(this.name));
      }, what),
    );
  }

  file(name: string, text: string): void {
    const path = join(this.dir, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Names of the post records of a round. */
  records(round = 1): string[] {
    const directory = this.#records(round);
    return existsSync(directory) ? readdirSync(directory).sort() : [];
  }

  record(name: string, round = 1): PostRecord {
    return JSON.parse(readFileSync(join(this.#records(round), name), 'utf8')) as PostRecord;
  }

  #records(round: number): string {
    return join(this.dir, `output/requests/${this.name}/v1/round_${String(round).padStart(3, '0')}`);
  }

  async ask<T>(question: (engine: ServedEngine) => Promise<T>): Promise<T> {
    const dir = join(this.dir, '.holdfast');
    await until(() => existsSync(join(dir, 'holdfast.db')), 'there is a store');
    const engine = await openEngine({ dir, create: false });
    try {
      return await question(engine);
    } finally {
      await engine.close();
    }
  }
}

/** A spec whose retries follow at once, without anything that a test gives differently. */
export function requestSpec({ errors, ...spec }: Record<string, unknown>): object {
  return {
    kind: 'request',
    name: 'campaign',
    jobs_per_unit: 1,
    ...spec,
    errors: { cooloff_base_sec: 0, ...(errors as object) },
  };
}

/** A request in a world of its own, gone after the test. */
export function makeRequest(
  { onTestFinished }: TestContext,
  spec: { name?: string } & Record<string, unknown>,
): RequestWorld {
  const world = new RequestWorld(spec);
  onTestFinished(() => world.destroy());
  return world;
}

/** A range of so many units of 10 numbers, all in one round. */
export function rangeOf(units: number, command: string, more: object = {}): Record<string, unknown> {
  return {
    work: { range: { total: units * 10, per_job: 10 } },
    round: { first_units: units, units },
    process: { command, retry: 0 },
    ...more,
  };
}

/** The numbers of units do not overlap. */
export function overlaps(units: readonly UnitRecord[]): string[] {
  const sorted = units.toSorted((a, b) => (BigInt(a.first!) < BigInt(b.first!) ? -1 : 1));
  return sorted.slice(1).flatMap((unit, index) => {
    const before = sorted[index]!;
    return BigInt(unit.first!) > BigInt(before.last!) ? [] : [`${before.number} and ${unit.number}`];
  });
}

/** Writes a report and ends with 1. */
export function failWith(report: object): string {
  return `{ printf %s '${JSON.stringify(report)}' > "$HOLDFAST_REPORT"; exit 1; }`;
}
