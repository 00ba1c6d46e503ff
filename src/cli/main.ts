import { Command as Commander, CommanderError } from 'commander';
import { HoldfastError } from '../core/errors.ts';
import type { Invocation } from './command-context.ts';
import type { CommandEntry } from './command-entry.ts';
import { COMMANDS } from './command-table.ts';
import type { SettingSources } from './config/resolve-settings.ts';
import { SETTING_KEYS } from './config/settings.ts';
import { helpOfAll, helpOverview } from './help-overview.ts';
import { fitDetails, fitExample, helpWidth } from './help-text.ts';
import { openContext } from './open-context.ts';
import { GLOBAL_OPTIONS } from './options/global-options.ts';
import { printError, printErrorRecord } from './print-error.ts';

/** Runs one command line (without node and script) and returns the exit code. */
export async function main(argv: string[], version: string): Promise<number> {
  if (argv[0] === 'post' && !argv.includes('--help') && !argv.includes('-h')) {
    return (await import('./post/post-program.ts')).postProgram(argv.slice(1));
  }
  quietOnBrokenPipe();
  if (argv[0] === '__complete') {
    const { complete } = await import('./completion/complete.ts');
    return complete(COMMANDS, argv.slice(1)).catch(() => 0);
  }
  if (argv[0] === '__manual') {
    const { manualPage } = await import('./manual/manual-page.ts');
    process.stdout.write(manualPage(COMMANDS, version));
    return 0;
  }
  const json = asksForJson(argv);
  let exitCode = 0;
  let begun: CommandEntry | null = null;
  const program = createProgram(argv, version, json, {
    begins: (entry) => {
      begun = entry;
    },
    ends: (code) => {
      exitCode = code;
    },
  });
  try {
    if (argv.length === 0 || isListOfAll(argv)) program.outputHelp();
    else await program.parseAsync(isHelpOfUnknown(argv) ? argv.slice(1) : argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has printed its message already; its codes for help and version are 0.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    return printError(error, json, begun === null ? undefined : helpHint(begun));
  }
}

/** The descriptions of options are continued below each other down to this width; beside long options there is less room. */
const LEAST_HELP_WIDTH = 24;

interface CommandListener {
  begins(entry: CommandEntry): void;
  ends(exitCode: number): void;
}

const HELP_SUMMARY = 'how to use a command';
const HELP = ['help', HELP_SUMMARY] as const;

/** Below the help of one command, which shows its own options. */
const EVERY_COMMAND = `Options of every command: ${GLOBAL_OPTIONS.map(([flags]) => flags.split(' ')[0]).join(', ')}`;

const nameOf = (usage: string): string => usage.split(' ')[0]!;

/** `help all`: every command with its line. */
function isListOfAll(argv: readonly string[]): boolean {
  return argv[0] === 'help' && argv[1] === 'all';
}

/** `help statsu`: parsed as the command itself, which says that there is none. */
function isHelpOfUnknown([first, name]: readonly string[]): boolean {
  const isName = first === 'help' && name !== undefined && !name.startsWith('-') && name !== 'help';
  return isName && !COMMANDS.some(({ usage }) => nameOf(usage) === name);
}

function createProgram(argv: string[], version: string, json: boolean, listener: CommandListener): Commander {
  const program = new Commander('holdfast')
    .description('Runs batch workflows in which failure is a first-class path.')
    .version(version, '-v, --version', 'print the version')
    .helpCommand('help [command]', HELP_SUMMARY)
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({ outputError: (text) => printUsageError(text, HINT, json) });
  for (const [flags, about] of GLOBAL_OPTIONS) program.option(flags, about);
  program.helpInformation = () =>
    isListOfAll(argv)
      ? helpOfAll(new Map([...COMMANDS.map(({ usage, summary }) => [nameOf(usage), summary] as const), HELP]))
      : helpOverview(program.options.map((each) => [each.flags, each.description]));
  const asked = COMMANDS.filter(({ usage }) => argv.includes(nameOf(usage)));
  const showsAll = asked.length === 0 || argv[0] === '--help' || argv[0] === '-h';
  for (const entry of COMMANDS) {
    if (showsAll || asked.includes(entry)) addCommand(program, entry, json, listener);
    // Only its name has to be known: to make the options of all takes longer than to read a status.
    else program.command(entry.usage).description(entry.summary);
  }
  return program;
}

function addCommand(program: Commander, entry: CommandEntry, json: boolean, listener: CommandListener): void {
  const command = program
    .command(entry.usage)
    .description(entry.summary)
    .addHelpText('after', () => helpAfter(entry))
    .configureHelp({ minWidthToWrap: LEAST_HELP_WIDTH })
    .configureOutput({ outputError: (text) => printUsageError(text, helpHint(entry), json) })
    .exitOverride();
  for (const [flags, description, how] of entry.options ?? []) {
    if (how === 'repeated') command.option(flags, description, collect);
    else if (how !== undefined) command.option(flags, description, how);
    else if (/ <\w+>$/.test(flags) && !isSetting(flags)) command.option(flags, description, once(flags));
    else command.option(flags, description);
  }
  command.action(async () => {
    listener.begins(entry);
    const { options, lists } = givenOptions(command.optsWithGlobals());
    const invocation = { args: command.args, options, lists };
    const context = await openContext({
      dir: options.dir as string | undefined,
      flags: settingFlags(options),
      ownState: entry.ownState === true,
      list: entry.list?.(invocation) ?? null,
    });
    try {
      const run = await entry.load();
      listener.ends(await run(context, invocation));
    } finally {
      await context.close();
    }
  });
}

/** A flag without a value is counted. */
const collect = (value: string | undefined, before: string[] = []): string[] => [...before, value ?? ''];

/** Of two values of a setting the last one holds, as it does over those of the environment; else one would be ignored. */
const isSetting = (flags: string): boolean =>
  SETTING_KEYS.some((key) => flags.includes(`--${key.replaceAll('_', '-')} `));

/** Refuses a second value of an option that takes one. */
function once(flags: string): (value: string, before: string | undefined) => string {
  return (value, before) => {
    if (before === undefined || before === value) return value;
    const argument = flags.split(' ').find((word) => word.startsWith('--'))!;
    const problem = `takes one value, and was given ${JSON.stringify(before)} and ${JSON.stringify(value)}`;
    throw new HoldfastError('INVALID_ARGUMENT', { argument, problem });
  };
}

/** Those that can be repeated apart from those that have one value. */
function givenOptions(all: Record<string, unknown>): Pick<Invocation, 'options' | 'lists'> {
  const isList = ([, value]: [string, unknown]) => Array.isArray(value);
  const entries = Object.entries(all);
  return {
    options: Object.fromEntries(entries.filter((entry) => !isList(entry))) as Invocation['options'],
    lists: Object.fromEntries(entries.filter(isList)) as Invocation['lists'],
  };
}

function helpAfter({ details, examples }: CommandEntry): string {
  const more = details === undefined ? '' : `\n${fitDetails(details, helpWidth())}\n`;
  const shown = examples.map((example) => fitExample(`  ${example}`, helpWidth()));
  return `${more}\nExamples:\n${shown.join('\n')}\n\n${EVERY_COMMAND}`;
}

/** Options that are configuration keys, by key. */
function settingFlags(options: Invocation['options']): SettingSources['flags'] {
  const flags: SettingSources['flags'] = {};
  for (const key of SETTING_KEYS) {
    const value = options[key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())];
    if (typeof value === 'string') flags[key] = value;
  }
  // `--no-color` makes commander set color to false; true is only its default.
  if (options.color === false) flags.color = 'never';
  return flags;
}

const HINT = '`holdfast help` shows the commands and their options';

function helpHint({ usage }: CommandEntry): string {
  return `\`holdfast help ${nameOf(usage)}\` shows its options, with examples`;
}

function printUsageError(text: string, hint: string, json: boolean): void {
  const message = text.trim().replace(/^error: /, '');
  printErrorRecord({ code: 'INVALID_ARGUMENT', message, hint }, json);
}

/** Known before the options are parsed, because parsing them can be what fails. */
function asksForJson(argv: string[]): boolean {
  const index = argv.findLastIndex((word) => word === '--output' || word.startsWith('--output='));
  const value = argv[index] === '--output' ? argv[index + 1] : argv[index]?.slice('--output='.length);
  return (value ?? process.env.HOLDFAST_OUTPUT) === 'json';
}

/** A reader that has seen enough (`| head`) is no error; a terminal that went away must not end a run. */
function quietOnBrokenPipe(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
  process.stderr.on('error', () => {});
}
