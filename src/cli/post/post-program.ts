import { readFileSync, writeFileSync } from 'node:fs';
import { readCompiledRulebook } from '../../core/dag/compiled-rulebook.ts';
import type { NodePolicy } from '../../core/dag/decide-node.ts';
import type { PostCodes, PostResult } from '../../core/job/post-result.ts';
import { nodeNameProblem, type PostRecord } from '../../core/request/post-record.ts';
import { harmlessLine } from '../../core/text/harmless-line.ts';
import { readPartBlocking } from '../../worker/observe/read-part.ts';
import {
  type MatchesPatterns,
  NO_RULEBOOK,
  type PostedAttempt,
  type PostStepResult,
  runPostStep,
  type UsableRulebook,
} from '../../worker/post/post-step.ts';
import { replaceFileBlocking } from '../../worker/post/replace-file.ts';
import { writePostRecord } from '../../worker/post/write-post-record.ts';
import { beginCoolOff, DEFERRED, endCoolOff, readCoolOff } from './cool-off.ts';
import { judgeUnit } from './judge-unit.ts';
import { raiseLimits, readSurroundings } from './node-surroundings.ts';
import { type DagMacros, DEFAULT_CODES, type PostArguments, readPostArguments } from './post-arguments.ts';
import {
  attemptOfMacros,
  attemptOfOutcome,
  evidenceTime,
  NO_SURROUNDINGS,
  type NodeSurroundings,
  readOutcomeFile,
} from './posted-attempt.ts';

/**
 * `holdfast post`: the built-in post step as a program. Loaded by itself, because DAGMan starts it for every attempt; the
 * reader of rulebooks and the matcher of patterns are loaded where they are needed. Whatever goes wrong, it exits with 1,
 * which a DAG retries: any other code would have a meaning there.
 */
export async function postProgram(argv: readonly string[], now = Date.now()): Promise<number> {
  let quiet = false;
  try {
    const given = readPostArguments(argv);
    quiet = given.quiet;
    return given.macros === null ? await judgeOutcome(given) : await judgeNode(given, given.macros, now);
  } catch (error) {
    const problem = harmlessLine((error as Error).message, 1_000);
    if (!quiet) say(`holdfast post: ${problem}`);
    await recordCrash(argv, problem, now);
    return 1;
  }
}

/** As the post script of a job. */
async function judgeOutcome(given: PostArguments): Promise<number> {
  const outcome = readOutcomeFile(process.env.HOLDFAST_OUTCOME);
  const { result } = await judge(given, attemptOfOutcome(outcome), outcome);
  print(result, given.quiet);
  return result.exit_code!;
}

/** As the POST script of a node. */
async function judgeNode(given: PostArguments, macros: DagMacros, now: number): Promise<number> {
  const { node, return_code, retry } = macros;
  const { directory, quiet, cooloff_base_sec: base } = given;
  const problem = nodeNameProblem(node);
  if (problem !== null) throw new Error(problem);
  const around = readSurroundings(given, node);
  if (given.is_unit) {
    return judgeUnit(directory, around.run, return_code, given.abort_code ?? DEFAULT_CODES.abort_code);
  }
  const { run, facts } = around;
  const attempt = { run, attempt: retry + 1, return_code, evidence_ms: evidenceTime(directory, node) };
  const begun = readCoolOff(directory, node, attempt);
  if (begun !== null) {
    const left = begun.due_at_ms - now;
    if (!quiet) say(left > 0 ? `the cool-off ends in ${Math.ceil(left / 1000)} s` : 'the cool-off is over');
    if (left > 0) return DEFERRED;
    endCoolOff(directory, node);
    return begun.exit_code;
  }
  const { result, classified } = await judge(
    given,
    await attemptOfMacros(macros, directory, around, now),
    DEFAULT_CODES,
    facts && { ...facts, now },
  );
  const exit_code = result.exit_code!;
  const wait = result.delay_ms ?? (base ?? 0) * 1000 * 2 ** retry;
  // Without --cooloff-base-sec the DAG is not known to call again.
  const mayRetry = classified.classification.action === 'retry';
  const isDeferred = base !== null && mayRetry && wait > 0;
  try {
    if (mayRetry) raiseLimits(directory, node, around.override, result);
  } catch (error) {
    if (!quiet) say(`the limits stay as they are: ${harmlessLine((error as Error).message, 500)}`);
  }
  print(isDeferred ? { ...result, delay_ms: wait } : result, quiet);
  if (!isDeferred) return exit_code;
  try {
    beginCoolOff(directory, node, { ...attempt, due_at_ms: now + wait, exit_code });
  } catch (error) {
    if (!quiet) say(`no cool-off: ${harmlessLine((error as Error).message, 500)}`);
    return exit_code;
  }
  return DEFERRED;
}

async function judge(
  given: PostArguments,
  attempt: PostedAttempt,
  codes: PostCodes,
  policy: Omit<NodePolicy, 'codes'> | null = null,
): Promise<PostStepResult> {
  const matcher = new LazyMatcher();
  const permanent_code = given.permanent_code ?? codes.permanent_code;
  const abort_code = given.abort_code ?? codes.abort_code;
  try {
    return await runPostStep({
      attempt,
      loadRulebook: () => readRulebookFile(given.rulebook),
      settings: { unless_exit_code: permanent_code, abort_dag_code: abort_code },
      directory: given.directory,
      matcher,
      policy: policy && { ...policy, codes: { permanent_code, abort_code } },
      files: { read: readPartBlocking, replace: replaceFileBlocking },
    });
  } finally {
    await matcher.stop();
  }
}

/** Its reader takes longer to load than the rest of the program, and most attempts succeed and need no rules. */
async function readRulebookFile(path: string | null): Promise<UsableRulebook> {
  if (path === null) return NO_RULEBOOK;
  try {
    const text = readFileSync(path, 'utf8');
    const compiled = readCompiledRulebook(text);
    if (compiled !== null) return { rulebook: compiled, problem: null };
    const { loadRulebook } = await import('../../spec/request/load-rulebook.ts');
    const loaded = loadRulebook(text, path);
    if (loaded.ok) return { rulebook: loaded.rulebook, problem: null };
    const { formatProblem } = await import('../../spec/problem.ts');
    const problems = loaded.problems.map(formatProblem).join('; ');
    return { rulebook: null, problem: `the rulebook cannot be used: ${problems}` };
  } catch (error) {
    return { rulebook: null, problem: `the rulebook cannot be read: ${(error as Error).message}` };
  }
}

/** Most attempts have no pattern to look for, and start no thread. */
class LazyMatcher implements MatchesPatterns {
  #matcher: { match: MatchesPatterns['match']; stop(): Promise<void> } | null = null;

  async match(patterns: string[], text: string) {
    const { PatternMatcher } = await import('../../worker/observe/pattern-matcher.ts');
    this.#matcher ??= new PatternMatcher();
    return await this.#matcher.match(patterns, text);
  }

  async stop(): Promise<void> {
    await this.#matcher?.stop();
  }
}

/** One line that `readPostResult` understands, and one sentence for people. */
function print(result: PostResult, quiet: boolean): void {
  const { category, bad_inputs, memory_bytes, runtime_ms, delay_ms, reason, report_code, message, problem } =
    result;
  const line = {
    category: category ?? undefined,
    bad_inputs: bad_inputs.length === 0 ? undefined : bad_inputs,
    memory: memory_bytes === null ? undefined : inUnit(memory_bytes, SIZES),
    runtime: runtime_ms === null ? undefined : inUnit(runtime_ms, TIMES),
    delay: delay_ms === null ? undefined : inUnit(Math.round(delay_ms), TIMES),
    reason: reason ?? undefined,
    report_code: report_code ?? undefined,
    message: message ?? undefined,
    problem: problem ?? undefined,
  };
  write(1, `${JSON.stringify(line)}\n`);
  if (!quiet) say(problem === null ? reason! : `${reason}; ${problem}`);
}

const SIZES: [number, string][] = [
  [1024 ** 3, 'g'],
  [1024 ** 2, 'm'],
  [1024, 'k'],
  [1, 'b'],
];
const TIMES: [number, string][] = [
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1_000, 's'],
  [1, 'ms'],
];

/** In the largest unit in which the value is whole. */
function inUnit(value: number, units: readonly [number, string][]): string {
  const [size, unit] = units.find(([each]) => value % each === 0) ?? units.at(-1)!;
  return `${value / size}${unit}`;
}

function say(sentence: string): void {
  write(2, `${sentence}\n`);
}

/** Without the streams of Node, which take longer to load than the rest. What nobody reads is lost: the exit code counts. */
function write(descriptor: 1 | 2, text: string): void {
  try {
    writeFileSync(descriptor, text);
  } catch {}
}

/** As far as they can be read: what cannot may be the reason of the crash. */
function surroundingsAfterCrash(argv: readonly string[], directory: string, node: string): NodeSurroundings {
  try {
    return readSurroundings({ ...readPostArguments(argv), directory }, node);
  } catch {
    return NO_SURROUNDINGS;
  }
}

/** The second level finds out why there is no classification. */
async function recordCrash(argv: readonly string[], problem: string, now: number): Promise<void> {
  const [node = '', , retry, most] = argv.filter((word) => !word.startsWith('--'));
  const at = argv.indexOf('--dir');
  const directory = (at < 0 ? undefined : argv[at + 1]) ?? '.';
  if (nodeNameProblem(node) !== null || argv[0] !== node || argv.includes('--unit')) return;
  const attempt = /^\d{1,9}$/.test(retry ?? '') ? Number(retry) + 1 : 1;
  const facts = { return_code: 1, retry: attempt - 1, node, max_retries: Number(most) || 0 };
  const around = surroundingsAfterCrash(argv, directory, node);
  const { run, schedd } = await attemptOfMacros(facts, directory, around, now);
  const record: PostRecord = {
    node_name: node,
    timestamp: new Date(now).toISOString(),
    run,
    attempt,
    max_retries: facts.max_retries,
    final: /^\d+$/.test(most ?? '') && facts.retry >= facts.max_retries,
    job: {
      exit_code: null,
      exit_signal: null,
      hold_reason: null,
      wall_time_sec: null,
      cpu_time_sec: null,
      memory_mb: null,
      site: null,
      schedd,
    },
    report: null,
    cmssw: null,
    classification: {
      category: 'transient',
      retryable: true,
      bad_input_files: [],
      action: 'retry',
      rule: null,
      reason: `the post step failed: ${problem}`,
    },
    problems: [problem],
    log_tail: '',
  };
  await writePostRecord(directory, record, replaceFileBlocking);
}
