import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { HoldfastError } from '../../../core/errors.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import { SCHEMA_ID, specJsonSchema } from '../../../spec/json-schema.ts';
import { didYouMean } from '../../../spec/suggest.ts';
import type { Command, CommandContext } from '../../command-context.ts';
import { fileProblem } from '../../file-problem.ts';
import { type SpecTemplate, TEMPLATES } from '../../templates/templates.ts';
import { templatesView } from '../../texts/spec/templates-text.ts';
import { writtenFileView } from '../../texts/spec/written-file-text.ts';

const DEFAULT_FILE = 'workflow.yaml';
const SCHEMA_FILE = 'holdfast.schema.json';
/** Extensions by which `run` would not read the templates as YAML. */
const OTHER_NOTATIONS = ['.json', '.json5', '.kdl'];

export const initCommand: Command = async (context, { args, options }) => {
  if (options.list === true) {
    if (args.length > 0) throw invalid('--list', 'lists the templates, and writes no file');
    context.show(templatesView, TEMPLATES);
    return 0;
  }
  const file = args[0] ?? DEFAULT_FILE;
  const extension = extname(file);
  if (OTHER_NOTATIONS.includes(extension.toLowerCase())) {
    const yaml = `${file.slice(0, -extension.length)}.yaml`;
    throw invalid(file, `templates are written in YAML; name a file such as ${yaml}`);
  }
  const { text } = templateOf(options.template);
  const line = `# yaml-language-server: $schema=${SCHEMA_FILE}\n`;
  try {
    writeFileSync(file, line + withFileName(text, file), { flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const problem =
      code === 'EEXIST'
        ? 'exists already and is left as it is; name another file'
        : code === 'ENOENT'
          ? `there is no directory ${dirname(file)}`
          : `cannot be written: ${fileProblem(error)}`;
    throw new HoldfastError('INVALID_ARGUMENT', { argument: file, problem }, error);
  }
  context.show(writtenFileView, { file });
  writeSchema(context, join(dirname(file), SCHEMA_FILE));
  context.narrate(`next: ${context.command('run', file)}`);
  return 0;
};

function templateOf(name: string | boolean | undefined): SpecTemplate {
  if (name === undefined) return TEMPLATES[0]!;
  const found = TEMPLATES.find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = TEMPLATES.map((each) => each.name);
  throw invalid(
    '--template',
    `there is no template ${name}${didYouMean(String(name), names)} (${names.join(', ')})`,
  );
}

/** The commands of its head name the file, and what they do stays in one column. */
function withFileName(text: string, file: string): string {
  const [head = '', ...rest] = text.split('\n\n');
  const commands = /^(# {3}(?:touch .*)?holdfast \S.*?)( {2,})(\S.*)$/gm;
  const named = head.replaceAll('FILE', shellWord(file));
  const width = Math.max(...[...named.matchAll(commands)].map(([, command]) => command!.length));
  const aligned = named.replace(commands, (_, command, __, about) => `${command.padEnd(width)}  ${about}`);
  return [aligned, ...rest].join('\n\n');
}

/** Beside the spec, where editors find it. A file that is not such a schema is left as it is. */
function writeSchema(context: CommandContext, path: string): void {
  if (existsSync(path) && !readFileSync(path, 'utf8').includes(SCHEMA_ID)) {
    context.narrate(`${path} is not a schema of Holdfast and is left as it is`);
    return;
  }
  writeFileSync(path, `${JSON.stringify(specJsonSchema(), null, 2)}\n`);
  context.narrate(`wrote ${path}, with which editors complete and check specs`);
}

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
