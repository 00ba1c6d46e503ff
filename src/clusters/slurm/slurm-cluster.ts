import type { AllocationEnd, AllocationPlan, AllocationView, Cluster } from '../../contract/cluster.ts';
import { type ClusterAnswer, runClusterCommand } from '../run-cluster-command.ts';
import { PARTITION_FORMAT, readPartitions, type SlurmPartition } from './partitions.ts';
import { QUEUE_FORMAT, readAccounting, readQueue, readStates, STATE_FORMAT } from './queue-lines.ts';
import { askingEnvironment, exportOption, submittingEnvironment } from './slurm-environment.ts';
import {
  clusterAbsent,
  clusterRefused,
  noAnswer,
  oddAnswer,
  saysAbsent,
  saysUnknownId,
  spokenText,
} from './slurm-messages.ts';
import { parseSlurmTime } from './slurm-time.ts';
import { readEstimate, type StartEstimate } from './start-estimate.ts';

const LIMIT_MS = 30_000;
/** Between SIGTERM and SIGKILL, for an `sbatch` that is out of time. */
const KILL_AFTER_MS = 5000;
/** How many names or ids one question has. */
const CHUNK = 300;

export interface SlurmSettings {
  /** Of this process unless given. What of it commands and allocations see: slurm-environment.ts. */
  env?: Readonly<Record<string, string | undefined>>;
  /** How long each command may take (default: 30 s). */
  limitMs?: number;
}

/** Slurm through its commands. Each has a time limit; none is tried again here. */
export class SlurmCluster implements Cluster {
  readonly name = 'slurm';
  readonly #variables: Readonly<Record<string, string | undefined>>;
  readonly #limitMs: number;

  constructor({ env = process.env, limitMs = LIMIT_MS }: SlurmSettings = {}) {
    this.#variables = env;
    this.#limitMs = limitMs;
  }

  /**
   * With CLUSTER_ABSENT it may have been submitted all the same: `list` with its tag shows it, at the latest when 35 s are
   * over, even if this process is killed meanwhile.
   */
  async submit(plan: AllocationPlan): Promise<string> {
    const { export: exported, others } = exportOption(plan.options);
    const answer = await this.#sbatch(
      [
        '--parsable',
        // A requeued allocation adds to its output.
        '--open-mode=append',
        ...others,
        exported,
        `--job-name=${plan.tag}`,
        `--comment=${plan.tag}`,
        `--chdir=${plan.directory}`,
        `--output=${plan.output.replaceAll('%', '%%')}`,
        ...(plan.after === null ? [] : [`--dependency=afterany:${plan.after}`]),
      ],
      submittingEnvironment(this.#variables, plan.options),
      plan.script,
    );
    // Submission filters of sites print lines of their own; with several clusters the id is `4711;name`.
    const ids = [...answer.stdout.matchAll(/^(\d+)(?:;\S+)?\s*$/gm)];
    if (ids.length === 0) throw oddAnswer('sbatch', answer.stdout);
    return ids.at(-1)![1]!;
  }

  async list(tags: readonly string[]): Promise<AllocationView[]> {
    const views: AllocationView[] = [];
    for (const chunk of chunks(tags)) {
      const stdout = await this.#ask('squeue', ['-h', '-n', chunk.join(','), '-o', QUEUE_FORMAT]);
      views.push(...readQueue(stdout, new Set(chunk)));
    }
    return views;
  }

  /** Those that have not ended are left out. */
  async ends(ids: readonly string[]): Promise<Map<string, AllocationEnd>> {
    const ends = new Map<string, AllocationEnd>();
    const forgotten: string[] = [];
    for (const chunk of chunks(ids)) {
      const states = await this.#states(chunk);
      for (const id of chunk) {
        const end = states.get(id);
        if (end === undefined) forgotten.push(id);
        else if (end !== null) ends.set(id, end);
      }
    }
    for (const chunk of chunks(forgotten)) {
      const accounted = await this.#accounting(chunk);
      for (const id of chunk) ends.set(id, accounted.get(id) ?? 'unknown');
    }
    return ends;
  }

  async cancel(ids: readonly string[]): Promise<void> {
    for (const chunk of chunks(ids)) {
      const answer = await this.#run('scancel', chunk);
      if (answer.exitCode === 0 || (answer.exitCode !== null && saysUnknownId(answer.stderr))) continue;
      if (answer.problem !== null || saysAbsent(answer.stderr)) throw noAnswer('scancel', answer);
      throw clusterRefused('scancel', spokenText(answer.stderr) || `exit code ${answer.exitCode}`);
    }
  }

  /** What the cluster has. Nodes that differ in nothing but their state are one kind. */
  async partitions(): Promise<SlurmPartition[]> {
    return readPartitions(await this.#ask('sinfo', ['-h', '-e', '-o', PARTITION_FORMAT]));
  }

  /** When an allocation with these options would start. Nothing is submitted. */
  async estimate(options: readonly string[]): Promise<StartEstimate> {
    const { export: exported, others } = exportOption(options);
    const answer = await this.#sbatch(
      ['--test-only', ...others, exported],
      { ...submittingEnvironment(this.#variables, options), LC_ALL: 'C', TZ: 'UTC' },
      '#!/bin/bash\n:\n',
    );
    const estimate = readEstimate(answer.stderr);
    if (estimate === undefined) throw oddAnswer('sbatch', `${answer.stdout}${answer.stderr}`);
    return estimate;
  }

  /** Of the commands here, such as `slurm-wlm 22.05.8`; the controller is not asked. */
  async version(): Promise<string> {
    const stdout = (await this.#ask('sinfo', ['--version'])).trim();
    if (!/^\S+ \d+\.\d+/.test(stdout)) throw oddAnswer('sinfo', stdout);
    return stdout;
  }

  /** The controllers that answer. CLUSTER_ABSENT if none does. */
  async ping(): Promise<string[]> {
    const answer = await this.#run('scontrol', ['ping']);
    const hosts = [...answer.stdout.matchAll(/^Slurmctld\(\w+\) at (\S+) is UP/gm)].map((match) => match[1]!);
    if (hosts.length > 0) return hosts;
    if (answer.exitCode === null || answer.stdout.trim() === '') throw noAnswer('scontrol', answer);
    throw clusterAbsent('scontrol', spokenText(answer.stdout));
  }

  /** What the cluster calls itself; null: it has no name. */
  async clusterName(): Promise<string | null> {
    const stdout = await this.#ask('scontrol', ['show', 'config']);
    return /^ClusterName\s*=\s*(\S+)/m.exec(stdout)?.[1] ?? null;
  }

  /** What time it is for the controller. */
  async time(): Promise<number> {
    const stdout = await this.#ask('scontrol', ['show', 'config']);
    const time = parseSlurmTime(/^Configuration data as of (\S+)/m.exec(stdout)?.[1] ?? '');
    if (time === null || time === undefined) throw oddAnswer('scontrol', stdout);
    return time;
  }

  /** As the controller remembers them, which it does for MinJobAge (default: 300 s) after their end. */
  async #states(ids: readonly string[]): Promise<Map<string, AllocationEnd | null>> {
    const answer = await this.#run('squeue', ['-h', '-t', 'all', '-j', ids.join(','), '-o', STATE_FORMAT]);
    if (answer.exitCode === 0) return readStates(answer.stdout);
    // Only said of a question for one: of several, those that are not known are left out.
    if (answer.exitCode !== null && saysUnknownId(answer.stderr)) return new Map();
    throw noAnswer('squeue', answer);
  }

  /** Many clusters have no accounting, or none that can be reached from here: then no more is known. */
  async #accounting(ids: readonly string[]): Promise<Map<string, AllocationEnd>> {
    const answer = await this.#run('sacct', [
      '-n',
      '-P',
      '-X',
      '-D',
      '-j',
      ids.join(','),
      '-o',
      'JobIDRaw,State',
    ]);
    return answer.exitCode === 0 ? readAccounting(answer.stdout) : new Map();
  }

  /** `timeout` ends it even if this process is gone, so that no submission is under way for ever. */
  async #sbatch(args: string[], env: Record<string, string>, script: string): Promise<ClusterAnswer> {
    const seconds = String(this.#limitMs / 1000);
    const answer = await runClusterCommand({
      command: ['timeout', '-k', String(KILL_AFTER_MS / 1000), seconds, 'sbatch', ...args],
      env,
      input: script,
      limitMs: this.#limitMs + KILL_AFTER_MS + 1000,
    });
    if (answer.exitCode === 0) return answer;
    if (answer.exitCode === 124) throw clusterAbsent('sbatch', `no answer within ${seconds} s`);
    if (answer.exitCode === 137) throw clusterAbsent('sbatch', 'killed before it answered');
    if (answer.exitCode === 126 || answer.exitCode === 127) {
      throw clusterAbsent('sbatch', 'sbatch is not on PATH');
    }
    const isKilled = answer.exitCode !== null && answer.exitCode > 128 && answer.exitCode < 255;
    if (answer.exitCode === null || isKilled || saysAbsent(answer.stderr)) throw noAnswer('sbatch', answer);
    const said = spokenText(answer.stderr) || spokenText(answer.stdout);
    throw clusterRefused('sbatch', said || `exit code ${answer.exitCode}`);
  }

  async #ask(program: string, args: readonly string[]): Promise<string> {
    const answer = await this.#run(program, args);
    if (answer.exitCode !== 0) throw noAnswer(program, answer);
    return answer.stdout;
  }

  #run(program: string, args: readonly string[]): Promise<ClusterAnswer> {
    const env = askingEnvironment(this.#variables);
    return runClusterCommand({ command: [program, ...args], env, limitMs: this.#limitMs });
  }
}

function* chunks(all: readonly string[]): Generator<string[]> {
  for (let from = 0; from < all.length; from += CHUNK) yield all.slice(from, from + CHUNK);
}
