import type { CommandEntry, CommandOption } from '../command-entry.ts';
import { fitDetails, fitExample } from '../help-text.ts';
import { GLOBAL_OPTIONS } from '../options/global-options.ts';

/** What `man` leaves of 80 columns for lines that it does not fill, and for those that are indented further. */
const DETAILS_WIDTH = 72;
const EXAMPLES_WIDTH = 65;

/** The manual page in roff, from what `help` prints: every command with its options, details and examples. */
export function manualPage(commands: CommandEntry[], version: string): string {
  return [
    `.TH HOLDFAST 1 "" "holdfast ${version}" "User Commands"`,
    '.SH NAME',
    'holdfast \\- runs batch workflows in which failure is a first\\-class path',
    '.SH SYNOPSIS',
    '.B holdfast',
    '.RI [ options ] " command " [ arguments ]',
    '.SH DESCRIPTION',
    text(
      '`holdfast run SPEC` runs a workflow, and `holdfast help COMMAND` shows what this page has of one command.',
    ),
    '.SH OPTIONS',
    text('Of every command:'),
    ...GLOBAL_OPTIONS.map(optionText),
    '.SH COMMANDS',
    ...commands.flatMap(commandText),
    '.SH FILES',
    '.TP',
    text('.holdfast'),
    text('The state directory, in the current directory or one above it. Its config.yaml has settings.'),
    '.TP',
    text('~/.config/holdfast/config.yaml'),
    text('Settings of the user. `holdfast config show` prints all of them with their origin.'),
    '.SH EXIT STATUS',
    ...EXIT_CODES.flatMap(([code, meaning]) => ['.TP', code, text(meaning)]),
    '',
  ].join('\n');
}

const EXIT_CODES = [
  ['0', 'Success; of `run`, all jobs completed.'],
  ['1', 'Of `run`, something failed or was canceled.'],
  ['2', 'Bad input; nothing was changed.'],
  ['3', 'Jobs wait for a decision.'],
  ['4', 'The server cannot be reached.'],
  ['130', 'Interrupted.'],
] as const;

function commandText({ usage, summary, details, options = [], examples }: CommandEntry): string[] {
  return [
    `.SS "holdfast ${text(usage)}"`,
    text(`${summary.slice(0, 1).toUpperCase()}${summary.slice(1)}.`),
    ...(details === undefined ? [] : ['.PP', '.nf', text(fitDetails(details, DETAILS_WIDTH)), '.fi']),
    ...options.map(optionText),
    '.PP',
    'Examples:',
    '.RS',
    '.nf',
    ...examples.map((example) => text(fitExample(example, EXAMPLES_WIDTH))),
    '.fi',
    '.RE',
  ];
}

function optionText([flags, about]: CommandOption): string {
  return `.TP\n.B ${text(flags)}\n${text(about)}`;
}

/** Literal in roff: backslashes, hyphens that are to be copied, and lines that would be requests. */
function text(plain: string): string {
  return plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replace(/^\./gm, '\\&.');
}
