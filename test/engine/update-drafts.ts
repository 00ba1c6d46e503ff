import fc from 'fast-check';

/** A job, or with `size` a sweep of jobs, of a spec that is edited. */
export interface Draft {
  name: string;
  /** null: one job. */
  size: number | null;
  /** Counts edits of what runs. */
  command: number;
  env: number;
  /** The version of its output file; null: it has none. */
  output: number | null;
  needs: string[];
  /** Drafts whose output it reads. */
  reads: string[];
  /** Policy. */
  retries: number;
  timeout: number;
  priority: number;
  runsAfterFailure: boolean;
}

export const EDITS = [
  'command',
  'env',
  'output',
  'need',
  'unneed',
  'read',
  'add',
  'remove',
  'rename',
  'grow',
  'shrink',
  'retries',
  'timeout',
  'priority',
  'runsAfterFailure',
] as const;

export interface Edit {
  what: (typeof EDITS)[number];
  at: number;
  /** Another place, where it needs one. */
  other: number;
}

export const anyEdit: fc.Arbitrary<Edit> = fc.record({
  what: fc.constantFrom(...EDITS),
  at: fc.nat(99),
  other: fc.nat(99),
});

/** Jobs of which each may wait for those before it, ten to fifteen with those of sweeps. */
export const anyDrafts: fc.Arbitrary<Draft[]> = fc
  .array(
    fc.record({
      size: fc.option(fc.integer({ min: 1, max: 3 }), { freq: 3 }),
      output: fc.option(fc.constant(0)),
      needs: fc.array(fc.nat(9), { maxLength: 2 }),
      reads: fc.array(fc.nat(9), { maxLength: 1 }),
      retries: fc.nat(1),
      runsAfterFailure: fc.boolean(),
    }),
    { minLength: 7, maxLength: 10 },
  )
  .map((rows) => {
    const named = rows.map((row, place) => ({ ...row, name: `j${place}` }));
    const before = (places: number[], place: number) =>
      [...new Set(places)].filter((other) => other < place).map((other) => named[other]!.name);
    return named.map((row, place) => ({
      ...row,
      needs: before(row.needs, place),
      reads: before(row.reads, place).filter((name) => hasFile(named.find((each) => each.name === name)!)),
      ...{ command: 0, env: 0, timeout: 0, priority: 0 },
    }));
  });

/** A file of many jobs would be written by all of them. */
function hasFile({ size, output }: Pick<Draft, 'size' | 'output'>): boolean {
  return size === null && output !== null;
}

/** An edit that does not fit where it is made changes nothing. */
export function edited(drafts: readonly Draft[], edits: readonly Edit[]): Draft[] {
  return edits.reduce((current: Draft[], edit, count) => editOnce(current, edit, count), [...drafts]);
}

function editOnce(drafts: Draft[], { what, at, other }: Edit, count: number): Draft[] {
  const place = at % drafts.length;
  const draft = drafts[place]!;
  const { name, size, output, needs, reads } = draft;
  const above = drafts[other % Math.max(place, 1)]!;
  const become = (fields: Partial<Draft>) => drafts.with(place, { ...draft, ...fields });
  switch (what) {
    case 'command':
    case 'env':
    case 'retries':
    case 'timeout':
    case 'priority':
      return become({ [what]: draft[what] + 1 });
    case 'runsAfterFailure':
      return become({ runsAfterFailure: !draft.runsAfterFailure });
    case 'output':
      return become({ output: (output ?? 0) + 1 });
    case 'need':
      return place === 0 ? drafts : become({ needs: [...new Set([...needs, above.name])] });
    case 'unneed':
      return become({ needs: needs.slice(1) });
    case 'read':
      return place === 0 || !hasFile(above)
        ? drafts
        : become({ reads: [...new Set([...reads, above.name])] });
    case 'add':
      if (drafts.some((each) => each.name === `${name}n${count}`)) return drafts;
      return drafts.toSpliced(place + 1, 0, {
        ...{ ...draft, name: `${name}n${count}`, needs: [name], reads: [] },
        size: other % 2 === 0 ? null : 2,
      });
    case 'remove':
      return drafts.length < 3 ? drafts : without(drafts.toSpliced(place, 1), name, []);
    case 'rename':
      return without(drafts.with(place, { ...draft, name: `${name}r` }), name, [`${name}r`]);
    case 'grow':
      return size === null ? drafts : become({ size: size + 1 });
    case 'shrink':
      return size === null || size === 1 ? drafts : become({ size: size - 1 });
  }
}

function without(drafts: readonly Draft[], name: string, instead: string[]): Draft[] {
  const replaced = (names: string[]) => names.flatMap((each) => (each === name ? instead : each));
  return drafts.map((draft) => ({ ...draft, needs: replaced(draft.needs), reads: replaced(draft.reads) }));
}
