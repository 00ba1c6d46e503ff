import { afterAll, beforeAll, describe, test } from 'vitest';
import { allocationBehaviour } from './allocation-behaviour.ts';
import { apiPageBehaviour } from './api-page-behaviour.ts';
import { closeBrowser } from './browser.ts';
import { bulkBehaviour } from './bulk-behaviour.ts';
import { emptyBehaviour } from './empty-behaviour.ts';
import { flowBehaviour } from './flow-behaviour.ts';
import { keyboardBehaviour } from './keyboard-behaviour.ts';
import { longBehaviour } from './long-behaviour.ts';
import { pageBehaviour } from './page-behaviour.ts';
import { reportBehaviour } from './report-behaviour.ts';
import { requestBehaviour } from './request-behaviour.ts';
import { rightsBehaviour } from './rights-behaviour.ts';
import { specBehaviour } from './spec-behaviour.ts';
import { WebWorld } from './web-world.ts';
import { workflowBehaviour } from './workflow-behaviour.ts';

/** npm has a Chromium that needs no installation for this alone. */
const HAS_BROWSER = 'linux-x64';
const here = `${process.platform}-${process.arch}`;

if (here === HAS_BROWSER) testPages();
else test.skip(`pages are tested on ${HAS_BROWSER}, and this is ${here}`);

function testPages(): void {
  // One server and one browser for all of it.
  const world = new WebWorld();

  beforeAll(async () => {
    await world.start();
  });

  afterAll(async () => {
    await closeBrowser();
    await world.stop();
  });

  describe('pages of an unused server', () => emptyBehaviour(world));
  describe('pages', () => pageBehaviour(world));
  describe('views of a workflow', () => workflowBehaviour(world));
  describe('pages about requests, sites and workers', () => requestBehaviour(world));
  describe('specs', () => specBehaviour(world));
  describe('the API page', () => apiPageBehaviour(world));
  describe('the keyboard', () => keyboardBehaviour(world));
  describe('many jobs at once', () => bulkBehaviour(world));
  describe('names, lines, logs and lists that are long', () => longBehaviour(world));
  describe('ways through them', () => flowBehaviour(world));
  describe('allocations of a cluster', allocationBehaviour);
  describe('a report', reportBehaviour);
  describe('what belongs to others', rightsBehaviour);
}
