import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { TriageAnswer } from '../../src/cli/triage/plan-triage.ts';
import { type AskedGroup, type TriageEnd, triage } from '../../src/cli/triage/triage.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { jobsWorld, type World } from '../e2e/world.ts';
import { until } from './run-cli.ts';
import { forServer, SERVER_MODE, stateOf } from './server-mode.ts';

const BIN = fileURLToPath(new URL('../../bin/holdfast.js', import.meta.url));
/** Gives a program a terminal. */
const SCRIPT = 'script';
const JOBS = [
  { name: 'a', command: 'echo "refused 1" >&2; exit 7' },
  { name: 'b', command: 'echo "refused 2" >&2; exit 7' },
  { name: 'odd', command: 'echo SyntaxError >&2; exit 1' },
  { name: 'after', command: 'true', depends_on: ['odd'] },
];
const WAITING = { use_pending_failed: true };

const statuses = async (world: World) => (await world.jobs()).map(({ status }) => status);

/** Asks a person who gives these answers, and returns what they were shown. */
async function triaged(
  world: World,
  answers: (TriageAnswer | 'quit' | null)[],
  agrees: boolean | null,
  dryRun = false,
): Promise<{ end: TriageEnd; asked: AskedGroup[]; words: string[] }> {
  const engine = await openEngine({ dir: stateOf(world.dir), create: false });
  const asked: AskedGroup[] = [];
  let words: string[] = [];
  try {
    const end = await triage(
      engine,
      { workflowId: 1, actor: 'ada', dryRun },
      {
        ask: async (group) => answers[asked.push(group) - 1] ?? null,
        confirm: async (reported) => {
          words = reported;
          return agrees;
        },
      },
    );
    return { end, asked, words };
  } finally {
    await engine.close();
  }
}

describe('a triage', () => {
  test('shows each group, says what will be done, and decides at once', async (context) => {
    const world = jobsWorld(context, JOBS, WAITING);
    expect((await world.run('run', 'spec.json')).code).toBe(3);

    const quit = await triaged(world, [{ action: 'skip' }, 'quit'], true);
    expect(quit).toMatchObject({ end: 'nothing', words: [] });
    const left = await triaged(world, [{ action: 'retry' }, null], true);
    expect(left).toMatchObject({ end: 'left', words: [] });
    const declined = await triaged(world, [{ action: 'retry' }, 'quit'], false);
    expect(declined).toMatchObject({ end: 'nothing', words: ['retry 2 jobs (exit 7): a, b'] });
    const tried = await triaged(world, [{ action: 'retry' }, 'quit'], true, true);
    expect(tried).toMatchObject({ end: { dry_run: true }, words: [] });
    expect(await statuses(world)).toEqual(['pending_failed', 'pending_failed', 'pending_failed', 'blocked']);

    const { end, asked, words } = await triaged(
      world,
      [{ action: 'retry', memory: '1g', reason: 'noise' }, { action: 'fail' }],
      true,
    );
    expect(asked.map(({ group, position, of }) => [group.jobs.length, position, of])).toEqual([
      [2, 1, 2],
      [1, 2, 2],
    ]);
    expect(asked[1]).toMatchObject({
      group: { stderr_tail: 'SyntaxError' },
      explanation: { job: { name: 'odd', status: 'pending_failed' } },
    });
    expect(words).toEqual([
      'retry 2 jobs (exit 7): a, b, with 1g of memory; because noise',
      'fail 1 job (exit 1): odd, which cancels 1 job: after',
    ]);
    expect(end).toMatchObject({ dry_run: false, jobs: [{ name: 'a' }, { name: 'b' }, { name: 'odd' }] });
    expect(await statuses(world)).toEqual(['ready', 'ready', 'failed', 'canceled']);
    expect((await triaged(world, [], true)).end).toBe('none');
  });
});

/** Keys as a terminal sends them. */
const DOWN = '\x1b[B';
const ENTER = '\r';
const CTRL_C = '\x03';

/** The program on a terminal of its own. */
class Terminal {
  readonly ended: Promise<number | null>;
  readonly #child;
  #shown = '';
  #seen = 0;

  static async open(world: World, ...args: string[]): Promise<Terminal> {
    return SERVER_MODE
      ? new Terminal(world, args, (await forServer(args, world.dir)).env)
      : new Terminal(world, args, {});
  }

  private constructor(world: World, args: string[], env: Record<string, string>) {
    const words = [process.execPath, BIN, ...args].map((word) => `'${word}'`).join(' ');
    // The size of this terminal is not known.
    const command = `stty rows 40 cols 100; exec ${words}`;
    this.#child = spawn(SCRIPT, ['-qefc', command, '/dev/null'], {
      cwd: world.dir,
      env: {
        ...process.env,
        ...world.env,
        ...env,
        TERM: 'xterm',
        XDG_CONFIG_HOME: join(world.dir, '.no-config'),
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#shown += stripVTControlCharacters(text);
    });
    this.ended = new Promise((resolve) => this.#child.on('close', resolve));
  }

  get shown(): string {
    return this.#shown;
  }

  /** Waits until the text appears after what was waited for before, then types. */
  async at(text: string, keys: string): Promise<void> {
    await until(() => this.#shown.indexOf(text, this.#seen) >= 0, `it shows ${text}`);
    this.#seen = this.#shown.indexOf(text, this.#seen) + text.length;
    this.#child.stdin.write(keys);
  }
}

const version = spawnSync(SCRIPT, ['--version'], { encoding: 'utf8' });
const hasTerminal = version.stdout?.includes('util-linux') ?? false;
const name = hasTerminal ? 'on a terminal' : 'on a terminal (skipped: needs script of util-linux)';

describe.skipIf(!hasTerminal)(name, () => {
  test('resolve asks group by group, confirms in words and decides', async (context) => {
    const world = jobsWorld(context, JOBS, WAITING);
    await world.run('run', 'spec.json');
    const terminal = await Terminal.open(world, 'resolve', '1');
    await terminal.at('Enter: confirm', `${DOWN}${ENTER}`);
    await terminal.at('memory, such as 4g', `much${ENTER}`);
    await terminal.at('must be a size such as 4g', `${'\x7f'.repeat(4)}1g${ENTER}`);
    await terminal.at('runtime, such as 2h', ENTER);
    await terminal.at('reason, for the audit trail', `noise${ENTER}`);
    await terminal.at('Enter: confirm', `${DOWN}${DOWN}${ENTER}`);
    await terminal.at('reason, for the audit trail', ENTER);
    await terminal.at('no, change nothing', ENTER);
    expect(await terminal.ended).toBe(0);
    for (const reported of [
      '1 of 2',
      '| refused',
      '→ ask',
      'before: no decision about a failure like this',
      'retry 2 jobs (exit 7): a, b, with 1g of memory; because noise',
      'fail 1 job (exit 1): odd, which cancels 1 job: after',
      'retry 2 jobs and fail 1 job?',
      'workflow 1: decided about 3 jobs',
      'next: holdfast run 1',
    ]) {
      expect(terminal.shown).toContain(reported);
    }
    expect(await statuses(world)).toEqual(['ready', 'ready', 'failed', 'canceled']);
  });

  test('Ctrl-C in the middle leaves everything as it was', async (context) => {
    const world = jobsWorld(context, JOBS, WAITING);
    await world.run('run', 'spec.json');
    const terminal = await Terminal.open(world, 'resolve', '1');
    await terminal.at('Enter: confirm', ENTER);
    await terminal.at('reason, for the audit trail', ENTER);
    await terminal.at('Enter: confirm', CTRL_C);
    expect(await terminal.ended).toBe(130);
    expect(terminal.shown).toContain('workflow 1: nothing was decided');
    expect(await statuses(world)).toEqual(['pending_failed', 'pending_failed', 'pending_failed', 'blocked']);
  });
});
