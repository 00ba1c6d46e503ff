import { resolve } from 'node:path';
import type { NewRequest } from '../../contract/engine.ts';
import { dagRequestProblems } from '../../spec/dag/dag-problems.ts';
import { notifyProblems } from '../../spec/notify/notify-policy.ts';
import { formatProblem } from '../../spec/problem.ts';
import { loadRequest } from '../../spec/request/load-request.ts';
import { keptFiles } from '../../spec/spec-files.ts';
import type { CommandContext, Invocation } from '../command-context.ts';
import { errorSettings } from '../config/error-settings.ts';
import { ownPolicy } from '../notify/notify-policy.ts';
import { userName } from '../options/user-name.ts';
import { refuseProblems, type SpecText, valid } from '../read-spec.ts';
import { filesBeside } from '../spec-files.ts';

/** A spec of kind request as a request that can be created, with the files that it names. */
export function newRequest(
  context: CommandContext,
  path: string,
  { text, name, set = {} }: SpecText,
  options: Invocation['options'],
): NewRequest {
  const { files, sent } = keptFiles(filesBeside(path));
  const { model, items, warnings, notes } = valid(loadRequest(text, name, files, set));
  if (context.server === null) {
    refuseProblems(notifyProblems({ text, name }, model.notify ?? [], ownPolicy(context.settings)));
  }
  for (const warning of warnings) context.narrate(`warning: ${formatProblem(warning)}`);
  for (const note of notes) context.narrate(`note: ${formatProblem(note)}`);
  const cwd = typeof options.cwd === 'string' ? options.cwd : '.';
  const { output_dir: outputDir } = context.settings;
  const isHere = context.server === null;
  const place = {
    cwd: isHere ? resolve(cwd) : cwd,
    output_dir: isHere ? resolve(outputDir) : outputDir,
  };
  if (model.executor === 'htcondor') refuseProblems(dagRequestProblems({ text, name }, model, place));
  return {
    model,
    items,
    settings: errorSettings(context.origins),
    source: { text, name, files: sent, ...(Object.keys(set).length > 0 && { set }) },
    ...place,
    actor: userName(),
    ...(!isHere && { shared: true }),
  };
}
