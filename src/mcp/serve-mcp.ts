import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createMcpServer } from './create-server.ts';
import { readVersion } from './read-version.ts';
import type { Session } from './session.ts';

/**
 * Serves the agent on stdin and stdout until it closes stdin or the signal says so. Stdout carries the protocol and
 * nothing else.
 */
export async function serveMcp(
  session: Session,
  onProblem: (problem: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const version = readVersion();
  const handle = serveStdio(() => createMcpServer(session, version), {
    onerror: (error) => onProblem(error.message),
  });
  await ended;
  await handle.close();
  // What was being changed is changed; nobody hears of it any more.
  await session.inTurn(async () => {});
  // A client that keeps its end open must not keep the process.
  process.stdin.destroy();
}
