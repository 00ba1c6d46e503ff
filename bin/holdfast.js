#!/usr/bin/env node
import { readFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const argv = process.argv.slice(2);

// Answered before anything is loaded: scripts ask for it often.
if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
  process.stdout.write(`${version}\n`);
} else {
  const { default: module } = await import('node:module');
  module.enableCompileCache?.();
  const { main } = await import('../dist/cli/main.js').catch((error) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || !error.message.includes('dist/cli/main.js')) throw error;
    process.stderr.write('error: Holdfast is not built\nhint: npm run build\n');
    process.exit(2);
  });
  process.exitCode = await main(argv, version);
}
