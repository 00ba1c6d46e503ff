import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { parseConfigFile } from '../../src/cli/config/config-file.ts';
import { resolveSettings } from '../../src/cli/config/resolve-settings.ts';
import { findAgent } from '../../src/cli/recovery/agent.ts';

const PLACES = { prompt: "what's up; $(rm -rf /)", mcpConfig: '/tmp/a b/mcp.json', workflowId: 7 };

async function settingsOf(yaml: string) {
  const files = [await parseConfigFile(yaml, 'config.yaml')];
  return resolveSettings({ flags: {}, env: {}, files }).settings;
}

describe('agents of the configuration', () => {
  beforeEach(() => {
    const bin = mkdtempSync(join(tmpdir(), 'holdfast-bin-'));
    writeFileSync(join(bin, 'oracle'), '#!/bin/sh\n');
    chmodSync(join(bin, 'oracle'), 0o755);
    writeFileSync(join(bin, 'claude'), 'not a program');
    vi.stubEnv('PATH', bin);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test('have placeholders that become words of the shell', async () => {
    const settings = await settingsOf(
      'ai_agent: oracle\nai_timeout: 90s\nai_agents:\n  oracle: oracle --config {mcp_config} --about {workflow_id} {prompt} ${OTHER}\n',
    );
    const agent = findAgent(settings);
    expect(agent).toMatchObject({ name: 'oracle', timeoutMs: 90_000 });
    expect(agent.command(PLACES)).toEqual([
      'bash',
      '-c',
      `oracle --config '/tmp/a b/mcp.json' --about '7' 'what'\\''s up; $(rm -rf /)' \${OTHER}`,
    ]);
  });

  test.for([
    ['that nobody knows', 'ai_agent: seer', 'there is no agent seer; known are claude, others'],
    ['by a name that objects have', 'ai_agent: toString', 'there is no agent toString'],
    ['whose program is missing', 'ai_agent: a\nai_agents: { a: seer now }', 'seer is not on PATH'],
    ['that cannot be executed', 'ai_agent: claude', 'claude is not on PATH'],
  ])('%s are refused', async ([, yaml, problem]) => {
    const settings = await settingsOf(yaml!);
    expect(() => findAgent(settings)).toThrow(problem);
  });

  test.for([
    ['a list', 'ai_agents: [a]', 'config.yaml:1: ai_agents must be names with a command each'],
    ['no names', 'ai_agents: oracle', 'must be names with a command each'],
    ['no command', 'ai_agents: { a: 3 }', 'must have a command for a'],
    ['a strange name', 'ai_agents: { "a b": x }', 'must have names of letters'],
    ['the built-in one', 'ai_agents: { claude: x }', 'claude, which is built in'],
    ['quoted placeholders', `ai_agents: { a: 'x "{prompt}"' }`, 'no quotes around the placeholders of a'],
  ])('that are %s are refused', async ([, yaml, problem]) => {
    await expect(settingsOf(yaml!)).rejects.toThrow(problem);
  });

  test('can come from the environment as JSON', () => {
    const env = { HOLDFAST_AI_AGENTS: '{"a": "oracle {prompt}"}' };
    expect(resolveSettings({ flags: {}, env, files: [] }).settings.ai_agents).toEqual({
      a: 'oracle {prompt}',
    });
  });
});
