import type { WorkflowModel } from '../core/model/workflow-model.ts';
import { Findings } from './findings.ts';
import type { NormaliseOptions } from './normalise/spec-context.ts';
import { normaliseSpec } from './normalise-spec.ts';
import type { Problem } from './problem.ts';
import { kindOf } from './read-kind.ts';
import { parseWorkflow } from './schema/reading/parse-structure.ts';
import { withoutNulls } from './schema/reading/without-nulls.ts';
import { workflowSpecSchema } from './schema/workflow-schema.ts';
import { readSource } from './source/read-source.ts';
import { foundProblems, syntaxProblems } from './source-problems.ts';
import { type SpecFiles, sentFiles } from './spec-files.ts';
import { readParameterFiles } from './sweep/parameter-files.ts';
import { applySettings, type SpecSettings } from './variables/apply-settings.ts';
import { substituteVariables } from './variables/substitute-variables.ts';

export type LoadResult =
  | {
      ok: true;
      model: WorkflowModel;
      warnings: Problem[];
      /** Keys that were accepted and have no effect here. */
      notes: Problem[];
    }
  | { ok: false; problems: Problem[] };

export interface LoadOptions extends NormaliseOptions {
  /** Instead of values of the spec. */
  set?: SpecSettings;
  /** Files that the spec names (default: there are none). */
  files?: SpecFiles;
}

const NO_FILES = sentFiles({ texts: {}, lists: {} });

/**
 * What a person wrote → the model, or every mistake in it at once, in the order of the file.
 * The format follows the extension of `fileName`, which is otherwise only used in messages.
 */
export function loadSpec(text: string, fileName: string, options: LoadOptions = {}): LoadResult {
  const source = readSource(text, fileName);
  if (!source.ok) return { ok: false, problems: syntaxProblems(text, fileName, source.mistakes) };
  const findings = new Findings();
  if (kindOf(source.value) === 'request') {
    findings.error(['kind'], 'is a request, but a workflow is expected here');
    return { ok: false, problems: foundProblems(findings.errors, fileName, source.locate) };
  }
  const read = withoutNulls(source.value, workflowSpecSchema);
  const set = applySettings(read, options.set ?? {}, findings);
  const withFiles = readParameterFiles(set, options.files ?? NO_FILES, findings);
  const value = substituteVariables(withFiles, findings);
  const spec = parseWorkflow(value, findings);
  const model = spec && normaliseSpec(spec, value as object, fileName, options, findings);
  if (model === undefined || findings.errors.length > 0) {
    return { ok: false, problems: foundProblems(findings.errors, fileName, source.locate) };
  }
  return {
    ok: true,
    model,
    warnings: foundProblems(findings.warnings, fileName, source.locate),
    notes: foundProblems(findings.notes, fileName, source.locate),
  };
}
