import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Heard {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown> | null;
}

export type Answer = (response: ServerResponse, heard: Heard) => void;

/** A server that answers as the test says, the last answer for ever, and remembers what it heard. */
export async function scripted(...answers: Answer[]): Promise<{ url: string; heard: Heard[] }> {
  const heard: Heard[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { method = '', url = '', headers } = request;
    const reported = { method, url, headers, body: text === '' ? null : JSON.parse(text) };
    heard.push(reported);
    answers[Math.min(heard.length, answers.length) - 1]!(response, reported);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url, heard };
}

export const json =
  (value: unknown, status = 200): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

/** The connection breaks after the request has arrived. */
export const cut: Answer = (response) => (response.socket as Socket).destroy();

export const refused = (code: string, status: number) =>
  json({ error: { code, message: `because ${code}`, hint: 'do this' } }, status);
