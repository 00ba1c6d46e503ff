#!/usr/bin/env node
// CommonJS, as the build: Node starts its loader of ES modules only for what needs it.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

const { version } = JSON.parse(readFileSync(join(__dirname, '../package.json'), 'utf8'));
const argv = process.argv.slice(2);

// Answered before anything is loaded: scripts ask for it often.
if (argv.length === 1 && ['--version', '-V', '-v'].includes(argv[0])) {
  process.stdout.write(`${version}\n`);
} else {
  // DAGMan starts it for every attempt, so that it is loaded without the other commands.
  const isPost = argv[0] === 'post' && !argv.includes('--help') && !argv.includes('-h');
  if (!isPost) require('./compile-cache.js').useCompileCache();
  const run = isPost ? load('post.cjs').postProgram(argv.slice(1)) : load('cli.cjs').main(argv, version);
  run.then((code) => {
    process.exitCode = code;
  });
  // Nothing is left to do: Node would take its heap apart before it ends.
  process.on('beforeExit', () => process.exit());
}

function load(name) {
  try {
    return require(`../dist/${name}`);
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND' || !error.message.includes(`dist/${name}`)) throw error;
    process.stderr.write('error: Holdfast is not built\nhint: npm run build\n');
    process.exit(2);
  }
}
