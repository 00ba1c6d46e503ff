import { HoldfastError } from '../../core/errors.ts';
import type { DatabaseAddress } from './database-address.ts';

/** The SQLSTATE of an error that PostgreSQL sent; the system's code of one that it could not send. */
function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return messageOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

const CONNECTION_LOST =
  /connection terminated|connection error|client was closed|timeout expired|timeout exceeded|server closed the connection/i;

/** ECONNREFUSED and its kind; the process has run out of sockets; a name that could not be looked up just now. */
const NETWORK =
  /^(ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|EHOSTDOWN|ENETUNREACH|ENETDOWN|ENOENT|EADDRNOTAVAIL|EAI_AGAIN|EMFILE)/;

/** Shutdown, crash and start of the server, sessions ended by an administrator or a timeout, too many connections. */
const SERVER_AWAY = /^(08...|57P0[1-5]|25P0[34]|53300)$/;

/** The connection is gone, or never came about: the same may work on another one. */
export function isConnectionLoss(error: unknown): boolean {
  const code = codeOf(error);
  if (code === '' && error instanceof AggregateError) return error.errors.some(isConnectionLoss);
  return (
    NETWORK.test(code) || SERVER_AWAY.test(code) || (code === '' && CONNECTION_LOST.test(messageOf(error)))
  );
}

/** The transaction collided with another one and was rolled back for that reason alone. */
export function isCollision(error: unknown): boolean {
  return ['40001', '40P01'].includes(codeOf(error));
}

/** Locks and statements that took too long, a full disk, a read-only standby: no bug of ours, and none of the user's. */
const CANNOT_SAVE = /^(55P03|57014|53[12]..|58...|25006|XX00[12])$/;

const DISK_FULL = '53100';
/** A table or a column that is not there: an unreleased version made the tables. */
const UNDEFINED = /^42(P01|703)$/;

/** What kind of error the caller gets; everything that is not known stays as it is, being a bug. */
export function databaseError(error: unknown, address: DatabaseAddress): unknown {
  if (error instanceof HoldfastError || !(error instanceof Error)) return error;
  const problem = address.scrub(messageOf(error)) || codeOf(error);
  if (isConnectionLoss(error) || isRefusal(error)) return unreachable(address, problem);
  if (codeOf(error) === DISK_FULL) return new HoldfastError('DISK_FULL', { problem }, error);
  if (isCollision(error) || CANNOT_SAVE.test(codeOf(error))) {
    return new HoldfastError('STORE_FAILED', { problem }, error);
  }
  if (UNDEFINED.test(codeOf(error))) {
    return new HoldfastError('SCHEMA_UNKNOWN', { path: address.name, problem }, error);
  }
  return error;
}

export function unreachable(address: DatabaseAddress, problem: string): HoldfastError {
  return new HoldfastError('DATABASE_UNREACHABLE', { name: address.name, problem });
}

/** A wrong password, a database that is not there, a name that nobody knows: waiting does not help. */
function isRefusal(error: unknown): boolean {
  return /^(28...|3D000|42501|ENOTFOUND|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|CERT_)/.test(
    codeOf(error),
  );
}
