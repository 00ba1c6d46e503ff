import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** One line of the report: a measured value, what it is compared with, and the aim. */
export interface BenchLine {
  name: string;
  value: number;
  unit: string;
  /** value ÷ baseline, or how it is to be read; null where there is no baseline. */
  ratio: number | null;
  against: string;
  aim: string;
  met: boolean | null;
}

// Bundled into dist/bench/.
const BIN = resolve(import.meta.dirname, '../../bin/holdfast.js');

export function holdfast(cwd: string, ...args: string[]): { ms: number; stdout: string } {
  return command(cwd, process.execPath, BIN, ...args);
}

/** Runs a command to its end and fails loudly if it fails. */
export function command(cwd: string, program: string, ...args: string[]): { ms: number; stdout: string } {
  const start = performance.now();
  const result = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ms = performance.now() - start;
  if (result.status !== 0) {
    throw new Error(
      `${program} ${args.join(' ')} ended with ${result.status ?? result.signal}: ${result.stderr.slice(-2000)}`,
    );
  }
  return { ms, stdout: result.stdout };
}

export function holdfastInBackground(cwd: string, ...args: string[]) {
  return spawn(process.execPath, [BIN, ...args], { cwd, stdio: 'ignore' });
}

export function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;
}

const used: string[] = [];

/**
 * Removed at the end of the bench: for half a minute ext4 looks past every file that was deleted before it makes a new one,
 * and 4,000 deleted logs made the next run a third slower.
 */
export async function inTempDir<T>(work: (dir: string) => T | Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
  used.push(dir);
  return work(dir);
}

process.on('exit', () => {
  for (const dir of used) rmSync(dir, { recursive: true, force: true });
});

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

export function percentile(values: number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!;
}
