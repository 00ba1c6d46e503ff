import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CliResult } from './run-cli.ts';

const HOST = fileURLToPath(new URL('./program-host.mjs', import.meta.url));

interface HostedRun {
  args: string[];
  cwd: string;
  /** All of it: nothing is inherited. */
  env: Record<string, string | undefined>;
}

/** Hosts that have nothing to do. They end with the process that started them. */
const idle: ChildProcess[] = [];

/**
 * Runs a command line with the `main` of the built program, in a process that has run others before. All else is as
 * ever: the directory, the environment, the launcher, the jobs, the store.
 */
export async function runHosted(run: HostedRun): Promise<CliResult> {
  const host = idle.pop() ?? startHost();
  const result = await ask(host, run);
  idle.push(host);
  return result;
}

function startHost(): ChildProcess {
  const host = fork(HOST, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
  host.unref();
  host.channel?.unref();
  return host;
}

function ask(host: ChildProcess, run: HostedRun): Promise<CliResult> {
  return new Promise((resolve, reject) => {
    const stop = () => host.off('message', answered).off('exit', died).off('error', failed);
    const answered = (result: unknown) => {
      stop();
      resolve(result as CliResult);
    };
    const failed = (error: Error) => {
      stop();
      reject(error);
    };
    const died = (code: number | null, signal: string | null) =>
      failed(new Error(`holdfast ${run.args.join(' ')} took its host with it: ${signal ?? `exit ${code}`}`));
    host.on('message', answered).on('exit', died).on('error', failed);
    host.send(run);
  });
}
