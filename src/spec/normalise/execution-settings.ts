import { DEFAULT_STDIO } from '../../core/job/stdio.ts';
import type { StepOptions } from '../../core/model/workflow-model.ts';
import type { SpecPath } from '../problem.ts';
import type { JobSpec } from '../schema/job-schema.ts';
import type { ResourceMonitorSpec } from '../schema/resource-monitor-schema.ts';
import type { StdioSpec } from '../schema/stdio-schema.ts';
import type { WorkflowSpec } from '../schema/workflow-schema.ts';
import type { JobSettings } from './job-draft.ts';
import type { SpecContext } from './spec-context.ts';

type ExecutionSettings = Pick<
  JobSettings,
  'limit_resources' | 'end_signal' | 'grace_ms' | 'stdio' | 'sample_ms' | 'step'
>;

const DEFAULT_SAMPLE_SECONDS = 10;

/** How the jobs of a workflow are started, ended and measured: what `execution_config` and `resource_monitor` say. */
export function executionSettings(
  { execution_config: execution, resource_monitor: monitor }: WorkflowSpec,
  job: { limit_resources?: boolean | undefined; stdio?: StdioSpec | undefined } = {},
): ExecutionSettings {
  const stdio = job.stdio ?? execution?.stdio;
  const leadSeconds = execution?.sigterm_lead_seconds;
  return {
    limit_resources: job.limit_resources ?? execution?.limit_resources ?? true,
    end_signal: signalName(execution?.termination_signal ?? 'SIGTERM'),
    grace_ms: leadSeconds === undefined ? null : leadSeconds * 1000,
    stdio: {
      mode: stdio?.mode ?? DEFAULT_STDIO.mode,
      delete_on_success: stdio?.delete_on_success ?? DEFAULT_STDIO.delete_on_success,
    },
    sample_ms: monitor === undefined ? null : sampleMs(monitor),
    step: execution?.mode === 'slurm' ? stepOptions(execution) : null,
  };
}

function stepOptions(execution: NonNullable<WorkflowSpec['execution_config']>): StepOptions {
  return {
    mpi: execution.srun_mpi ?? null,
    cpu_bind: execution.enable_cpu_bind ?? false,
    signal: execution.srun_termination_signal ?? null,
  };
}

/** A rule can match only what is kept of stderr. */
export function refuseDiscardedStderr(
  job: JobSpec,
  { stdio: { mode } }: Pick<JobSettings, 'stdio'>,
  path: SpecPath,
  { findings, spec }: SpecContext,
): void {
  if (mode !== 'none' && mode !== 'no_stderr') return;
  const handler = spec.failure_handlers?.find(({ name }) => name === job.failure_handler);
  const rule = handler?.rules.findIndex(({ stderr }) => stderr !== undefined) ?? -1;
  if (rule < 0) return;
  findings.error(
    [...path, 'failure_handler'],
    `rule ${rule + 1} of ${handler!.name} looks at stderr, which \`stdio\` discards (${mode}); write stdio: {mode: separate} at this job`,
  );
}

/** `term` → SIGTERM. */
function signalName(written: string): string {
  const name = written.toUpperCase();
  return name.startsWith('SIG') ? name : `SIG${name}`;
}

function sampleMs(monitor: ResourceMonitorSpec): number | null {
  const { enabled = true, granularity = 'summary' } = monitor.jobs ?? monitor;
  if (!enabled || granularity === 'summary') return null;
  return Math.round((monitor.sample_interval_seconds ?? DEFAULT_SAMPLE_SECONDS) * 1000);
}
