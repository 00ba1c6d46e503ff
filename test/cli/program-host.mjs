import { readFileSync } from 'node:fs';
import { main } from '../../dist/cli.cjs';

// Runs command lines of the built program one after another, each as if it were in a process of its own: in its
// directory, with its environment, and with what it prints kept apart.

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const printed = { stdout: [], stderr: [] };

for (const name of ['stdout', 'stderr']) {
  // Each run adds a listener.
  process[name].setMaxListeners(0);
  process[name].write = (chunk, encoding, callback) => {
    printed[name].push(Buffer.from(chunk));
    const done = typeof encoding === 'function' ? encoding : callback;
    if (done !== undefined) process.nextTick(done);
    return true;
  };
}

const take = (name) => Buffer.concat(printed[name].splice(0)).toString();

process.on('message', async ({ args, cwd, env }) => {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  const code = await main(args, version);
  process.chdir('/');
  process.send({ code, stdout: take('stdout'), stderr: take('stderr') });
});

process.on('disconnect', () => process.exit(1));
