import { z } from 'zod';

const granularity = z.enum(['summary', 'time_series']).optional().meta({ default: 'summary' });

export const resourceMonitorSchema = z
  .strictObject({
    enabled: z
      .boolean()
      .optional()
      .meta({ default: true })
      .describe('`false` keeps no samples. Peak memory and processor time are always measured.'),
    granularity: granularity.describe(
      '`summary`: peak memory and processor time of each attempt. `time_series` also keeps samples.',
    ),
    sample_interval_seconds: z
      .number()
      .min(0.25)
      .max(86_400)
      .optional()
      .meta({ default: 10 })
      .describe('Seconds between two samples. An attempt keeps at most 250, spread over its time.'),
    flush_interval_seconds: z
      .number()
      .positive()
      .optional()
      .describe('Not used: samples are stored when the attempt ends.'),
    generate_plots: z
      .boolean()
      .optional()
      .meta({ default: false })
      .describe('Not used: `holdfast report` shows the samples.'),
    jobs: z
      .strictObject({
        enabled: z.boolean().optional().meta({ default: true }).describe('`false` keeps no samples.'),
        granularity: granularity.describe('As above.'),
      })
      .meta({ id: 'JobMonitor', description: 'Sampling of jobs; instead of the keys around it.' })
      .optional()
      .describe('Sampling of jobs; instead of `enabled` and `granularity` beside it.'),
    compute_node: z
      .strictObject({
        enabled: z.boolean().optional().describe('Not used.'),
        granularity: granularity.describe('Not used.'),
        cpu: z.boolean().optional().describe('Not used.'),
        memory: z.boolean().optional().describe('Not used.'),
      })
      .meta({
        id: 'ComputeNodeMonitor',
        description: 'Sampling of whole machines. Not used: only jobs are measured.',
      })
      .optional()
      .describe('Sampling of whole machines. Not used: only jobs are measured.'),
  })
  .meta({ id: 'ResourceMonitor', description: 'Sampling of what jobs use.' });

export type ResourceMonitorSpec = z.infer<typeof resourceMonitorSchema>;
