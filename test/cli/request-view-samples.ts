import { itemsView, unitsView } from '../../src/cli/texts/requests/ledger-lists.ts';
import { requestChangeView } from '../../src/cli/texts/requests/request-change-text.ts';
import { requestErrorsView } from '../../src/cli/texts/requests/request-errors-text.ts';
import { requestExplanationView } from '../../src/cli/texts/requests/request-explanation-text.ts';
import { requestHistoryView } from '../../src/cli/texts/requests/request-history.ts';
import { requestView } from '../../src/cli/texts/requests/request-text.ts';
import { requestsView } from '../../src/cli/texts/requests/requests-list.ts';
import { roundExplanationView } from '../../src/cli/texts/requests/round-explanation-text.ts';
import { banView, sitesView, unbanView } from '../../src/cli/texts/requests/sites-text.ts';
import { unitExplanationView } from '../../src/cli/texts/requests/unit-explanation-text.ts';
import { requestSimulationView } from '../../src/cli/texts/spec/request-simulation-text.ts';
import { requestPlanView, requestValidationView } from '../../src/cli/texts/spec/request-text.ts';
import { openMemoryEngine } from '../../src/engine/open-engine.ts';
import { playWorkers } from '../../src/simulate/play-workers.ts';
import { RequestCourse } from '../../src/simulate/request-course.ts';
import { simulateRequest } from '../../src/simulate/simulate-request.ts';
import { SimulatedWorker } from '../../src/simulate/simulated-worker.ts';
import { describeRequest } from '../../src/views/request-plan.ts';
import { explainedRequest } from '../../src/views/requests/explained-request.ts';
import { explainedRound } from '../../src/views/requests/explained-round.ts';
import { explainedUnit } from '../../src/views/requests/explained-unit.ts';
import { requestOf } from '../spec/request-text.ts';
import { NOON } from './records.ts';
import { sample } from './view-sample.ts';

const SPEC = `
kind: request
name: files
work: { items: list.txt, per_job: 1 }
round: { first_units: 3, units: 3 }
process: { command: "cat {items} > {output}", retry: 0 }
errors: { error_hold_threshold: 0.3 }
`;

const ENVIRONMENT = { cwd: '/', output_dir: 'output', actor: 'ada' };

/** Views of requests with a thing each: a held request with three units, of which one failed. */
export async function requestViewSamples() {
  const { model, items } = requestOf(SPEC, { 'list.txt': 'a\nb\nc\n' });
  const request = { model, items, ...ENVIRONMENT, shared: true };
  const clock = { now: NOON };
  const engine = openMemoryEngine(() => clock.now);
  const reported = { outcomes: ['unit 2=data'], sites: ['local'] };
  const course = new RequestCourse(request, reported, 60_000);
  const worker = new SimulatedWorker(engine, clock, course);
  try {
    await engine.createRequest(request);
    while (await engine.tendRequests({ most_active: 1 }));
    await playWorkers([worker], clock, course);
    const ban = await engine.banSite('north', { actor: 'ada', reason: 'the disk is full' });
    const record = await engine.getRequest('files');
    const { items: units } = await engine.listUnits('files');
    const { items: inventory } = await engine.listItems('files');
    const { items: history } = await engine.requestHistory('files');
    const [round] = record.rounds;
    const unit = units[1]!;
    const place = { line: 1, column: 1, path: 'work', message: 'no work', frame: '> work' };
    const plan = describeRequest(model, 3);
    const facts = {
      request: record,
      round: round!,
      unit,
      items: inventory.filter((item) => item.unit === unit.number),
      jobs: (await engine.listJobs(unit.workflow_id, { name: 'unit_000002_' })).items,
      attempts: (await engine.listAttempts(unit.workflow_id, { job: 'unit_000002_proc_01' })).items,
    };
    return {
      requestView: sample(requestView, { request: record }),
      requestsView: sample(requestsView, (await engine.listRequests()).items),
      unitsView: sample(unitsView, units),
      itemsView: sample(itemsView, inventory),
      requestErrorsView: sample(requestErrorsView, await engine.requestErrors('files')),
      requestHistoryView: sample(requestHistoryView, (await engine.requestHistory('files')).items),
      requestChangeView: sample(requestChangeView, {
        change: await engine.releaseRequest('files', { actor: 'ada', dry_run: true }),
        isDryRun: true,
      }),
      sitesView: sample(sitesView, (await engine.listSites()).items),
      banView: sample(banView, ban),
      unbanView: sample(unbanView, { site: 'north', removed: 1 }),
      requestPlanView: sample(requestPlanView, plan),
      requestValidationView: sample(requestValidationView, {
        file: 'a.yaml',
        kind: 'request',
        valid: true,
        problems: [],
        warnings: [place],
        notes: [place],
        plan,
      }),
      requestExplanationView: sample(requestExplanationView, explainedRequest(record, history)),
      roundExplanationView: sample(roundExplanationView, explainedRound(record, round!, [unit])),
      unitExplanationView: sample(unitExplanationView, explainedUnit(facts)),
      requestSimulationView: sample(
        requestSimulationView,
        await simulateRequest(request, new RequestCourse(request, reported, 60_000), {
          sites: ['local'],
          releases: 1,
          maxRounds: 5,
        }),
      ),
    };
  } finally {
    await worker.stop();
    await engine.close();
  }
}
