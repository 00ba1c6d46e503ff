import { HoldfastError } from '../../core/errors.ts';
import type { WorkflowModel } from '../../core/model/workflow-model.ts';
import { overrideRouting, type RoutingOverrides } from '../../core/policy/routing-overrides.ts';
import type { Invocation } from '../command-context.ts';
import { readRoutingContext } from './read-routing-context.ts';
import { wholeNumberOption } from './whole-number-option.ts';

/** Flags of `run` that override a spec or say where it runs, by the key under which commander has them. */
const FLAGS: Record<string, string> = {
  onFailMaxLoops: '--on-fail-max-loops',
  retryMax: '--retry-max',
  context: '--context',
  force: '--force',
  cwd: '--cwd',
  outputDir: '--output-dir',
};

/** What the flags make of a model. The flags themselves are checked at once. */
export function routingFlags(options: Invocation['options']): (model: WorkflowModel) => WorkflowModel {
  const overrides = routingOverrides(options);
  return (model) => overrideRouting(model, overrides);
}

export function routingOverrides(options: Invocation['options']): RoutingOverrides {
  const maxLoops = wholeNumberOption('--on-fail-max-loops', options.onFailMaxLoops, 0);
  const retryMax = wholeNumberOption('--retry-max', options.retryMax, 0);
  if (options.failureRouting === false) {
    refuseWithoutRouting('--on-fail-max-loops', maxLoops);
    refuseWithoutRouting('--retry-max', retryMax);
  }
  const context = typeof options.context === 'string' ? readRoutingContext(options.context) : undefined;
  return {
    ...(maxLoops !== undefined && { max_loops: maxLoops }),
    ...(retryMax !== undefined && { retry_max: retryMax }),
    ...(context !== undefined && { context }),
    ...(options.failureRouting === false && { no_failure_routing: true }),
    ...(options.force === true && { ignore_missing_inputs: true }),
  };
}

function refuseWithoutRouting(flag: string, value: number | undefined): void {
  if (value === undefined) return;
  throw new HoldfastError('INVALID_ARGUMENT', {
    argument: flag,
    problem: 'not with --no-failure-routing, which takes no route',
  });
}

/** A stored workflow keeps what it was created with. */
export function refuseRoutingFlags(options: Invocation['options'], id: number): void {
  const given = Object.keys(FLAGS).find((key) => options[key] !== undefined);
  const flag = options.failureRouting === false ? '--no-failure-routing' : given && FLAGS[given];
  if (flag === undefined) return;
  throw new HoldfastError('INVALID_ARGUMENT', {
    argument: flag,
    problem: `applies to a spec only; workflow ${id} keeps what it was created with`,
  });
}
