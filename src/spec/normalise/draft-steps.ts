import { isBash } from '../../core/job/shell.ts';
import { checkShell } from '../check/check-shell.ts';
import type { StepSpec } from '../schema/step-schema.ts';
import { isTemplate } from '../template/check-template.ts';
import { draftRoutes } from './draft-routes.ts';
import { executionSettings } from './execution-settings.ts';
import { declaredFileSettings } from './files/declared-file-settings.ts';
import { JobDraft, NO_REFERENCES, references } from './job-draft.ts';
import type { SpecContext } from './spec-context.ts';

/** A limit below this is hardly meant in milliseconds. */
const FEW_MILLISECONDS = 1000;

/** Steps as jobs, in written order; `written order` itself becomes dependencies later. */
export function draftSteps(steps: Record<string, StepSpec>, context: SpecContext): JobDraft[] {
  return Object.entries(steps).map(([id, step]) => {
    const path = ['steps', id];
    const substitution = /\$\{(?:variables|files|user_data)\.[^}]*\}/.exec(step.exec)?.[0];
    if (substitution) {
      context.findings.error(
        [...path, 'exec'],
        `${substitution} is for \`jobs\`; a step writes {{ variables.X }}`,
      );
    }
    const shell = step.shell ?? context.spec.shell ?? 'bash';
    checkShell({ shell, command: step.exec, path, key: 'exec', hasScript: false }, context.findings);
    const timeoutMs = context.milliseconds(step.timeout);
    if (typeof step.timeout === 'number' && step.timeout < FEW_MILLISECONDS) {
      context.findings.warn(
        [...path, 'timeout'],
        `a number is milliseconds in a step; write ${step.timeout}s if seconds are meant`,
      );
    }
    const additions = { resources: {}, labels: [], timeoutMs };
    const own = {
      name: id,
      command: step.exec,
      dependsOn: references(step.depends_on, [...path, 'depends_on']),
      dependsOnRegexes: NO_REFERENCES,
      inputFiles: NO_REFERENCES,
      outputFiles: NO_REFERENCES,
      inputUserData: NO_REFERENCES,
      outputUserData: NO_REFERENCES,
    };
    return new JobDraft(own, {
      path,
      written: step,
      template: isTemplate(step.exec) && isBash(shell),
      cwd: null,
      env: { ...context.env, ...context.environment(step.env, {}, [...path, 'env']) },
      labels: [],
      failureHandler: step.failure_handler ?? null,
      post: context.post(step.post, {}, path),
      onFail: step.on_fail === 'none' ? 'none' : draftRoutes(step.on_fail, [...path, 'on_fail']),
      onSuccess: draftRoutes(step.on_success, [...path, 'on_success']),
      reduces: step.fanout === 'reduce',
      requirement: context.requirements.resolve(undefined, additions, path).index,
      settings: {
        retry: context.retry(step.retry, path),
        timeout_ms: timeoutMs,
        deadline_ms: null,
        scheduling_timeout_ms: null,
        isolate: false,
        ports: [],
        shell,
        ...executionSettings(context.spec),
        ...declaredFileSettings({}),
        output: step.output ?? 'auto',
        tags: step.tags ?? [],
        group: step.group ?? null,
        scheduler: null,
        condition: step.if ?? null,
        fail_if: step.fail_if ?? null,
        continue_on_failure: step.continue_on_failure ?? false,
        fail_fast: null,
        for_each: step.forEach ?? false,
        priority: 0,
        cancelOnBlockingJobFailure: true,
      },
    });
  });
}
