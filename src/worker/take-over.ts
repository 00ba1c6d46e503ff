import type { ResumedWorker } from '../core/exchange.ts';
import type { AttemptRunner } from './attempt-runner.ts';
import { startedUnheard } from './launcher/launcher-process.ts';
import type { Holdings } from './launcher/protocol.ts';
import type { Launchers } from './launchers.ts';
import { actionToken, postToken, recoveryToken } from './script-tokens.ts';
import { attemptFiles } from './spawn-order.ts';

/**
 * A restarted worker goes on where the one before was cut off: what the launchers have and what the engine believes
 * it has are put together. What only one of them knows is ended, or given back.
 */
export function takeOver(
  runner: AttemptRunner,
  launchers: Launchers,
  holdings: Holdings,
  resumed: ResumedWorker,
  stateDir: string,
): void {
  const { waiting, started, ended } = holdings;
  const launched = new Set([...waiting, ...[...started, ...ended].map(({ token }) => token)]);
  const wanted = new Set<number>();
  const want = (token: number) => {
    wanted.add(token);
    return launched.has(token);
  };
  /** Of these the engine has not heard. */
  const news = new Set<number>();
  for (const { claim, started_at_ms, observed, question } of resumed.held) {
    const { token } = claim;
    if (observed !== null && question !== null) {
      runner.resumeReported(claim, observed, question, want(postToken(token)));
      continue;
    }
    if (started_at_ms === null) news.add(token);
    // Its directory is made right before it is started.
    const startedAt =
      started_at_ms ?? startedUnheard(attemptFiles(claim, stateDir).workDir)?.startedAt ?? null;
    runner.resume(claim, want(token), startedAt === null ? { stopped: true } : { lost: true }, startedAt);
  }
  for (const token of resumed.recoveries) runner.resumeRecovery(token, want(recoveryToken(token)));
  for (const id of resumed.actions) runner.resumeAction(id, want(actionToken(id)));

  for (const token of [...waiting, ...started.map((notice) => notice.token)]) {
    if (!wanted.has(token)) launchers.end(token, 'canceled', true);
  }
  for (const notice of started) if (news.has(notice.token)) runner.onStarted(notice);
  for (const notice of ended) {
    if (wanted.has(notice.token)) runner.onEnded(notice);
    else launchers.forget([notice.token]);
  }
}
