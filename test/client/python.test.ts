import { spawn, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generatePython } from '../../clients/python/generate.mjs';
import { openApiDocument } from '../../src/contract/openapi.ts';
import { ServedProject } from './served-project.ts';

const CLIENT = resolve(import.meta.dirname, '../../clients/python');

test('the operations of the Python client are those of the API', async () => {
  // `npx vitest run test/client/python.test.ts -u` writes the file again.
  await expect(generatePython(openApiDocument('0.1.0'))).toMatchFileSnapshot(`${CLIENT}/holdfast/api.py`);
});

const found = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']);
const lacksPython = found.status !== 0;
if (lacksPython) console.log('there is no python3 of version 3.9 or newer: the Python client is not run');

describe.skipIf(lacksPython)('the Python client', () => {
  const project = new ServedProject();
  beforeAll(() => project.start());
  afterAll(() => project.stop());

  /** What the program printed; its mistakes are those of the test. */
  async function python(...args: string[]): Promise<string> {
    const env = {
      ...process.env,
      PYTHONPATH: CLIENT,
      PYTHONDONTWRITEBYTECODE: '1',
      HOLDFAST_SERVER: project.url,
    };
    const child = spawn('python3', args, { cwd: project.dir, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const printed = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        printed[stream] += text;
      });
    }
    const code = await new Promise((done) => child.on('close', done));
    expect([code, printed.stderr]).toEqual([0, '']);
    return printed.stdout;
  }

  test('runs its example: a job is retried and followed, a workflow is waited for', async () => {
    expect(await python(`${CLIENT}/examples/flaky_job.py`)).toBe(
      'attempt 1\nattempt 2\nattempt 3\ncompleted after 3 attempts\nworkflow pair would exit with 0\n',
    );
  });

  test('raises what the server refuses, what does not end in time, and a server that is not there', async () => {
    const program = `
from holdfast import Client, HoldfastError
client = Client()
def refused(ask):
    try:
        ask()
    except (HoldfastError, TimeoutError) as error:
        print(type(error).__name__, getattr(error, "code", None), str(error).split("\\n")[0])
refused(lambda: client.find_job(4711))
refused(lambda: client.submit_workflow({"name": "x", "jobs": [{"name": "a", "comand": "true"}]}))
job = client.submit("sleep 600", name="long")
refused(lambda: client.wait(job, timeout=0.2))
client.cancel(client.find_job(job)["workflow_id"], {"jobs": [job], "reason": "enough"})
print(client.wait(job, timeout=60)["status"])
print([each["name"] for each in client.list_jobs(client.find_job(job)["workflow_id"], status=["canceled", "failed"])["items"]])
refused(lambda: Client("http://127.0.0.1:9", reconnect_timeout=0).wait(1))
`;
    expect((await python('-c', program)).split('\n')).toEqual([
      expect.stringMatching(/^HoldfastError NO_SUCH_JOB there is no job 4711/),
      expect.stringMatching(/^HoldfastError INVALID_SPEC spec/),
      expect.stringMatching(/^TimeoutError None job \d+ has not ended after 0\.2 seconds/),
      'canceled',
      "['long']",
      expect.stringMatching(/^HoldfastError SERVER_UNREACHABLE cannot reach http:\/\/127\.0\.0\.1:9/),
      '',
    ]);
  });
});
