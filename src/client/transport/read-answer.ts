import { z } from 'zod';
import type { AnswerKind } from '../../contract/endpoint.ts';
import { strangeAnswer } from './refusal.ts';

/**
 * What an endpoint answers in JSON; undefined if it answers with nothing. It is only distinguished from what a proxy or another
 * service would say: a server may be newer or older than this.
 */
export async function readAnswer(answer: AnswerKind, response: Response): Promise<unknown> {
  const text = await response.text();
  if (answer.kind === 'none' && response.status === 204) return undefined;
  const value = answer.kind === 'json' ? parsed(text) : undefined;
  if (answer.kind === 'json' && isLike(answer.schema, value)) return value;
  throw strangeAnswer(response.status);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isLike(schema: z.ZodType, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (schema instanceof z.ZodArray) return Array.isArray(value);
  return !(schema instanceof z.ZodObject) || Object.keys(schema.shape).some((key) => key in value);
}
