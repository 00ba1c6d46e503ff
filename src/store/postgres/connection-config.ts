import pg from 'pg';

const INT8 = 20;
const NUMERIC = 1700;
const BYTEA = 17;

/** Every number that is stored fits a double exactly, so that both databases give the same type. */
const TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === INT8 || oid === NUMERIC) return Number;
    const parse = pg.types.getTypeParser(oid, format as 'text') as (value: string) => unknown;
    return oid === BYTEA ? (value: string) => plainBytes(parse(value) as Buffer) : parse;
  }) as pg.CustomTypesConfig['getTypeParser'],
};

function plainBytes(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

/** How long a connection may take to come about. */
export const CONNECT_TIMEOUT_MS = 10_000;

export function connectionConfig(url: string): pg.ClientConfig & { pipeline: boolean } {
  return {
    connectionString: url,
    application_name: 'holdfast',
    types: TYPES,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    pipeline: true,
  };
}

/**
 * What every connection of the store is set to first.
 * - A process that is stopped in the middle of a transaction must not keep others waiting: its session is ended.
 * - Every statement has an index; the plan of one that was prepared while its table was small must not read it whole
 *   when it has grown.
 */
const EVERY_SESSION = [
  'set idle_in_transaction_session_timeout = 5000',
  'set lock_timeout = 20000',
  'set statement_timeout = 60000',
  'set enable_seqscan = off',
  'set jit = off',
];

/**
 * Writers run the same few statements all the time, by keys: to plan them again for each set of values only costs. A
 * handful of rows is looked up one by one, as SQLite does; joined otherwise, a whole index would be read for them.
 */
const WRITERS = [
  'set plan_cache_mode = force_generic_plan',
  'set random_page_cost = 1.1',
  'set enable_hashjoin = off',
  'set enable_mergejoin = off',
];

export const SESSION_SETTINGS = {
  read: EVERY_SESSION.join('; '),
  write: [...EVERY_SESSION, ...WRITERS].join('; '),
};
