import type {
  ErrandOrder,
  ErrandReport,
  EvaluationOrder,
  HeldErrand,
  OutputsOrder,
  PostOrder,
  RecoveryOrder,
} from '../../contract/records/errand.ts';
import type { Claim, FinishReport } from '../../contract/records/exchange.ts';
import { causeOf, matchCode, type Outcome, outcome } from '../../core/job/outcome.ts';
import { crashedPost } from '../../core/job/post-result.ts';
import { evidenceTail } from '../../core/text/evidence-tail.ts';
import type { EndCause, EndedNotice, SpawnOrder } from '../launcher/protocol.ts';
import { readPostResult } from '../observe/read-post-result.ts';
import { readTail } from '../observe/read-tail.ts';
import { type EndedAttempt, runBuiltinPost } from '../post/builtin-post.ts';
import { writeOutcomeFile } from '../post/write-outcome-file.ts';
import type { Evaluations } from './evaluations.ts';
import type { Launchers } from './launchers.ts';
import { planHook, removeHookInput, writeOutputFiles } from './output-hooks.ts';
import { planAction } from './plan-action.ts';
import { attemptFiles, planScript, type SpawnSettings, scriptFiles } from './spawn-order.ts';

/** Of stderr; more than is kept as evidence, since a line is kept as a whole. */
const TAIL_BYTES = 64 * 1024;
const STOPPED = outcome({ stopped: true });
const LOST = outcome({ lost: true });

/** Attempts have positive tokens at the launchers; errands have others, and as unique. */
export const errandToken = (id: number) => -id;

/** An attempt of this worker whose end was reported and is not decided. */
export interface ReportedAttempt {
  claim: Claim;
  report: FinishReport;
}

interface ErrandSurroundings {
  launchers: Launchers;
  evaluations: Evaluations;
  settings: SpawnSettings;
  attempt(token: number): ReportedAttempt | undefined;
  /** `token`: the attempt that waits for the errand; null if none does. `isScript`: a process has ended. */
  done(report: ErrandReport, token: number | null, isScript: boolean): void;
}

/** What only its outcome is reported of. */
type ScriptKind = 'recovery' | 'action' | 'outputs';

interface OpenErrand {
  /** The attempt that waits for it. */
  token: number | null;
  /** Of a script that the launchers run. */
  ended?(notice: EndedNotice): void;
  isDone: boolean;
}

/** Does the errands of a worker: each once, however often it is ordered, until its report has been delivered. */
export class ErrandRunner {
  readonly #around: ErrandSurroundings;
  readonly #open = new Map<number, OpenErrand>();
  #isStopped = false;

  constructor(around: ErrandSurroundings) {
    this.#around = around;
  }

  /** Errands under way. */
  get size(): number {
    return [...this.#open.values()].filter(({ isDone }) => !isDone).length;
  }

  /** While the worker is stopping only code and built-in post steps are evaluated, which take milliseconds. */
  run(order: ErrandOrder, isStopping: boolean): void {
    if (this.#open.has(order.id)) return;
    switch (order.kind) {
      case 'post':
        if (this.#isBuiltin(order)) {
          void this.#judge(order);
          break;
        }
        this.#await(order);
        if (isStopping) this.#done({ kind: 'post', id: order.id, post: null });
        else this.#around.launchers.spawn(this.#planPost(order));
        break;
      case 'recovery': {
        this.#await(order);
        const claim = this.#around.attempt(order.token)?.claim;
        // Of an attempt that a dead worker left behind nothing is known here.
        if (claim === undefined) this.#endScript(order, LOST);
        else if (isStopping) this.#endScript(order, STOPPED);
        else this.#around.launchers.spawn(this.#planRecovery(order, claim));
        break;
      }
      case 'action':
        this.#await(order);
        if (isStopping) this.#endScript(order, STOPPED);
        else this.#around.launchers.spawn(planAction(order, errandToken(order.id), this.#around.settings));
        break;
      case 'outputs':
        void this.#handleOutputs(order, isStopping);
        break;
      case 'evaluation':
        void this.#evaluate(order);
    }
  }

  /** Continues an errand that was begun before this process. A script that no launcher runs any more was cut off. */
  resume(errand: HeldErrand, isHeld: boolean): void {
    if (errand.kind === 'evaluation') {
      void this.#evaluate(errand);
      return;
    }
    if (errand.kind === 'post' && this.#isBuiltin(errand)) {
      void this.#judge(errand);
      return;
    }
    this.#await(errand);
    if (isHeld) return;
    if (errand.kind === 'post') {
      const post = crashedPost('it was cut off when its worker was restarted');
      this.#done({ kind: 'post', id: errand.id, post });
    } else this.#endScript(errand, LOST);
  }

  /** True if the notice was about one of the scripts. */
  ended(notice: EndedNotice): boolean {
    const errand = this.#open.get(-notice.token);
    if (errand === undefined) return false;
    errand.ended?.(notice);
    return true;
  }

  cancel(id: number): void {
    if (this.#isRunning(id)) this.#around.launchers.end(errandToken(id), 'canceled', false);
  }

  /** The attempt is stopped while its post script runs. */
  stopPostOf(token: number): void {
    for (const [id, errand] of this.#open) {
      if (errand.token === token && this.#isRunning(id)) {
        this.#around.launchers.end(errandToken(id), 'stopped', false);
      }
    }
  }

  stop(now: boolean, why: EndCause = 'stopped', mostGraceMs?: number): void {
    this.#isStopped = true;
    for (const id of this.#open.keys()) {
      if (this.#isRunning(id)) this.#around.launchers.end(errandToken(id), why, now, mostGraceMs);
    }
  }

  /** The attempt that waits for the errand, if one does. */
  attemptOf(id: number): number[] {
    const token = this.#open.get(id)?.token ?? null;
    return token === null ? [] : [token];
  }

  /** The reports have reached the engine. Returns the attempts that waited for them. */
  delivered(reports: readonly ErrandReport[]): number[] {
    return reports.flatMap(({ id }) => {
      const attempts = this.attemptOf(id);
      this.#open.delete(id);
      return attempts;
    });
  }

  #isRunning(id: number): boolean {
    const errand = this.#open.get(id);
    return errand?.ended !== undefined && !errand.isDone;
  }

  /** From here on its end is awaited. */
  #await(errand: Exclude<HeldErrand, EvaluationOrder>): void {
    const { kind, id } = errand;
    if (kind !== 'post') {
      const ended = ({ outcome: facts }: EndedNotice) => this.#endScript({ kind, id }, facts, true);
      this.#open.set(id, { token: null, ended, isDone: false });
      return;
    }
    this.#open.set(id, {
      token: errand.token,
      ended: (notice) => void this.#readPost(errand, notice.outcome),
      isDone: false,
    });
  }

  async #readPost({ id, token }: PostOrder, facts: Outcome): Promise<void> {
    const { claim, report } = this.#around.attempt(token)!;
    const { stateDir } = this.#around.settings;
    const { stdoutPath } = scriptFiles(claim, this.#around.settings, 'post');
    const post = await readPostResult(facts, stdoutPath);
    if (causeOf(report.outcome) !== null || post.exit_code !== 0) {
      post.log_tail =
        evidenceTail(await readTail(attemptFiles(claim, stateDir).stderrPath, TAIL_BYTES)) || null;
    }
    this.#done({ kind: 'post', id, post: facts.stopped ? null : post }, true);
  }

  #isBuiltin({ token, left }: PostOrder): boolean {
    const { config } = left ?? this.#around.attempt(token)!.claim;
    return config.post?.kind === 'builtin';
  }

  async #judge(order: PostOrder): Promise<void> {
    const { id, token, left } = order;
    const { evaluations, settings } = this.#around;
    this.#open.set(id, { token: left === undefined ? token : null, isDone: false });
    const post = await runBuiltinPost(this.#endedAttempt(order), order, settings, evaluations.patterns);
    this.#done({ kind: 'post', id, post: evaluations.isKilled ? null : post });
  }

  #endedAttempt({ token, left }: PostOrder): EndedAttempt {
    if (left !== undefined) return { ...left, report: left.observed };
    const { claim, report } = this.#around.attempt(token)!;
    return { ...claim, memory_bytes: claim.requirement.memory_bytes, report };
  }

  async #evaluate(order: EvaluationOrder): Promise<void> {
    const { id, token } = order;
    const attempt = this.#around.attempt(token);
    this.#open.set(id, { token: attempt === undefined ? null : token, isDone: false });
    const evaluations = await this.#around.evaluations.evaluate(order, attempt);
    this.#done({ kind: 'evaluation', id, evaluations });
  }

  /** Manifest and input of the hook first: neither can be stopped, and a hook that was not begun has no effects. */
  async #handleOutputs(order: OutputsOrder, isStopping: boolean): Promise<void> {
    const { launchers, settings } = this.#around;
    const { id, hook } = order;
    this.#open.set(id, { token: null, isDone: false });
    if (isStopping) {
      this.#endScript(order, STOPPED);
      return;
    }
    try {
      await writeOutputFiles(order, settings);
    } catch (error) {
      this.#endScript(
        order,
        outcome({ spawn_error: `its files cannot be written: ${(error as Error).message}` }),
      );
      return;
    }
    if (hook === null) this.#endScript(order, outcome({ exit_code: 0 }));
    else if (this.#isStopped) this.#endScript(order, STOPPED);
    else {
      this.#await(order);
      launchers.spawn(planHook({ ...order, hook }, errandToken(id), settings));
    }
  }

  #endScript({ kind, id }: { kind: ScriptKind; id: number }, facts: Outcome, isScript = false): void {
    if (kind === 'outputs') void removeHookInput({ id }, this.#around.settings);
    this.#done({ kind, id, outcome: facts }, isScript);
  }

  #done(report: ErrandReport, isScript = false): void {
    const errand = this.#open.get(report.id)!;
    errand.isDone = true;
    this.#around.done(report, errand.token, isScript);
  }

  #planPost(order: PostOrder): SpawnOrder {
    const { id, token } = order;
    const { claim, report } = this.#around.attempt(token)!;
    const post = claim.config.post!;
    if (post.kind !== 'command') throw new Error('the built-in post step is no script');
    const { command: script, timeout_ms: timeoutMs } = post;
    const env = {
      ...returnCode(matchCode(report.outcome)),
      HOLDFAST_MISSING_OUTPUTS: report.outcome.missing_outputs.join('\n'),
      HOLDFAST_OUTCOME: writeOutcomeFile(claim, report, order, this.#around.settings),
    };
    const side = { token: errandToken(id), kind: 'post', script, env, timeoutMs } as const;
    return planScript(claim, side, this.#around.settings);
  }

  #planRecovery(order: RecoveryOrder, claim: Claim): SpawnOrder {
    const { id, script, return_code, timeout_ms: timeoutMs } = order;
    const env = returnCode(return_code);
    const side = { token: errandToken(id), kind: 'recovery', script, env, timeoutMs } as const;
    return planScript(claim, side, this.#around.settings);
  }
}

function returnCode(code: number | null): Record<string, string> {
  const text = String(code ?? '');
  return { HOLDFAST_RETURN_CODE: text, TORC_RETURN_CODE: text };
}
