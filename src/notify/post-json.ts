import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { urlProblem } from '../core/notify/check-target.ts';
import { harmlessLine } from '../core/text/harmless-line.ts';

const MOST_ANSWER = 1_000;
const SHOWN_ANSWER = 200;

/**
 * Sends JSON to a webhook, and returns the beginning of the answer. Rejects unless it is accepted; a redirect is not
 * followed, and no message has the address.
 */
export async function postJson(
  address: string,
  body: unknown,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<string> {
  const problem = urlProblem(address);
  if (problem !== null) throw new Error(`the address ${problem}`);
  const url = new URL(address);
  const text = JSON.stringify(body);
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise<string>((resolve, reject) => {
    const request = send(url, {
      method: 'POST',
      // Connections that are kept open would keep the process from ending.
      agent: false,
      signal,
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
        'user-agent': 'holdfast',
      },
    });
    request.on('error', (error: NodeJS.ErrnoException) => reject(new Error(error.code ?? error.message)));
    request.on('response', (response) => {
      let answer = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        if (answer.length < MOST_ANSWER) answer += part;
      });
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode = 0 } = response;
        if (statusCode >= 200 && statusCode < 300) resolve(answer);
        else if (statusCode >= 300 && statusCode < 400)
          reject(new Error(`HTTP ${statusCode}: a redirect is not followed`));
        else reject(new Error(`HTTP ${statusCode} ${harmlessLine(answer, SHOWN_ANSWER)}`.trim()));
      });
    });
    request.end(text);
  });
}
