import { nameOf, type Word } from './command-word.ts';
import { VALUE } from './data-flow.ts';
import type { Refusal } from './refusals.ts';

const set = (names: string) => new Set(names.split(/\s+/));

const SHELLS = set('ash bash dash fish ksh mksh rbash runuser sh su zsh');
/** They show or move data: the name of a shell among their words is only a word. */
const DATA =
  set(`[ [[ : apk apt apt-get basename brew case cat chmod chown cmp comm cp cut declare diff dirname echo
  export false file for git grep egrep fgrep head install jq kill local ln ls mkdir mv npm paste pip pip3 pkill printf
  ps read readlink readonly realpath return rg rm rmdir rev select set shift sort stat tac tail tee test touch tr true
  type typeset uniq unset wc which whereis`);
/** They run the program that is named among their words. */
const WRAPPERS =
  set(`builtin busybox chroot chrt command conda docker doas env exec fakeroot fd find firejail flock
  ionice kubectl mpiexec mpirun nerdctl nice nohup nsenter numactl parallel pipenv podman poetry prlimit proot runcon
  script setarch setpriv setsid singularity apptainer srun stdbuf strace sudo systemd-run taskset time timeout unbuffer
  unshare uv valgrind xargs xvfb-run`);
/** All that they are given goes through a shell. */
const SHELL_ARGUMENTS = set('parallel screen tmux watch');
/** Options whose text is a program. */
const CODE_OPTIONS: [RegExp, RegExp][] = [
  [/^(?:python|pypy)[\d.]*$/, /^-[A-Za-z]*c/],
  [/^(?:perl|ruby)[\d.]*$/, /^-[A-Za-z\d]*[eE]/],
  [/^(?:node|nodejs|bun)$/, /^(?:-[ep]+|--eval|--print)/],
  [/^(?:lua[\d.]*|luajit|Rscript|R|osascript|dc|lftp|ghc|julia|elixir|scala)$/, /^-[eE]/],
  [/^php[\d.]*$/, /^-[rBRE]/],
  [/^(?:[gmn]?awk|original-awk)$/, /^(?:-e|--source)/],
  [/^g?sed$/, /^(?:-[A-Za-z]*e|--expression)/],
  [/^(?:script|flock|expect|lftp|vim?|nvim|ex)$/, /^(?:-[A-Za-z]*c|--command)/],
  [/^rsync$/, /^(?:-[A-Za-z]*e|--rsh|--rsync-path)/],
  [/^g?tar$/, /^(?:-I|--use-compress-program|--to-command|--checkpoint-action|--rsh-command)/],
  [/^gdb$/, /^(?:-ex|-iex|--eval-command|--ex)/],
  [/^entr$/, /^-[a-z]*s/],
];
/** Their first operand is a program, unless an option gives it. */
const PROGRAM_FIRST: [RegExp, string, RegExp][] = [
  [/^(?:[gmn]?awk|original-awk)$/, 'vFW', /^(?:-[ef]|--source|--file)/],
  [/^g?sed$/, 'lE', /^(?:-[A-Za-z]*[ef]|--expression|--file)/],
];
/** They run what they read. */
const INTERPRETERS = /^(?:(?:python|pypy|perl|ruby|php|lua)[\d.]*|node|nodejs|bun|tclsh|expect|luajit)$/;
const INPUT_IS_CODE = set('at batch crontab dc ed ex mariadb mysql parallel psql sqlite3');
const STANDARD_INPUT = /^(?:-|\/dev\/stdin|\/(?:dev|proc\/self)\/fd\/\d+)$/;
/** One option is enough to have them run a command. */
const REMOTE = set('rsync scp sftp ssh');
const SEARCHED = 12;
const SSH_OPTIONS = 'BbcDEeFIiJLlmOopQRSWw';

/** A program that may be started by a command, and the words that it is given. */
interface Started {
  name: string;
  /** Only known when it runs. */
  isUnknown: boolean;
  args: readonly Word[];
}

/** Whether a value at the end of these words, after `prefix` in its own word, is evaluated by the program. */
export function argumentRisk(words: readonly Word[], prefix: string): Refusal | undefined {
  for (const { name, isUnknown, args } of started(words)) {
    const before = args.at(-1)?.text ?? '';
    if (SHELLS.has(name) || isUnknown) {
      if (isCodeNext(args, !isUnknown)) return 'code';
    }
    if (SHELL_ARGUMENTS.has(name)) return 'code';
    if (REMOTE.has(name)) {
      if (before === '-o' || /^-o|^--?$/.test(prefix)) return 'code';
      const given = operands(args, SSH_OPTIONS);
      if (name === 'ssh' && given.length > 0) return 'code';
      const mayBeOption = prefix === '' && !args.some(({ text }) => text === '--');
      if (mayBeOption && !takesValue(before, SSH_OPTIONS)) return 'option';
    }
    if (name === 'env' && [prefix, before].some((text) => /^(?:-[A-Za-z]*S|--split)/.test(text)))
      return 'code';
    if (name === 'env' && prefix === '' && operands(args, 'uC').length === 0) return 'option';
    if (name === 'git' && before === '-c' && prefix === '') return 'option';
    for (const [program, option] of CODE_OPTIONS) {
      if (!program.test(name) || (INTERPRETERS.test(name) && hasScript(args))) continue;
      if (option.test(prefix) || (option.test(before) && !before.includes('=') && endsOption(before, option)))
        return 'program';
    }
    for (const [program, withValue, given] of PROGRAM_FIRST) {
      if (!program.test(name) || args.some(({ text }) => given.test(text))) continue;
      const isOption = prefix.startsWith('-') || takesValue(before, withValue);
      if (!isOption && operands(args, withValue).length === 0) return 'program';
    }
  }
  return undefined;
}

/** Whether the command runs what it reads from its input. */
export function runsInput(words: readonly Word[]): boolean {
  return started(words).some(({ name, isUnknown, args }) => {
    if (name === '.' || name === 'source') return STANDARD_INPUT.test(args[0]?.text ?? '');
    if (INPUT_IS_CODE.has(name)) return true;
    if (name === 'ssh') return operands(args, SSH_OPTIONS).length < 2;
    if (INTERPRETERS.test(name)) {
      if (CODE_OPTIONS.some(([p, option]) => p.test(name) && args.some(({ text }) => option.test(text))))
        return false;
      const [script] = operands(args, 'mWX');
      return script === undefined ? !args.some(({ text }) => text === '-m') : isInput(script);
    }
    if (!SHELLS.has(name) && !isUnknown) return false;
    const code = args.findIndex(({ text }) => isCodeFlag(text));
    // With nothing behind `-c`, another program adds the code.
    if (code >= 0) return code === args.length - 1;
    if (name === 'su' || name === 'runuser') return true;
    if (args.some(({ text }) => readsInput(text))) return true;
    const [script] = operands(args, 'oO');
    return script === undefined || isInput(script);
  });
}

/** The words that name a file whose text the command runs. */
export function runFiles(words: readonly Word[]): Word[] {
  return started(words).flatMap(({ name, isUnknown, args }) => {
    if (name === '.' || name === 'source') return args.slice(0, 1);
    if (!SHELLS.has(name) && !INTERPRETERS.test(name) && !isUnknown) return [];
    if (args.some(({ text }) => isCodeFlag(text) || readsInput(text))) return [];
    const startup = args.filter((_, at) => /^--(?:rcfile|init-file)$/.test(args[at - 1]?.text ?? ''));
    return [...startup, ...operands(args, 'oO').slice(0, 1)];
  });
}

/** Code that is written out in the command, and the words that it is given. */
export function writtenCode(words: readonly Word[]): { code: string; args: readonly Word[] }[] {
  const found = started(words).flatMap(({ name, isUnknown, args }) => {
    if (name === 'eval') return [{ code: args.map(({ text }) => text).join(' '), args: [] }];
    if (name === 'trap') return [{ code: operands(args, '')[0]?.text ?? '', args: [] }];
    const flag = SHELLS.has(name) || isUnknown ? args.findIndex(({ text }) => isCodeFlag(text)) : -1;
    if (flag < 0) return [];
    const [code, ...rest] = operands(args.slice(flag + 1), 'oO');
    return code === undefined ? [] : [{ code: code.text, args: rest }];
  });
  // Of `env bash bash -c CODE` once.
  return found.filter(({ code }, at) => found.findIndex((other) => other.code === code) === at);
}

export function isShell(word: Word): boolean {
  return SHELLS.has(nameOf(word));
}

export function isWrapper(word: Word): boolean {
  return WRAPPERS.has(nameOf(word));
}

/** The words that are looked at; a command of thousands is not searched for each of them. */
export function searchedWords(words: readonly Word[]): readonly Word[] {
  return words.length > 2 * SEARCHED ? [...words.slice(0, SEARCHED), ...words.slice(-SEARCHED)] : words;
}

function started(all: readonly Word[]): Started[] {
  const words = searchedWords(all);
  const [first] = words;
  if (first === undefined) return [];
  const name = nameOf(first);
  const isData = DATA.has(name);
  return words.flatMap((word, at) => {
    const isProgram = at === 0 || (!isData && (isWrapper(first) || SHELLS.has(nameOf(word))));
    if (!isProgram) return [];
    return [{ name: nameOf(word), isUnknown: at === 0 && word.isExpanded, args: words.slice(at + 1) }];
  });
}

/** The words that are neither options nor the values of these options. */
function operands(args: readonly Word[], withValue: string): Word[] {
  const found: Word[] = [];
  for (let at = 0; at < args.length; at++) {
    const { text, isSplit } = args[at]!;
    if (found.length > 0) found.push(args[at]!);
    else if (text === '--') return args.slice(at + 1);
    else if (takesValue(text, withValue) || /^--(?:rcfile|init-file)$/.test(text)) at++;
    else if (text === '-' || (!/^[-+]/.test(text) && !isSplit)) found.push(args[at]!);
  }
  return found;
}

/** Options behind a script are its own. */
function hasScript(args: readonly Word[]): boolean {
  const isOption = /^-/.test(args.at(-1)?.text ?? '');
  const before = isOption ? args.slice(0, -1) : args;
  return before.some(({ text }) => text === '-m') || operands(before, 'ceErIMWX').length > 0;
}

function takesValue(text: string, withValue: string): boolean {
  return /^[-+][A-Za-z]+$/.test(text) && withValue.includes(text.at(-1)!);
}

function endsOption(text: string, option: RegExp): boolean {
  return option.exec(text)?.[0] === text || text.startsWith('--');
}

function isInput({ text, isProcess }: Word): boolean {
  return STANDARD_INPUT.test(text) && !isProcess;
}

function isCodeFlag(text: string): boolean {
  return /^-[A-Za-z]*c[A-Za-z]*$/.test(text);
}

function readsInput(text: string): boolean {
  return /^-[A-Za-z]*s[A-Za-z]*$/.test(text);
}

/** After `-c` a shell takes the first word that is no option as code. A bare value may be that option. */
function isCodeNext(args: readonly Word[], valueMayBeOption: boolean): boolean {
  const flag = args.findIndex(
    ({ text, sources }, at) =>
      isCodeFlag(text) ||
      (valueMayBeOption &&
        sources.includes(VALUE) &&
        /^[-+]?[A-Za-z]*$/.test(text) &&
        args[at - 1]?.text !== '--' &&
        operands(args.slice(0, at), 'oO').length === 0),
  );
  // `-o` has a word of its own.
  return (
    flag >= 0 &&
    args
      .slice(flag + 1)
      .every((arg, position) => mayBeOption(arg) || /^[-+]\w*[oO]$/.test(args[flag + position]!.text))
  );
}

export function mayBeOption({ text, isSplit }: Word): boolean {
  return isSplit || /^[-+]/.test(text);
}
