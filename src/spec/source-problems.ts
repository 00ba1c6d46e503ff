import type { Finding } from './findings.ts';
import { formatPath, type Problem } from './problem.ts';
import { codeFrame } from './source/code-frame.ts';
import type { Locate, SyntaxMistake } from './source/source-document.ts';

/** Mistakes of the notation, each with its line. */
export function syntaxProblems(text: string, file: string, mistakes: readonly SyntaxMistake[]): Problem[] {
  return mistakes.map((mistake) => ({ file, path: '', ...mistake, frame: codeFrame(text, mistake) }));
}

/** Findings with their places, in the order of the file. */
export function foundProblems(findings: readonly Finding[], file: string, locate: Locate): Problem[] {
  return findings
    .map((finding) => ({
      file,
      ...locate(finding.path, finding),
      path: formatPath(finding.path),
      message: finding.message,
    }))
    .sort((a, b) => a.line - b.line || a.column - b.column);
}
