import type { EvaluationOrder } from '../../contract/records/errand.ts';
import {
  type CodeKey,
  codeKind,
  type Evaluation,
  type EvaluationError,
  type EvaluationInputs,
} from '../../core/job/evaluation.ts';
import { Secrets } from '../../core/text/secrets.ts';
import type { Sandbox, SandboxResult } from '../../sandbox/sandbox.ts';

/** What an attempt wrote last, as far as code sees it. */
export interface LogTails {
  stdout: string;
  stderr: string;
}

/** The facts that an order leaves to whoever carries it out. */
export interface LocalFacts {
  /** What `Date.now()` says: the time of the event that the code is asked about. */
  now: number;
  /** null where there is no error, or it left no logs. */
  tails: LogTails | null;
}

/** Carries out orders to evaluate code. The sandbox is started with the first one: most workflows have none. */
export class CodeEvaluator {
  readonly #env: Readonly<Record<string, string | undefined>>;
  #sandbox: Promise<Sandbox> | null = null;

  constructor(env: Readonly<Record<string, string | undefined>> = process.env) {
    this.#env = env;
  }

  /** One after another, in the order of the codes. What goes wrong in the code is a result. */
  async evaluate(
    { codes, inputs, env }: Pick<EvaluationOrder, 'codes' | 'inputs' | 'env'>,
    facts: LocalFacts,
  ): Promise<Evaluation[]> {
    const seen = completeInputs(inputs, this.#environment(inputs, env), facts.tails);
    const secrets = new Secrets([seen.env]);
    const evaluations: Evaluation[] = [];
    for (const { key, code } of codes) {
      const result = await this.#run(code, key, seen, facts.now);
      evaluations.push(evaluationOf(key, result, seen, secrets));
    }
    return evaluations;
  }

  /** Starts the sandbox before the first order comes. */
  warm(): void {
    this.#start()
      .then((sandbox) => sandbox.warm())
      // The evaluation that needs it reports it.
      .catch(() => {});
  }

  async stop(): Promise<void> {
    // One that could not be started has nothing to stop.
    const sandbox = await this.#sandbox?.catch(() => null);
    await sandbox?.stop();
  }

  async #run(code: string, key: CodeKey, inputs: EvaluationInputs, now: number): Promise<SandboxResult> {
    const facts = { now, seed: seedOf(key, inputs) };
    try {
      return await (await this.#start()).evaluate(code, codeKind(key), inputs, facts);
    } catch (error) {
      return { ok: false, problem: `the sandbox cannot be used: ${(error as Error).message}`, ms: 0 };
    }
  }

  #start(): Promise<Sandbox> {
    this.#sandbox ??= import('../../sandbox/sandbox.ts').then((module) => new module.Sandbox());
    return this.#sandbox;
  }

  /** What the job's own environment says goes first; a name that nobody knows is left out. */
  #environment({ env }: EvaluationInputs, names: readonly string[]): Record<string, string> {
    const environment = { ...env };
    for (const name of names) {
      const value = this.#env[name];
      if (!Object.hasOwn(environment, name) && value !== undefined) environment[name] = value;
    }
    return environment;
  }
}

function completeInputs(
  inputs: EvaluationInputs,
  env: Record<string, string>,
  tails: LogTails | null,
): EvaluationInputs {
  const error = inputs.error === null || tails === null ? inputs.error : completeError(inputs.error, tails);
  return { ...inputs, env, error };
}

/** What the program printed last says more than a bare exit code or signal. */
function completeError(error: EvaluationError, tails: LogTails): EvaluationError {
  const isBare = error.message === `exit ${error.exitCode}` || /^SIG[A-Z0-9]+$/.test(error.message);
  const said = isBare ? lastLine(tails.stderr) || lastLine(tails.stdout) : '';
  return { ...error, ...tails, message: said || error.message };
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)!.trim();
}

/** What is stored of an evaluation: the small ones of its inputs, and no secrets. */
function evaluationOf(
  key: CodeKey,
  result: SandboxResult,
  { attempt, loop, error, foreach, env }: EvaluationInputs,
  secrets: Secrets,
): Evaluation {
  return {
    key,
    result: storedResult(key, result, secrets),
    ms: result.ms,
    inputs: {
      attempt,
      loop,
      error: error && secrets.data({ message: error.message, code: error.code, exitCode: error.exitCode }),
      foreach: secrets.data(foreach),
      env: secrets.environment(env),
    },
  };
}

function storedResult(key: CodeKey, result: SandboxResult, secrets: Secrets): Evaluation['result'] {
  if (!result.ok) return { ok: false, problem: secrets.text(result.problem) };
  // Only whether it holds matters, and that is known without what it was made of.
  if (key === 'if' || key === 'fail_if') return { ok: true, value: Boolean(result.value) };
  const value = result.value ?? null;
  const secret = secrets.foundIn(value);
  if (secret === undefined) return { ok: true, value };
  // Masked it would name another step than it did, or none.
  return { ok: false, problem: `the result contains the value of ${secret}, which is kept secret` };
}

/** Equal for equal moments of equal workflows, so that a run can be repeated, and simulated. FNV-1a. */
function seedOf(key: CodeKey, { step, foreach, attempt, loop }: EvaluationInputs): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(JSON.stringify([key, step.id, foreach?.path ?? '', attempt, loop]))) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return hash >>> 0;
}
