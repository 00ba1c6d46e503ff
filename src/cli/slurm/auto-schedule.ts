import { allPages } from '../../contract/all-pages.ts';
import type { Engine } from '../../contract/engine.ts';
import type { WorkflowStatus } from '../../contract/records/records.ts';
import { schedulerLabel } from '../../core/allocation/allocation-offer.ts';
import {
  type AutoSchedulePolicy,
  decideAutoSchedule,
  NOTHING_SEEN,
} from '../../core/allocation/auto-schedule.ts';
import type { JobGroup } from '../../core/allocation/propose-schedulers.ts';
import type { SchedulerModel } from '../../core/allocation/scheduler.ts';
import { schedulerMisfit } from '../../core/allocation/scheduler-fit.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { CommandContext } from '../command-context.ts';
import { userName } from '../options/user-name.ts';
import { proposeForWorkflow } from './propose-for-workflow.ts';
import { readyJobs } from './remaining-jobs.ts';

/** Orders allocations for retried and resolved jobs of a workflow that nothing else will run. */
export class AutoSchedule {
  readonly #context: CommandContext;
  readonly #engine: Engine;
  readonly #policy: AutoSchedulePolicy;
  #memory = NOTHING_SEEN;

  constructor(context: CommandContext, engine: Engine, policy: AutoSchedulePolicy) {
    this.#context = context;
    this.#engine = engine;
    this.#policy = policy;
  }

  /** One look. Returns a line about what was ordered, or could not be; null: nothing was needed. */
  async look({ workflow, counts, allocations }: WorkflowStatus, now: number): Promise<string | null> {
    if (workflow.paused !== null) return null;
    const alive = allocations.queued + allocations.running;
    const ready = counts.ready;
    const retried = alive > 0 && ready > 0 ? await this.#retried(workflow.id) : 0;
    const { order, memory } = decideAutoSchedule({ ready, retried, alive }, this.#memory, this.#policy, now);
    this.#memory = memory;
    if (order === null) return null;
    try {
      return `${order}: ${await this.#order(workflow.id)}`;
    } catch (error) {
      if (!(error instanceof HoldfastError)) throw error;
      return `${order}, but nothing was ordered: ${error.message}`;
    }
  }

  async #retried(workflowId: number): Promise<number> {
    const jobs = await allPages((page) => this.#engine.listJobs(workflowId, { ...page, status: ['ready'] }));
    return jobs.filter(({ attempt_id }) => attempt_id > 1).length;
  }

  /** One allocation of each scheduler that is needed; new schedulers where none fits. */
  async #order(workflowId: number): Promise<string> {
    const groups = await readyJobs(this.#engine, workflowId);
    const known = await allPages((page) => this.#engine.listSchedulers(workflowId, page));
    const usable = known.filter(({ paused }) => paused === null).map(({ model }) => model);
    const wanted = new Set<string>();
    const unfitting: JobGroup[] = [];
    const stuck = new Set<string>();
    for (const group of groups) {
      const { bound, needs } = group;
      const allowed = bound === undefined ? usable : usable.filter(({ name }) => name === bound);
      const scheduler = allowed.find((model) => schedulerMisfit(needs, model) === null);
      if (scheduler !== undefined) wanted.add(scheduler.name);
      else if (bound === undefined) unfitting.push(group);
      else
        stuck.add(
          `the label ${schedulerLabel(bound)} allows only a scheduler that is paused, too small or absent`,
        );
    }
    const by = { actor: userName() };
    const ordered: string[] = [];
    const order = async (name: string, schedulers: SchedulerModel[]) => {
      const more = schedulers.length > 0 && { schedulers };
      const { items } = await this.#engine.orderAllocations(workflowId, { ...by, scheduler: name, ...more });
      ordered.push(...items.map(({ id }) => `${id} of ${name}`));
    };
    for (const name of wanted) await order(name, []);
    if (unfitting.length > 0) {
      const none = { account: null, partition: null };
      const proposals = await proposeForWorkflow(this.#context, this.#engine, workflowId, unfitting, none);
      for (const { model } of proposals) await order(model.name, [model]);
    }
    if (ordered.length === 0) return `nothing was ordered: ${[...stuck].join('; ')}`;
    return `ordered ${ordered.length === 1 ? 'allocation' : 'allocations'} ${ordered.join(', ')}`;
  }
}
