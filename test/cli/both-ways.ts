import { afterAll, beforeEach } from 'vitest';
import { DIFFERENT } from './different-on-server.ts';
import { stopServers } from './server-mode.ts';

beforeEach(({ task, skip }) => {
  const reason = DIFFERENT[task.name];
  if (reason !== undefined) skip(`against a server: ${reason}`);
});

afterAll(stopServers);
