import type { Reader } from '../../contract/by.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { type EndpointId, endpoints } from '../../contract/endpoints.ts';
import type { ServedEngine } from '../../contract/engine.ts';
import { requestFor } from '../../contract/operation.ts';
import { namesIn } from '../../contract/path-names.ts';
import type { Subject } from '../../contract/subject.ts';
import { mayChange, mayRead, type Ownership } from '../../core/access/may-change.ts';
import { type ErrorCode, HoldfastError } from '../../core/errors.ts';
import type { GroupPolicy } from '../../spec/check/group-policy.ts';
import type { Caller } from './caller.ts';
import { subjectOf } from './subject-of.ts';

/** What is said of a thing that a caller may not see: the same as if it were not there. */
const NOT_FOUND: Record<Exclude<Subject['kind'], 'worker'>, ErrorCode> = {
  workflow: 'WORKFLOW_NOT_FOUND',
  job: 'NO_SUCH_JOB',
  handler: 'HANDLER_NOT_FOUND',
  allocation: 'ALLOCATION_NOT_FOUND',
  request: 'REQUEST_NOT_FOUND',
};

type Given = Parameters<typeof subjectOf>[2];

/**
 * Keeps the work of one team from another. Every request of HTTP and every call of a tool for agents passes `admit`,
 * after its role was found to be enough; lists get the reader, and have only what the reader may see.
 */
export class Teams {
  readonly #engine: ServedEngine;
  /** Members of the groups, as the configuration has them. */
  readonly #members: ReadonlyMap<string, readonly string[]>;

  constructor(engine: ServedEngine, groups: Readonly<Record<string, readonly string[]>> = {}) {
    this.#engine = engine;
    this.#members = new Map(Object.entries(groups));
  }

  /** The groups that a token of this name is in. */
  groupsOf(name: string): string[] {
    return [...this.#members].filter(([, members]) => members.includes(name)).map(([group]) => group);
  }

  async admit(caller: Caller | null, id: EndpointId, given: Given): Promise<void> {
    if (!isLimited(caller)) return;
    const endpoint: Endpoint = endpoints[id];
    const subject = subjectOf(id, endpoint, given);
    if (subject === null) return;
    const owners = await this.#engine.ownerships(subject);
    if (subject.kind !== 'worker' && !owners.every((each) => mayRead(caller, each))) throw notFound(subject);
    if (endpoint.method === 'GET' || owners.every((each) => mayChange(caller, each))) return;
    throw notYours(subject, owners);
  }

  /** The next version of a request takes the place of the one before. */
  async admitSuccessor(caller: Caller | null, name: string): Promise<void> {
    if (!isLimited(caller)) return;
    const [before] = await this.#engine.ownerships({ kind: 'request', name });
    if (before === undefined || mayChange(caller, before)) return;
    const whose = mayRead(caller, before) ? belonging([before]) : 'belongs to others; choose another name';
    throw new HoldfastError('NOT_YOURS', { what: `request ${name}`, whose });
  }

  async mayStillRead(caller: Caller | null, workflowId: number): Promise<boolean> {
    if (!isLimited(caller)) return true;
    const owners = await this.#engine.ownerships({ kind: 'workflow', id: workflowId });
    return owners.every((each) => mayRead(caller, each));
  }

  /** The groups that a spec of the caller may name, those that the workflow has already included. */
  async groupPolicy(caller: Caller | null, workflowId?: number): Promise<GroupPolicy | null> {
    if (caller === null || caller.auth === 'none') return null;
    const known = [...this.#members.keys()];
    if (caller.role === 'admin') return { known, own: null };
    const owners =
      workflowId === undefined ? [] : await this.#engine.ownerships({ kind: 'workflow', id: workflowId });
    const present = owners.flatMap(({ access_groups }) => access_groups);
    return { known: [...new Set([...known, ...present])], own: [...caller.groups, ...present] };
  }

  /** The engine as the caller may use it, for programs that are not asked over HTTP. */
  engineFor(caller: Caller): ServedEngine {
    if (!isLimited(caller)) return this.#engine;
    return new Proxy(this.#engine, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        const method = value.bind(target) as (...given: unknown[]) => Promise<unknown>;
        if (!(key in endpoints)) return method;
        return async (...given: unknown[]) => {
          const id = key as EndpointId;
          await this.admit(caller, id, callOf(id, given));
          return method(...forReader(id, given, readerOf(caller)));
        };
      },
    });
  }
}

/** Everybody but admins; without tokens everybody is one. */
function isLimited(caller: Caller | null): caller is Caller {
  return caller !== null && caller.role !== 'admin';
}

/** Whose lists they are; undefined: the caller may see everything. */
export function readerOf(caller: Caller | null): Reader | undefined {
  return isLimited(caller) ? { name: caller.name, groups: caller.groups } : undefined;
}

function callOf(id: EndpointId, given: readonly unknown[]): Given {
  const endpoint = endpoints[id];
  if ('isOperation' in endpoint) {
    const { params, query = {}, body = {} } = requestFor(endpoint, given);
    return { params, query, body };
  }
  const [first] = namesIn(endpoint.path);
  return { params: first === undefined ? {} : { [first]: given[0] }, query: {}, body: {} };
}

/** The arguments of an operation, with the reader in its query. */
function forReader(id: EndpointId, given: readonly unknown[], reader: Reader | undefined): unknown[] {
  const endpoint: Endpoint = endpoints[id];
  if (!('isOperation' in endpoint) || (endpoint.method !== 'GET' && endpoint.method !== 'DELETE'))
    return [...given];
  const count = namesIn(endpoint.path).length;
  return [...given.slice(0, count), { ...(given[count] as object | undefined), reader }];
}

function notFound(subject: Exclude<Subject, { kind: 'worker' }>): HoldfastError {
  const facts = subject.kind === 'request' ? { name: subject.name } : { id: subject.id };
  return new HoldfastError(NOT_FOUND[subject.kind as keyof typeof NOT_FOUND], facts);
}

function notYours(subject: Subject, owners: readonly Ownership[]): HoldfastError {
  const what =
    subject.kind === 'request' ? `request ${subject.name}` : `${WORDS[subject.kind]} ${subject.id}`;
  const whose = subject.kind === 'worker' ? 'holds jobs that belong to others' : belonging(owners);
  return new HoldfastError('NOT_YOURS', { what, whose });
}

const WORDS = {
  workflow: 'workflow',
  job: 'job',
  handler: 'failure handler',
  allocation: 'allocation',
  worker: 'worker',
};

function belonging([first]: readonly Ownership[]): string {
  const { owner, access_groups } = first!;
  const groups = access_groups.length === 0 ? '' : ` and to ${access_groups.join(', ')}`;
  return `belongs to ${owner === '' ? 'nobody who is known' : owner}${groups}`;
}
