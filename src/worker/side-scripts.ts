import type {
  ActionOrder,
  ActionReport,
  Claim,
  FinishReport,
  RecoveryOrder,
  RecoveryReport,
} from '../core/exchange.ts';
import { matchCode } from '../core/outcome.ts';
import type { PostResult } from '../core/post-result.ts';
import type { EndedNotice } from './launcher/protocol.ts';
import type { Launchers } from './launchers.ts';
import { planAction } from './plan-action.ts';
import { readPostResult } from './read-post-result.ts';
import { actionToken, postToken, recoveryToken } from './script-tokens.ts';
import { planScript, type SpawnSettings, scriptFiles } from './spawn-order.ts';

const RECOVERY_TIMEOUT_MS = 10 * 60_000;

interface SideScriptCallbacks {
  judged(report: FinishReport, post: PostResult, stopped: boolean): void;
  recovered(report: RecoveryReport): void;
  acted(report: ActionReport): void;
}

/**
 * Scripts that run beside attempts: post scripts before one is judged, recovery scripts before it is repeated, and
 * the actions of the workflow.
 */
export class SideScripts {
  private readonly launchers: Launchers;
  private readonly settings: SpawnSettings;
  private readonly callbacks: SideScriptCallbacks;
  private readonly running = new Map<number, (notice: EndedNotice) => void>();
  /** Post scripts whose words are being read. */
  private reading = 0;

  constructor(launchers: Launchers, settings: SpawnSettings, callbacks: SideScriptCallbacks) {
    this.launchers = launchers;
    this.settings = settings;
    this.callbacks = callbacks;
  }

  get size(): number {
    return this.running.size + this.reading;
  }

  post(claim: Claim, report: FinishReport): void {
    const { command, timeoutMs } = claim.config.post!;
    const env = {
      ...returnCode(matchCode(report.outcome)),
      HOLDFAST_MISSING_OUTPUTS: report.outcome.missingOutputs.join('\n'),
    };
    this.awaitPost(claim, report);
    this.start(postToken(claim.token), claim, 'post', command, env, timeoutMs);
  }

  /** The post script of the attempt has been started. */
  awaitPost(claim: Claim, report: FinishReport): void {
    this.running.set(postToken(claim.token), (notice) => {
      this.reading += 1;
      const { stdoutPath } = scriptFiles(claim, this.settings.stateDir, 'post');
      void readPostResult(notice.outcome, stdoutPath).then((post) => {
        this.reading -= 1;
        this.callbacks.judged(report, post, notice.outcome.stopped);
      });
    });
  }

  recover(claim: Claim, order: RecoveryOrder): void {
    const env = returnCode(order.return_code);
    this.awaitRecovery(order.token);
    this.start(recoveryToken(claim.token), claim, 'recovery', order.script, env, RECOVERY_TIMEOUT_MS);
  }

  /** The recovery script has been started. */
  awaitRecovery(token: number): void {
    this.running.set(recoveryToken(token), ({ outcome }) => this.callbacks.recovered({ token, outcome }));
  }

  act(order: ActionOrder): void {
    this.awaitAction(order.action_id);
    this.launchers.spawn(planAction(order, actionToken(order.action_id), this.settings));
  }

  /** The action has been started. */
  awaitAction(actionId: number): void {
    this.running.set(actionToken(actionId), ({ outcome }) =>
      this.callbacks.acted({ action_id: actionId, outcome }),
    );
  }

  /** True if the notice was about one of these scripts. */
  ended(notice: EndedNotice): boolean {
    const done = this.running.get(notice.token);
    if (done === undefined) return false;
    this.running.delete(notice.token);
    done(notice);
    return true;
  }

  /** The attempt was canceled while its post script runs. */
  cancel(token: number): void {
    if (this.running.has(postToken(token))) this.launchers.end(postToken(token), 'canceled', false);
  }

  stop(now: boolean): void {
    for (const token of this.running.keys()) this.launchers.end(token, 'stopped', now);
  }

  private start(
    token: number,
    claim: Claim,
    kind: 'post' | 'recovery',
    script: string,
    env: Record<string, string>,
    timeoutMs: number,
  ): void {
    this.launchers.spawn(planScript(claim, { token, kind, script, env, timeoutMs }, this.settings));
  }
}

function returnCode(code: number | null): Record<string, string> {
  const text = String(code ?? '');
  return { HOLDFAST_RETURN_CODE: text, TORC_RETURN_CODE: text };
}
