import fc from 'fast-check';
import type { WorkflowModel } from '../../src/core/model/workflow-model.ts';
import { DEFAULT_ROUTING } from '../../src/core/policy/routes.ts';
import type { ReferenceStep } from '../core/reference-routing.ts';
import { simpleModel } from './simple-model.ts';

/** Code that a step asks where its static routes end; what it says is up to who answers. */
export interface RoutedStep extends ReferenceStep {
  asksRun?: boolean;
  asksGoto?: boolean;
  asksFail?: boolean;
}

/** The workflow model of steps with routes, as loadSpec would make it. */
export function routingModel(steps: readonly RoutedStep[], maxLoops: number): WorkflowModel {
  const model = simpleModel(steps.map(({ name, after }) => ({ name, after })));
  const code = (asked: boolean | undefined) => (asked === true ? 'answer' : null);
  return {
    ...model,
    routing: { ...DEFAULT_ROUTING, maxLoops },
    jobs: model.jobs.map((job, index) => {
      const { onCall, onFail, onSuccess, asksRun, asksGoto, asksFail } = steps[index]!;
      const asked = { run_js: code(asksRun), goto_js: code(asksGoto) };
      return {
        ...job,
        config: {
          ...job.config,
          on_call: onCall,
          fail_if: code(asksFail),
          on_fail: onFail && {
            run: onFail.run,
            goto: onFail.goto,
            ...asked,
            reattempt: { max: onFail.max, mode: 'fixed', delay_ms: 0 },
          },
          on_success: onSuccess && { run: onSuccess.run, goto: onSuccess.goto, ...asked },
        },
      };
    }),
  };
}

interface Draft {
  parents: number[];
  onCall: boolean;
  outcomes: boolean[];
  onFail: DraftRoutes | null;
  onSuccess: DraftRoutes | null;
  asksRun: boolean;
  asksGoto: boolean;
  asksFail: boolean;
}

interface DraftRoutes {
  max: number;
  run: number[];
  /** Which ancestor, if there is one. */
  goto: number | null;
}

/** Drawn in so many of ten cases, else null. */
function inTen<T>(count: number, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: count, arbitrary }, { weight: 10 - count, arbitrary: fc.constant(null) });
}

const anyRun = fc.uniqueArray(fc.nat(6), { maxLength: 2 });

const anyDraft: fc.Arbitrary<Draft> = fc.record({
  parents: fc.uniqueArray(fc.nat(6), { minLength: 1, maxLength: 3 }),
  onCall: fc.constantFrom(false, false, true),
  outcomes: fc.array(fc.constantFrom(false, true, true), { minLength: 1, maxLength: 8, size: 'max' }),
  onFail: inTen(9, fc.record({ max: fc.constantFrom(0, 0, 1, 3), run: anyRun, goto: inTen(6, fc.nat(6)) })),
  // A static goto of a success never ends by itself, so that it would hide the rest.
  onSuccess: inTen(4, fc.record({ max: fc.constant(0), run: anyRun, goto: inTen(2, fc.nat(6)) })),
  asksRun: fc.constantFrom(false, false, true),
  asksGoto: fc.constantFrom(false, false, true),
  asksFail: fc.constantFrom(false, false, false, true),
});

/**
 * Random steps: step i may wait for steps before it, and its routes run any other step and go back to any ancestor.
 * No planned step waits for one on call, as specs have it.
 */
export const anySteps: fc.Arbitrary<Required<RoutedStep>[]> = fc
  .array(anyDraft, { minLength: 2, maxLength: 7, size: 'max' })
  .map((drafts) => drafts.map((draft, index) => stepOf(draft, index, drafts)));

function stepOf(draft: Draft, index: number, drafts: readonly Draft[]): Required<RoutedStep> {
  const parents = parentsOf(index, drafts);
  const above = ancestorsOf(index, drafts);
  const routes = (drawn: DraftRoutes) => ({
    max: drawn.max,
    run: [...new Set(drawn.run.map((other) => other % drafts.length))]
      .filter((other) => other !== index)
      .map(nameOf),
    goto: drawn.goto === null || above.length === 0 ? null : nameOf(above[drawn.goto % above.length]!),
  });
  return {
    name: nameOf(index),
    after: parents.map(nameOf),
    onCall: draft.onCall,
    outcomes: draft.outcomes,
    onFail: draft.onFail && routes(draft.onFail),
    onSuccess: draft.onSuccess && routes(draft.onSuccess),
    asksRun: draft.asksRun,
    asksGoto: draft.asksGoto,
    asksFail: draft.asksFail,
  };
}

function parentsOf(index: number, drafts: readonly Draft[]): number[] {
  const { parents, onCall } = drafts[index]!;
  const drawn = new Set(parents.map((parent) => parent % (index + 1)));
  return [...drawn].filter((parent) => parent !== index && (onCall || !drafts[parent]!.onCall));
}

function ancestorsOf(index: number, drafts: readonly Draft[]): number[] {
  const found = new Set<number>();
  const add = (step: number) => {
    for (const parent of parentsOf(step, drafts)) {
      found.add(parent);
      add(parent);
    }
  };
  add(index);
  return [...found].sort((a, b) => a - b);
}

function nameOf(index: number): string {
  return `s${index}`;
}
