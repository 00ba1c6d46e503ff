import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCli } from '../cli/run-cli.ts';
import { FakeSlurm } from '../slurm/fake-slurm.ts';
import { showInBothThemes } from './both-themes.ts';
import { expectQuiet, openPage } from './browser.ts';
import { WebWorld } from './web-world.ts';

const SPEC = {
  name: 'sky-mosaic',
  slurm_schedulers: [{ name: 'node', account: 'lab', walltime: '10', ntasks_per_node: 1 }],
  jobs: [{ name: 'stitch', command: 'until [ -e release-slurm ]; do sleep 0.1; done' }],
};

/** A server on a cluster: allocations that the cluster has queued, begun and ended. */
export function allocationBehaviour(): void {
  const slurm = new FakeSlurm({ pending: { reason: 'Priority', startsAt: null } });
  const { PATH } = slurm.env;
  const world = new WebWorld({ env: { PATH: PATH! } });

  beforeAll(async () => {
    // Without a worker of its own, which would take the job.
    await world.project.startAlone('--log-level', 'warn');
    writeFileSync(join(world.project.dir, 'spec.json'), JSON.stringify(SPEC));
    const { ended } = startCli(['submit', 'spec.json', '--executor', 'slurm', '--server', world.url('')], {
      cwd: world.project.dir,
    });
    const { code, stderr } = await ended;
    if (code !== 0) throw new Error(stderr);
  });

  afterAll(async () => {
    world.touch('release-slurm');
    await world.stop();
    slurm.down();
  });

  test('an allocation shows why the cluster lets it wait, that it runs with its worker, and how it ended', {
    timeout: 400_000,
  }, async () => {
    const page = await openPage();
    // The server looks at a cluster every minute.
    page.setDefaultTimeout(120_000);
    await page.goto(world.url('/workers'));
    const allocations = page.getByRole('region', { name: 'Allocations' });
    const row = allocations.getByRole('listitem').filter({ hasText: 'Allocation 1' });
    await row.getByText('queued', { exact: true }).waitFor();
    await row.getByText('PENDING: Priority').waitFor();
    await row.getByText(/, Slurm \d+$/).waitFor();
    await row.getByRole('link', { name: 'sky-mosaic' }).waitFor();
    await page.getByText('No worker is here yet: one comes with each allocation').waitFor();
    await showInBothThemes(page, 'allocations');

    slurm.set({ pending: null });
    await row.getByText('running', { exact: true }).waitFor();
    await row.getByText('1 worker', { exact: true }).waitFor();
    await row.getByText(/^started .*, ends /).waitFor();
    const worker = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'stitch' }) });
    await worker.getByText('Allocation', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Cancel allocation 1' }).click();
    await page.getByRole('dialog').getByText('What runs in it is lost, free of charge').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave as it is' }).click();

    world.touch('release-slurm');
    await row.waitFor({ state: 'detached' });
    await allocations.getByRole('button', { name: 'All', exact: true }).click();
    await row.getByText('ended', { exact: true }).waitFor();
    expect(await row.getByRole('button').count()).toBe(0);
    await page.getByText('No worker is here, so no job can run').waitFor();
    expectQuiet(page);
  });
}
