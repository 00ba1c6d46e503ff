import { afterAll } from 'vitest';
import type { CodeKind, EvaluationInputs } from '../../src/core/job/evaluation.ts';
import { Sandbox, type SandboxResult } from '../../src/sandbox/sandbox.ts';

export const NOW = 1_700_000_000_000;

export function someInputs(changes: Partial<EvaluationInputs> = {}): EvaluationInputs {
  return {
    step: { id: 'unit', tags: ['fast', 'core'], group: null },
    attempt: 2,
    loop: 1,
    error: { message: 'exit 1', code: 1, exitCode: 1, stdout: 'ran 3', stderr: 'module not found' },
    foreach: null,
    outputs: { setup: { files: ['a.c', 'b.c'], nested: { deep: true } } },
    failures: { p: [{ key: 'b', index: 1, status: 'failed', error: 'exit 1' }] },
    variables: { rate: 0.5 },
    outputs_history: { setup: [1, 2] },
    output: null,
    pr: null,
    files: null,
    env: { CI: 'true' },
    ...changes,
  };
}

export type Outcome = { value: unknown } | { problem: string };

/** Without the time that it took. */
export function outcomeOf(result: SandboxResult): Outcome {
  return result.ok ? { value: result.value } : { problem: result.problem };
}

/** A sandbox for the tests of one file. */
export function sandboxWorld() {
  const sandbox = new Sandbox();
  afterAll(() => sandbox.stop());
  return async (code: string, kind: CodeKind = 'body', changes?: Partial<EvaluationInputs>, seed = 7) =>
    outcomeOf(await sandbox.evaluate(code, kind, someInputs(changes), { now: NOW, seed }));
}
