import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { RUN_FILE, readRunFile } from '../../../core/dag/run-file.ts';
import { HoldfastError } from '../../../core/errors.ts';
import { readMetrics } from './dag-metrics.ts';
import { fileNames } from './post-records.ts';
import { readText } from './read-dag-run.ts';

/** The outermost DAG of a directory. `others`: there are more, which are not looked at. */
export interface FoundDag {
  directory: string;
  dag: string;
  others: string[];
}

/** `path` is a directory or a DAG file. Of several DAGs the one that ran last is taken. */
export function findDag(path: string): FoundDag {
  const absolute = resolve(path);
  const facts = statSync(absolute, { throwIfNoEntry: false });
  if (facts === undefined) throw unreadable(path, 'there is no such directory');
  if (facts.isFile()) return { directory: dirname(absolute), dag: basename(absolute), others: [] };
  const ours = readRunFile(readText(join(absolute, RUN_FILE)) ?? '');
  if (ours !== null) return { directory: absolute, dag: ours.dag, others: [] };
  const names = fileNames(absolute);
  const ran = names
    .filter((name) => name.endsWith('.dagman.out'))
    .map((name) => name.slice(0, -'.dagman.out'.length));
  const known = ran.length > 0 ? ran : names.filter((name) => name.endsWith('.dag'));
  const outermost = known.filter((dag) => !isInner(absolute, dag));
  const [newest, ...others] = (outermost.length > 0 ? outermost : known).sort(
    (a, b) => lastWrite(absolute, b) - lastWrite(absolute, a),
  );
  if (newest === undefined) throw unreadable(path, 'there is no DAG in it');
  return { directory: absolute, dag: newest, others };
}

function isInner(directory: string, dag: string): boolean {
  return (readMetrics(readText(join(directory, `${dag}.metrics`)) ?? '')?.parentCluster ?? null) !== null;
}

function lastWrite(directory: string, dag: string): number {
  return statSync(join(directory, `${dag}.dagman.out`), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

export function unreadable(directory: string, problem: string): HoldfastError {
  return new HoldfastError('DAG_UNREADABLE', { directory, problem });
}
