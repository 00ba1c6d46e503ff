import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { CondorWorld } from './condor-world.ts';

const BIN = fileURLToPath(new URL('../../bin/holdfast.js', import.meta.url));

/** Where commands that are started here write; the pool may write there, too. */
export const OUTPUT = 'output';

export interface CommandEnd {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** `holdfast` in a project of the pool. */
export function startHoldfast(
  condor: CondorWorld,
  project: string,
  args: readonly string[],
  more: Record<string, string> = {},
): { child: ChildProcess; ended: Promise<CommandEnd> } {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: project,
    env: {
      ...condor.env,
      PATH: `${openWrapper(condor)}:${condor.env.PATH}`,
      DIE_AFTER_SUBMISSION: join(project, 'die'),
      OUTPUT: join(project, OUTPUT),
      ...more,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<CommandEnd>((resolve) => {
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { child, ended };
}

/** Processes here may be of root, those of the pool never are. */
function openWrapper(condor: CondorWorld): string {
  const real = condor.env.PATH!.split(':')[0]!;
  const directory = join(real, '..', 'open');
  mkdirSync(directory, { recursive: true });
  const program = join(directory, 'condor_submit_dag');
  // Where a test asks for it, the process that submits dies before it hears of the answer.
  const text = `#!/bin/sh
chmod -R a+rwX "$OUTPUT"
if [ -e "$DIE_AFTER_SUBMISSION" ]; then
  rm "$DIE_AFTER_SUBMISSION"
  ${real}/condor_submit_dag "$@"
  kill -KILL $PPID
  exit 0
fi
exec ${real}/condor_submit_dag "$@"
`;
  writeFileSync(program, text);
  chmodSync(program, 0o755);
  return directory;
}

export async function until(look: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await look())) await sleep(200);
}
