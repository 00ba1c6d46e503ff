import { z } from 'zod';

export const resourceMonitorSchema = z
  .strictObject({
    enabled: z.boolean().optional().meta({ default: true }).describe('Whether usage is sampled over time.'),
    granularity: z
      .enum(['summary', 'time_series'])
      .optional()
      .meta({ default: 'summary' })
      .describe('One summary per attempt, or every sample.'),
    sample_interval_seconds: z.number().positive().optional().describe('Time between samples.'),
    generate_plots: z.boolean().optional().describe('Draw the samples when the run ends.'),
  })
  .meta({ id: 'ResourceMonitor', description: 'Sampling of what jobs use.' });
