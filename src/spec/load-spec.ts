import type { WorkflowModel } from '../core/workflow-model.ts';
import { type Finding, Findings } from './findings.ts';
import type { NormaliseOptions } from './normalise/spec-context.ts';
import { normaliseSpec } from './normalise-spec.ts';
import { formatPath, type Problem, type Unsupported } from './problem.ts';
import { parseStructure } from './schema/parse-structure.ts';
import { readSource } from './source/read-source.ts';
import type { Locate } from './source/source-document.ts';

export type LoadResult =
  | { ok: true; model: WorkflowModel; warnings: Problem[]; unsupported: Unsupported[] }
  | { ok: false; problems: Problem[] };

export type LoadOptions = NormaliseOptions;

/**
 * What a person wrote → the model, or every mistake in it at once, in the order of the file.
 * The format follows the extension of `fileName`, which is otherwise only used in messages.
 */
export function loadSpec(text: string, fileName: string, options: LoadOptions = {}): LoadResult {
  const source = readSource(text, fileName);
  if (!source.ok) {
    return {
      ok: false,
      problems: source.mistakes.map((mistake) => ({ file: fileName, path: '', ...mistake })),
    };
  }
  const findings = new Findings();
  const spec = parseStructure(source.value, findings);
  const model = spec && normaliseSpec(spec, source.value as object, fileName, options, findings);
  if (model === undefined || findings.errors.length > 0) {
    return { ok: false, problems: problems(findings.errors, fileName, source.locate) };
  }
  return {
    ok: true,
    model,
    warnings: problems(findings.warnings, fileName, source.locate),
    unsupported: findings.unsupported.map((finding) => ({
      path: formatPath(finding.path),
      ...source.locate(finding.path, { atKey: true }),
      feature: finding.message,
    })),
  };
}

function problems(findings: readonly Finding[], file: string, locate: Locate): Problem[] {
  return findings
    .map((finding) => ({
      file,
      ...locate(finding.path, finding),
      path: formatPath(finding.path),
      message: finding.message,
    }))
    .sort((a, b) => a.line - b.line || a.column - b.column);
}
