import type { FastifyError, FastifyRequest } from 'fastify';
import type { ErrorBody } from '../../contract/schemas/error-body.ts';
import { HoldfastError } from '../../core/errors.ts';
import { RequestError } from './request-error.ts';

export interface ErrorAnswer {
  status: number;
  body: ErrorBody;
  /** Nobody thought of it: the log gets all of it, the caller nothing but the number of the request. */
  unexpected: boolean;
}

export function errorAnswer(error: unknown, request: FastifyRequest): ErrorAnswer {
  const known = error instanceof HoldfastError ? error : knownToFastify(error as FastifyError, request);
  if (known === undefined) return { status: 500, body: bug(request.id), unexpected: true };
  const { code, message, hint, httpStatus } = known;
  const fields = known instanceof RequestError ? { fields: known.fields } : {};
  return { status: httpStatus, body: { error: { code, message, hint, ...fields } }, unexpected: false };
}

function knownToFastify(error: FastifyError, { routeOptions }: FastifyRequest): HoldfastError | undefined {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    return new HoldfastError('TOO_LARGE', { limit: routeOptions.bodyLimit }, error);
  }
  const status = error.statusCode ?? 500;
  if (status < 400 || status >= 500) return undefined;
  return new HoldfastError('UNREADABLE_REQUEST', { problem: problemOf(error) }, error);
}

function problemOf({ code, message }: FastifyError): string {
  switch (code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return 'the body is of a type that is not understood';
    case 'FST_ERR_BAD_URL':
      return 'the path is not well encoded';
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return 'a part of the path is too long';
    default:
      return `the request cannot be read: ${message.slice(0, 200)}`;
  }
}

function bug(requestId: string): ErrorBody {
  return {
    error: {
      code: 'BUG',
      message: `something unexpected went wrong in request ${requestId}`,
      hint: 'this is a bug in Holdfast; the log of the server has the details under this request',
    },
  };
}
