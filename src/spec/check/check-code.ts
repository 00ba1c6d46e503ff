import { type CodeKey, codeKind } from '../../core/job/evaluation.ts';
import type { Findings } from '../findings.ts';
import type { SpecPath } from '../problem.ts';
import type { JobSpec } from '../schema/job-schema.ts';
import type { RoutesSpec } from '../schema/routing-schema.ts';
import type { StepSpec } from '../schema/step-schema.ts';
import type { WorkflowSpec } from '../schema/workflow-schema.ts';
import { javascriptMistake } from './javascript-syntax.ts';

/** Every piece of JavaScript in a spec must compile. */
export function checkCode(spec: WorkflowSpec, findings: Findings): void {
  const check = (key: CodeKey, code: string | undefined, path: SpecPath) => {
    const mistake = code === undefined ? undefined : javascriptMistake(code, codeKind(key));
    if (!mistake) return;
    findings.error([...path, key], mistake.message, mistake.inside ? { inside: mistake.inside } : {});
  };
  const checkRoutes = (routes: RoutesSpec | 'none' | undefined, path: SpecPath) => {
    if (routes === undefined || routes === 'none') return;
    check('run_js', routes.run_js, path);
    check('goto_js', routes.goto_js, path);
  };
  const checkJob = (job: JobSpec | StepSpec, path: SpecPath) => {
    checkRoutes(job.on_fail, [...path, 'on_fail']);
    checkRoutes(job.on_success, [...path, 'on_success']);
  };
  checkRoutes(spec.routing?.defaults?.on_fail, ['routing', 'defaults', 'on_fail']);
  for (const [index, job] of (spec.jobs ?? []).entries()) checkJob(job, ['jobs', index]);
  for (const [id, step] of Object.entries(spec.steps ?? {})) {
    checkJob(step, ['steps', id]);
    check('if', step.if, ['steps', id]);
    check('fail_if', step.fail_if, ['steps', id]);
  }
}
