import { describe, expect, test } from 'vitest';
import { LOG_TAIL_BYTES } from '../../src/contract/records/log-access.ts';
import { workersToNotify } from './found-news.ts';
import { Served } from './served-world.ts';

describe('logs that reach the server', () => {
  test('are kept at their end, joined where they meet, and read by range', async () => {
    const served = new Served();
    const { engine } = served;
    const id = await served.submit([{ name: 'a' }]);
    const worker = await served.worker();
    const [claim] = await served.claim(worker);
    const put = (offset: number, text: string) =>
      engine.putLogs(worker, [{ token: claim!.token, stream: 'stdout', offset, data: Buffer.from(text) }]);
    const read = async (part: object = {}) => {
      const chunk = await engine.readLog(id, { job: 'a', stream: 'stdout', ...part });
      return { ...chunk, data: Buffer.from(chunk.data).toString() };
    };
    expect(await read()).toMatchObject({ data: '', size: 0, ended: false });
    await put(0, 'hello ');
    await put(6, 'world');
    await put(9, 'LD!');
    expect(await read()).toMatchObject({ data: 'hello worLD!', size: 12, offset: 0, attempt_id: 1 });
    expect(await read({ offset: 6, limit: 3 })).toMatchObject({ data: 'wor', offset: 6, size: 12 });
    expect(await read({ offset: -3 })).toMatchObject({ data: 'LD!', offset: 9 });
    await put(100, 'after a gap');
    expect(await read()).toMatchObject({ data: 'after a gap', offset: 100, size: 111 });
    await put(111, 'x'.repeat(LOG_TAIL_BYTES));
    expect(await read({ limit: 5 })).toMatchObject({
      data: 'xxxxx',
      offset: 111,
      size: 111 + LOG_TAIL_BYTES,
    });
    await served.end(worker, claim!);
    expect(await read({ limit: 0 })).toMatchObject({ ended: true });
  });

  test('of an attempt that was never the worker’s are not taken', async () => {
    const served = new Served();
    const id = await served.submit([{ name: 'a' }]);
    const [claim] = await served.claim(await served.worker());
    const stranger = await served.worker();
    const part = { token: claim!.token, stream: 'stdout' as const, offset: 0, data: Buffer.from('lies') };
    await served.engine.putLogs(stranger, [part, { ...part, token: 999 }]);
    const { size } = await served.engine.readLog(id, { job: 'a', stream: 'stdout' });
    expect(size).toBe(0);
  });

  test('are asked of the worker while a client follows', async () => {
    const served = new Served();
    const id = await served.submit([{ name: 'a' }]);
    const worker = await served.worker();
    const [claim] = await served.claim(worker);
    expect(await served.exchange(worker)).toMatchObject({ follow: [] });
    await served.engine.readLog(id, { job: 'a', stream: 'stdout', follow: true });
    expect(await workersToNotify(served.engine)).toEqual([worker]);
    expect(await served.exchange(worker)).toMatchObject({ follow: [claim!.token] });
    served.now += 20_000;
    await served.engine.sweep();
    expect(await served.exchange(worker)).toMatchObject({ follow: [] });
  });

  test('without an attempt there is none', async () => {
    const served = new Served();
    const id = await served.submit([{ name: 'a' }]);
    const read = (part: object) => served.engine.readLog(id, { job: 'a', stream: 'stdout', ...part });
    await expect(read({})).rejects.toMatchObject({ code: 'NO_ATTEMPT' });
    await expect(read({ attempt_id: 3 })).rejects.toMatchObject({ code: 'NO_LOG' });
  });
});
