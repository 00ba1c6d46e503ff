import type { WriteStream } from 'node:tty';
import type { FailedJob } from '../../contract/records/resolution.ts';
import { formatDuration, formatSize, parseDuration, parseSize } from '../../core/text/quantity.ts';
import { newestJob } from '../../views/failure-group.ts';
import type { CommandContext } from '../command-context.ts';
import type { TextStyle } from '../terminal/text-style.ts';
import { explanationText } from '../texts/explanation-text.ts';
import { groupText } from '../texts/failures-text.ts';
import type { TriageAnswer } from './plan-triage.ts';
import type { AskedGroup, Triager } from './triage.ts';

type Prompts = typeof import('@clack/prompts');

/** Asks on the terminal. The library is only loaded for that. */
export async function terminalTriager(context: CommandContext): Promise<Triager> {
  const prompts = await import('@clack/prompts');
  const output = context.stderr;
  const style = terminalStyle(context, output);
  return {
    async ask(asked) {
      for (const line of askedText(asked, style)) context.narrate(line);
      return askAbout(prompts, output, asked);
    },
    async confirm(words, count) {
      for (const line of ['', 'This is what will be done:', ...words.map((each) => `  ${each}`), '']) {
        context.narrate(line);
      }
      const agreed = await prompts.confirm({
        message: `${count}?`,
        active: 'yes',
        inactive: 'no, change nothing',
        output,
      });
      return prompts.isCancel(agreed) ? null : agreed;
    },
  };
}

/** Why the newest of the group waits, then the group as `failures` shows it: what was written stays in sight. */
function askedText({ group, explanation, position, of }: AskedGroup, style: TextStyle): string[] {
  const attempts = explanation.attempts.slice(-1).map(({ attempt, walk }) => {
    const failures = walk.findIndex(({ rule }) => rule === 'success') + 1;
    return { attempt, walk: walk.slice(failures) };
  });
  const explained = { ...explanation, attempts, decisions: [] };
  return [
    '',
    style.paint('dim', `${position} of ${of}`),
    ...explanationText({ explained, stderr: null, hints: [], allRules: true }, style),
    '',
    ...groupText(group, style),
    '',
  ];
}

async function askAbout(
  prompts: Prompts,
  output: WriteStream,
  { group }: AskedGroup,
): Promise<TriageAnswer | 'quit' | null> {
  const { select, isCancel } = prompts;
  const all = group.jobs.length === 1 ? 'it' : `all ${group.jobs.length}`;
  const choice = await select({
    message: 'What should happen?',
    options: [
      { value: 'retry', label: 'retry', hint: `try ${all} again` },
      { value: 'more', label: 'retry with more memory or time' },
      { value: 'fail', label: 'fail', hint: 'give up; what depends on it is canceled' },
      { value: 'skip', label: 'skip', hint: 'decide later' },
      { value: 'quit', label: 'quit', hint: 'ask nothing more' },
    ],
    output,
  });
  if (isCancel(choice)) return null;
  if (choice === 'skip') return { action: 'skip' };
  if (choice === 'quit') return 'quit';
  const answer: TriageAnswer = { action: choice === 'fail' ? 'fail' : 'retry' };
  const questions = choice === 'more' ? [...resourceQuestions(newestJob(group)), REASON] : [REASON];
  for (const { key, message, check } of questions) {
    const text = await prompts.text({
      message,
      validate: (value = '') => (value.trim() === '' ? undefined : check(value)),
      output,
    });
    if (isCancel(text)) return null;
    const said = (text ?? '').trim();
    if (said !== '') Object.assign(answer, { [key]: said });
  }
  return answer;
}

/** Something to type, or nothing. */
interface Question {
  key: 'memory' | 'runtime' | 'reason';
  message: string;
  /** What is wrong with the text; undefined if nothing is. */
  check: (text: string) => string | undefined;
}

const REASON: Question = {
  key: 'reason',
  message: 'reason, for the audit trail (may be empty)',
  check: () => undefined,
};

function resourceQuestions({ memory_bytes, runtime_ms }: FailedJob): Question[] {
  return [
    {
      key: 'memory',
      message: `memory, such as 4g (${now(memory_bytes, formatSize)}; empty: unchanged)`,
      check: (text) => (parseSize(text) ? undefined : 'must be a size such as 4g'),
    },
    {
      key: 'runtime',
      message: `runtime, such as 2h (${now(runtime_ms, formatDuration)}; empty: unchanged)`,
      check: (text) => (parseDuration(text, 1000) ? undefined : 'must be a duration such as 2h'),
    },
  ];
}

function now(value: number | null, format: (value: number) => string): string {
  return value === null ? 'now without limit' : `now ${format(value)}`;
}

function terminalStyle({ errorPaint, command }: CommandContext, output: WriteStream): TextStyle {
  return {
    get width() {
      return output.columns || 80;
    },
    get now() {
      return Date.now();
    },
    paint: errorPaint,
    cwd: process.cwd(),
    command,
  };
}
