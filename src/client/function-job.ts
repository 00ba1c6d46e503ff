import { HoldfastError } from '../core/errors.ts';
import { functionSource } from './function-source.ts';
import type { JobRequest } from './job-request.ts';
import { jsonProblem } from './transport/json-problem.ts';

/** A function to run on a worker of the server, by the Node that is on its PATH. */
export interface FunctionRequest<Args extends readonly unknown[] = readonly unknown[]>
  extends Omit<JobRequest, 'name' | 'command'> {
  /** The name of the function by default. */
  name?: string;
  /**
   * Sent as source, so it cannot use variables from around it; it may `import()`. What it returns, or what its promise
   * resolves to, is the output of the job. An exception fails the attempt.
   */
  entrypoint: (...args: Args) => unknown;
  /** JSON. */
  args?: Args;
}

/** The user data that holds what a function returned. */
export const OUTPUT_NAME = 'output';

const FIRST_LINE = '# A function from the SDK, as base64.';
const END = 'HOLDFAST_FUNCTION';
// No braces: they have a meaning in commands.
const START = `await eval(Buffer.from((await import("node:fs")).readFileSync(0, "latin1"), "base64").toString())`;

export function isFunctionCommand(command: string): boolean {
  return command.startsWith(FIRST_LINE);
}

/** The command that runs a function. */
export function functionCommand(entrypoint: unknown, args: unknown = []): string {
  const source = functionSource(entrypoint);
  const problem = Array.isArray(args) ? jsonProblem(args, 'args') : 'args is not a list';
  if (problem !== undefined) {
    throw new HoldfastError('INVALID_ARGUMENT', { argument: 'args', problem });
  }
  const program = Buffer.from(programOf(source, JSON.stringify(args))).toString('base64');
  const lines = program.replace(/.{1,100}/g, '$&\n');
  return `${FIRST_LINE}\nexec node --input-type=module --eval '${START}' <<'${END}'\n${lines}${END}\n`;
}

/**
 * Its result goes into the file of the user data. Its exception is the end of stderr: the first line of the message as
 * the last line that is not indented. Compilers that keep names call `__name`.
 */
function programOf(source: string, args: string): string {
  return `(async () => {
  const { writeFileSync } = await import('node:fs');
  const jsonProblem = ${jsonProblem};
  const __name = (target) => target;
  try {
    const entrypoint = (${source}
);
    const value = await entrypoint(...JSON.parse(${JSON.stringify(args)}));
    const output = value === undefined ? null : value;
    const problem = jsonProblem(output, 'the returned value');
    if (problem !== undefined) throw new TypeError(problem);
    writeFileSync(process.env.HOLDFAST_USER_DATA_DIR + '/${OUTPUT_NAME}.json', JSON.stringify(output));
    process.exit(0);
  } catch (error) {
    const isError = error instanceof Error;
    const message = isError ? error.name + ': ' + error.message : 'thrown: ' + String(error);
    const frames = isError ? String(error.stack).split('\\n').filter((line) => /^ +at /.test(line)) : [];
    console.error([...frames, message.replace(/\\n/g, '\\n  ')].join('\\n'));
    process.exit(1);
  }
})()`;
}
