import { allPages } from '../../../contract/all-pages.ts';
import type { Engine } from '../../../contract/engine.ts';
import type { RequestRecord, RoundRecord } from '../../../contract/records/request.ts';
import { HoldfastError } from '../../../core/errors.ts';
import { unitName } from '../../../core/request/unit-name.ts';
import { explainedRequest } from '../../../views/requests/explained-request.ts';
import { explainedRound } from '../../../views/requests/explained-round.ts';
import { explainedUnit } from '../../../views/requests/explained-unit.ts';
import type { CommandContext } from '../../command-context.ts';
import { requestExplanationView } from '../../texts/requests/request-explanation-text.ts';
import { roundExplanationView } from '../../texts/requests/round-explanation-text.ts';
import { unitExplanationView } from '../../texts/requests/unit-explanation-text.ts';

const HISTORY = 20;
const UNITS = 100;

/** Why a request, one of its rounds or one of its units is where it is. */
export async function explainRequest(
  context: CommandContext,
  engine: Engine,
  ref: string,
  { round, unit }: { round?: number | undefined; unit?: number | undefined },
): Promise<void> {
  const request = await engine.getRequest(ref);
  // A newer version that is submitted meanwhile is not taken for it.
  const name = `${request.request_name}@${request.version}`;
  if (round !== undefined) return explainRound(context, engine, name, request, round);
  if (unit !== undefined) return explainUnit(context, engine, name, request, unit);
  const { items: history } = await engine.requestHistory(name, { limit: HISTORY });
  context.show(requestExplanationView, explainedRequest(request, history));
}

async function explainRound(
  context: CommandContext,
  engine: Engine,
  name: string,
  request: RequestRecord,
  number: number,
): Promise<void> {
  const round = await roundOf(engine, name, number);
  const { items: failed } = await engine.listUnits(name, {
    round: number,
    state: ['failed', 'not_run'],
    limit: UNITS,
  });
  context.show(roundExplanationView, explainedRound(request, round, failed));
}

async function explainUnit(
  context: CommandContext,
  engine: Engine,
  name: string,
  request: RequestRecord,
  number: number,
): Promise<void> {
  const [unit] = (await engine.listUnits(name, { after: number - 1, limit: 1 })).items;
  if (unit?.number !== number) {
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: '--unit',
      problem: `request ${request.request_name} has no unit ${number}; \`holdfast requests units ${request.request_name}\` lists its units`,
    });
  }
  const { workflow_id } = unit;
  const items =
    request.items === null ? [] : await allPages((page) => engine.listItems(name, { ...page, unit: number }));
  const jobs = await allPages((page) =>
    engine.listJobs(workflow_id, { ...page, name: `${unitName(number)}_` }),
  );
  const attempts = [];
  for (const { id } of jobs) {
    attempts.push(...(await allPages((page) => engine.listAttempts(workflow_id, { ...page, job: id }))));
  }
  const round = await roundOf(engine, name, unit.round);
  context.show(unitExplanationView, explainedUnit({ request, round, unit, items, jobs, attempts }));
}

async function roundOf(engine: Engine, name: string, number: number): Promise<RoundRecord> {
  const [round] = (await engine.listRounds(name, { after: number + 1, limit: 1 })).items;
  if (round?.number !== number) throw new HoldfastError('ROUND_NOT_FOUND', { name, round: number });
  return round;
}
