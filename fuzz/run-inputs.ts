import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { Random } from '../chaos/random.ts';
import { ServerInputs } from './server-inputs.ts';
import { SpecInputs } from './spec-inputs.ts';

export const KINDS = [
  'spec from the schema',
  'mutated spec',
  'bytes of a spec',
  'request',
  'exchange',
] as const;
export type InputKind = (typeof KINDS)[number];

/** A server is replaced after so many inputs, so that a failure can be repeated from there. */
export const BATCH = 10_000;

export interface FuzzRun {
  seed: number;
  /** The first input; a multiple of BATCH to meet the same server. */
  from: number;
  inputs: number;
  /** Where examples and documentation are. */
  root: string;
  /** Before each input. */
  begin: (number: number, kind: InputKind) => void;
}

export interface FuzzFigures {
  counts: Record<InputKind, number>;
  slowest: { ms: number; number: number; kind: InputKind | null };
  failures: { number: number; kind: InputKind; problem: string }[];
}

function kindOf(random: Random): InputKind {
  const at = random.next();
  return KINDS[at < 0.35 ? 0 : at < 0.62 ? 1 : at < 0.86 ? 2 : at < 0.94 ? 3 : 4]!;
}

/** The input with a number follows from the seed alone; what a server answers, also from its inputs before. */
export async function runInputs({ seed, from, inputs, root, begin }: FuzzRun): Promise<FuzzFigures> {
  const figures: FuzzFigures = {
    counts: Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<InputKind, number>,
    slowest: { ms: 0, number: 0, kind: null },
    failures: [],
  };
  const specs = new SpecInputs(root);
  const base = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  let server: ServerInputs | null = null;
  for (let number = from; number < from + inputs; number += 1) {
    if (number % BATCH === 0) {
      await server?.stop();
      server = null;
    }
    const random = new Random(seed * 1_000_003 + number);
    const kind = kindOf(random);
    begin(number, kind);
    const began = performance.now();
    try {
      if (kind === 'spec from the schema') specs.fromSchema(random);
      else if (kind === 'mutated spec') specs.mutated(random);
      else if (kind === 'bytes of a spec') specs.bytes(random);
      else {
        server ??= await ServerInputs.start(specs, base);
        await (kind === 'request' ? server.request(random) : server.exchange(random));
      }
    } catch (error) {
      figures.failures.push({ number, kind, problem: (error as Error).stack ?? String(error) });
    }
    const ms = performance.now() - began;
    if (ms > figures.slowest.ms) figures.slowest = { ms, number, kind };
    figures.counts[kind] += 1;
  }
  await server?.stop();
  return figures;
}
