// A worker reduced to its launchers: starts the orders of a file, tells when all have started, and stays.
import { readFileSync } from 'node:fs';
import { Launchers } from '../../dist/worker/launchers.js';

const [stateDir, ordersFile, maximum] = process.argv.slice(2);
const orders = JSON.parse(readFileSync(ordersFile, 'utf8'));
let open = orders.length;

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
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
