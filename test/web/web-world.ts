import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import type { WorkflowStatus } from '../../src/contract/records/records.ts';
import type { RequestRecord } from '../../src/contract/records/request.ts';
import type { Role } from '../../src/contract/roles.ts';
import { startCli, until } from '../cli/run-cli.ts';
import { ServedProject } from '../client/served-project.ts';

const SCREENSHOTS = resolve(import.meta.dirname, '../../docs/screenshots');
const LARGEST_BYTES = 150 * 1024;

/** A server with a worker, with whatever tests submit to it. */
export class WebWorld {
  readonly project: ServedProject;
  /** What people and programs show, where a token is needed. */
  #token: string | null = null;

  constructor({
    files = {},
    env = {},
  }: { files?: Record<string, string | object>; env?: Record<string, string> } = {}) {
    this.project = new ServedProject(files, env);
  }

  /** Whose work is submitted from now on. */
  actAs(token: string): void {
    this.#token = token;
  }

  start(...args: string[]): Promise<string> {
    return this.project.start('--log-level', 'warn', ...args);
  }

  async stop(): Promise<void> {
    await this.project.stop();
  }

  url(path: string): string {
    return `${this.project.url}${path}`;
  }

  /** Makes a file that commands of jobs look for. */
  touch(name: string): void {
    writeFileSync(join(this.project.dir, name), '');
  }

  async submit(spec: object, more: object = {}): Promise<number> {
    const { dir } = this.project;
    const body = { spec, cwd: dir, output_dir: join(dir, 'output'), ...more };
    return ((await this.ask('POST', '/workflows', body)) as { id: number }).id;
  }

  /** A call of the API that must succeed; what it answers. */
  async ask(method: string, path: string, body?: object): Promise<unknown> {
    const answer = await fetch(this.url(`/api/v1${path}`), {
      method,
      headers: {
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(this.#token !== null && { authorization: `Bearer ${this.#token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return answer.json();
  }

  async request(request: { spec: object }): Promise<void> {
    const { dir } = this.project;
    await this.ask('POST', '/requests', { ...request, cwd: dir, output_dir: join(dir, 'output') });
  }

  async requestRecord(name: string): Promise<RequestRecord> {
    return (await this.ask('GET', `/requests/${name}`)) as RequestRecord;
  }

  reaches(name: string, state: RequestRecord['status']): Promise<unknown> {
    return until(
      async () => (await this.requestRecord(name)).status === state,
      `request ${name} is ${state}`,
      60_000,
    );
  }

  /** A change of a workflow. */
  async order(workflow: number, what: string, body: object): Promise<void> {
    await this.ask('POST', `/workflows/${workflow}/${what}`, body);
  }

  async status(workflow: number): Promise<WorkflowStatus> {
    return (await this.ask('GET', `/workflows/${workflow}/status`)) as WorkflowStatus;
  }

  /** Submits a workflow and waits until its status is as wanted. */
  async run(spec: object, isReached: (status: WorkflowStatus) => boolean): Promise<number> {
    const workflow = await this.submit(spec);
    await this.until(workflow, isReached);
    return workflow;
  }

  until(workflow: number, isReached: (status: WorkflowStatus) => boolean): Promise<unknown> {
    return until(async () => isReached(await this.status(workflow)), `workflow ${workflow} is as wanted`);
  }

  /** Its secret. `life`: how long it is valid, such as `20s`; else until it is revoked. */
  token(name: string, role: Role, life?: string): Promise<string> {
    const expires = life === undefined ? [] : ['--expires', life];
    return this.#command('token', 'create', '--name', name, '--role', role, ...expires, '--output', 'quiet');
  }

  async revoke(name: string): Promise<void> {
    const tokens = JSON.parse(await this.#command('token', 'list', '--output', 'json')) as {
      id: number;
      name: string;
    }[];
    await this.#command('token', 'revoke', String(tokens.find((token) => token.name === name)!.id));
  }

  async #command(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await startCli(words, { cwd: this.project.dir }).ended;
    if (code !== 0) throw new Error(stderr);
    return stdout.trim();
  }
}

/** Only where HF_SCREENSHOTS is set: the documentation has them, and fonts differ from machine to machine. */
export async function screenshot(page: Page, name: string, part: 'seen' | 'whole' = 'seen'): Promise<void> {
  if (process.env.HF_SCREENSHOTS === undefined) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  const path = join(SCREENSHOTS, `${name}.png`);
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path, fullPage: part === 'whole' });
  const { size } = statSync(path);
  if (size > LARGEST_BYTES) throw new Error(`${path} has ${size} bytes`);
}
