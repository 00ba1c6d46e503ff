import { z } from 'zod';
import { count, nameText, textOrList } from './scalars.ts';

const routeKeys = {
  run: textOrList.optional().describe('Steps to run, in order.'),
  run_js: z.string().optional().describe('JavaScript that returns more steps to run, as a list of ids.'),
  goto: nameText.optional().describe('An ancestor to go back to; everything after it runs again.'),
  goto_js: z
    .string()
    .optional()
    .describe('JavaScript that returns an ancestor, `null` (use `goto`) or `false` (stay).'),
};

const backoffSchema = z
  .strictObject({
    mode: z
      .enum(['fixed', 'exponential'])
      .optional()
      .meta({ default: 'fixed' })
      .describe('The same wait each time, or twice the one before, up to 60 s.'),
    delay_ms: count.optional().meta({ default: 2000 }).describe('The first wait, in milliseconds.'),
  })
  .meta({ id: 'Backoff', description: 'How long a re-attempt waits.' });

const routeRetrySchema = z
  .strictObject({
    max: count.optional().meta({ default: 0 }).describe('Re-attempts; with `run`, at least one.'),
    backoff: backoffSchema.optional().describe('How long each of them waits.'),
  })
  .meta({ id: 'RouteRetry', description: 'Re-attempts of a step, after its remediation.' });

const onFailRoutes = z
  .strictObject({ retry: routeRetrySchema.optional().describe('Re-attempts of the step.'), ...routeKeys })
  .meta({ id: 'OnFail', description: 'Where a failure leads: remediation, re-attempts, then an ancestor.' });

export const onFailSchema = z.union([z.literal('none'), onFailRoutes], {
  error: 'expected an object, or `none`',
});

export const onSuccessSchema = z
  .strictObject(routeKeys)
  .meta({ id: 'OnSuccess', description: 'Where a success leads: steps to run, then an ancestor.' });

export const routingSchema = z
  .strictObject({
    max_loops: count
      .optional()
      .meta({ default: 10 })
      .describe('Re-attempts and jumps allowed in a scope; one more fails the step.'),
    defaults: z
      .strictObject({ on_fail: onFailRoutes.optional().describe('Merged into every step, key by key.') })
      .meta({ id: 'RoutingDefaults', description: 'Routes for steps that do not say otherwise.' })
      .optional()
      .describe('Routes for every step.'),
    env: z
      .array(nameText)
      .optional()
      .meta({ default: [] })
      .describe('Environment variables that JavaScript sees.'),
  })
  .meta({ id: 'Routing', description: 'Settings of failure routing.' });

export type RoutesSpec = z.infer<typeof onFailRoutes>;
