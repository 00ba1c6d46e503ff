// A worker reduced to its launchers: starts the orders of a file, reports when all have started, and stays.
import { readFileSync } from 'node:fs';
import { Launchers } from '../../src/worker/execute/launchers.ts';
import type { SpawnOrder } from '../../src/worker/launcher/protocol.ts';

const [stateDir, ordersFile, maximum] = process.argv.slice(2) as [string, string, string];
const orders = JSON.parse(readFileSync(ordersFile, 'utf8')) as SpawnOrder[];
let open = orders.length;

const say = (message: unknown) => process.stdout.write(`${JSON.stringify(message)}\n`);
const answer = () => {
  open--;
  if (open === 0) say({ worker: process.pid, ...launchers.pids });
};
const launchers = new Launchers(stateDir, Number(maximum));
launchers.listen({
  started: answer,
  ended: (notice) => {
    say(notice);
    if (notice.startedAt === null) answer();
  },
});
await launchers.start();
for (const order of orders) launchers.spawn(order);
