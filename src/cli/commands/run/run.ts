import { existsSync } from 'node:fs';
import { Launchers } from '../../../worker/execute/launchers.ts';
import type { Command } from '../../command-context.ts';
import { executorOption } from '../../options/executor-option.ts';
import { specWords } from '../../options/known-spec.ts';
import { labelOption, WITHOUT_WORKER } from '../../options/label-option.ts';
import { OF_WORKER, refuseOptions, WITH_SERVER_ONLY } from '../../options/refuse-options.ts';
import { settingsOption } from '../../options/set-option.ts';
import { siteOption } from '../../options/site-option.ts';
import { untilOption } from '../../options/until-option.ts';
import { checkMayWork } from '../../run/check-may-work.ts';
import { refuseTimeLimit, runEndsAt } from '../../run/time-limit.ts';
import { slurmListen } from '../../slurm/slurm-flags.ts';
import { aroundRun } from '../../ui/around-run.ts';
import type { Run } from './run-target.ts';

export const runCommand: Command = async (context, { args, options, lists }) => {
  const target = args[0]!;
  const offer = {
    labels: labelOption({ lists }),
    site: siteOption({ options }),
    endsAt: runEndsAt({ options }, Date.now()),
  };
  const executor = executorOption({ options });
  const set = settingsOption({ lists });
  const until = untilOption({ lists });
  const words = specWords(target, { lists });
  const around = aroundRun(context, { options });
  const listen = slurmListen(context, { options, lists }, executor);
  if (context.server === null) refuseOptions({ options, lists }, ['reconnectTimeout'], WITH_SERVER_ONLY);
  if (context.server !== null && options.withWorker !== true) {
    refuseTimeLimit({ options }, 'with a server only with --with-worker; its workers keep what they run');
    refuseOptions({ options, lists }, OF_WORKER, WITHOUT_WORKER);
  }
  await checkMayWork(context, options);
  if (context.server !== null && options.withWorker !== true) {
    const { followServerRun } = await import('../../run/follow-server-run.ts');
    const { runTarget } = await import('./run-target.ts');
    const follow: Run = (engine, workflow, story) => followServerRun(context, engine, workflow, story);
    return runTarget(context, target, { options, lists, offer, executor, set, until, words, around }, follow);
  }
  const launchers = new Launchers(context.stateDir);
  // A launcher takes as long to start as the readers of specs take to load, so they are loaded after it was started.
  // Where there is no state yet none may be made.
  const isLaunching =
    options.dryRun !== true && (executor ?? 'workers') === 'workers' && existsSync(context.stateDir);
  if (isLaunching) launchers.start().catch(() => {});
  const drive: Run = async (engine, workflow, story) => {
    if (workflow.executor === 'workers') {
      const { driveRun } = await import('../../run/drive-run.ts');
      return driveRun(context, engine, workflow, launchers, story, offer);
    }
    if (workflow.executor === 'htcondor') {
      const { driveDagRun } = await import('../../htcondor/drive-dag-run.ts');
      return driveDagRun(context, await context.openServedEngine(), workflow, story);
    }
    const { driveSlurmRun } = await import('../../slurm/drive-slurm.ts');
    return driveSlurmRun(context, await context.openServedEngine(), workflow, story, listen);
  };
  try {
    const { runTarget } = await import('./run-target.ts');
    return await runTarget(
      context,
      target,
      { options, lists, offer, executor, set, until, words, around },
      drive,
    );
  } finally {
    void launchers.stop();
  }
};
