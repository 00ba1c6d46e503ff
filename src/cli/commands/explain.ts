import { allPages } from '../../core/all-pages.ts';
import type { EventType } from '../../core/records.ts';
import type { Command } from '../command-context.ts';
import { workflowAndJob } from '../workflow-argument.ts';

/** What people and agents did about a job. */
const DECISIONS: ReadonlySet<EventType> = new Set<EventType>(['decision', 'resources_changed']);

export const explainCommand: Command = async (context, { args }) => {
  const engine = await context.openEngine();
  const { workflowId, job } = await workflowAndJob(engine, context, args);
  const explanation = await engine.explain(workflowId, job);
  const events = await allPages((page) => engine.listEvents(workflowId, { ...page, job }));
  context.print(
    context.render.explanation(
      explanation,
      events.filter(({ type }) => DECISIONS.has(type)),
    ),
  );
  return 0;
};
