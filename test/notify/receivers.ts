import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

interface Received {
  path: string;
  key: string;
  body: Record<string, unknown>;
}

/** A webhook. `status` is what it answers; null: it never does. */
export async function webhook(status: number | null = 200) {
  const received: Received[] = [];
  const answer = { status };
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (part: Buffer) => {
      text += part.toString();
    });
    request.on('end', () => {
      const key = String(request.headers['idempotency-key']);
      received.push({ path: request.url!, key, body: JSON.parse(text) as Record<string, unknown> });
      if (answer.status === null) return;
      response.writeHead(answer.status, answer.status === 302 ? { location: 'http://127.0.0.1:1/' } : {});
      response.end('no <b>way</b>\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook/s3cret`, port, received, answer };
}
