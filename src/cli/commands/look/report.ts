import { allPages } from '../../../contract/all-pages.ts';
import type { UsageSample } from '../../../core/job/usage-samples.ts';
import { jobUsage } from '../../../views/job-usage.ts';
import type { Command } from '../../command-context.ts';
import { workflowArgument } from '../../options/workflow-argument.ts';
import { reportFile } from '../../report/report-file.ts';
import { writeReport } from '../../report/write-report.ts';
import { reportFileView } from '../../texts/files/report-file-text.ts';
import { usageView } from '../../texts/usage-table.ts';

/** Jobs whose samples are drawn below the table. */
const JOBS_DRAWN = 20;

/** A table of what jobs asked for and used, or with `-o` everything about a workflow as one HTML file. */
export const reportCommand: Command = async (context, { args, options }) => {
  const file = reportFile('--out', options.out);
  const engine = await context.openEngine();
  const workflowId = await workflowArgument(engine, context, args[0]);
  if (file !== undefined) {
    const bytes = await writeReport(context, engine, workflowId, file);
    context.show(reportFileView, { workflow_id: workflowId, file, bytes });
    return 0;
  }
  const used = await allPages((page) => engine.utilization(workflowId, page));
  const samples = new Map<number, UsageSample[]>();
  const { output } = context.settings;
  // A screen shows a few; JSON has all.
  const most = { table: JOBS_DRAWN, json: used.length, quiet: 0, csv: 0 }[output];
  for (const { job_id, run_id, attempt_id, sample_count } of used) {
    if (sample_count === 0 || samples.size >= most) continue;
    samples.set(job_id, (await engine.samples(workflowId, job_id, { run_id, attempt_id })).samples);
  }
  context.show(
    usageView,
    used.map((job) => jobUsage(job, samples.get(job.job_id) ?? [])),
  );
  return 0;
};
