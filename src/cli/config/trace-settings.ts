import { maskedUrl, urlProblem } from '../../core/notify/check-target.ts';
import type { SecretText, TraceSettings } from '../../core/notify/notify-model.ts';
import { isObject, parseSecret } from './notify-targets.ts';
import { type Parsed, parseKeys } from './parse-keys.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const KEYS = ['endpoint', 'headers', 'service_name', 'attributes'];
const PATH = '/v1/traces';
const DEFAULT_SERVICE = 'holdfast';
/** Set for the programs around this one: no reason to refuse every command. */
export const GRPC = 'OTEL_EXPORTER_OTLP_PROTOCOL';

/** `{endpoint: http://localhost:4318, headers: {authorization: {env: OTLP_TOKEN}}}`, from YAML or as JSON. */
export function parseTraces(raw: unknown): Parsed<TraceSettings | null> {
  const keys = parseKeys(raw, KEYS);
  if ('problem' in keys) return keys;
  if (keys.value === null) return { value: null };
  const written = keys.value;
  const { endpoint, headers = {}, service_name = DEFAULT_SERVICE, attributes = {} } = written;
  if (typeof endpoint !== 'string')
    return { problem: 'endpoint must be an address like http://localhost:4318' };
  const problem = urlProblem(endpoint);
  if (problem !== null) return { problem: `endpoint ${problem}` };
  if (typeof service_name !== 'string' || service_name === '')
    return { problem: 'service_name must be a text that is not empty' };
  if (!isObject(headers)) return { problem: 'headers must be texts by name' };
  const read: Record<string, SecretText> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
      return { problem: `headers: ${JSON.stringify(name)} is not the name of a header` };
    const secret = parseSecret(value);
    if ('problem' in secret) return { problem: `headers: ${name} ${secret.problem}` };
    read[name.toLowerCase()] = secret.value;
  }
  if (!isObject(attributes) || !Object.values(attributes).every((value) => typeof value === 'string'))
    return { problem: 'attributes must be texts by name' };
  return {
    value: {
      endpoint: new URL(endpoint).pathname === '/' ? withPath(endpoint) : endpoint,
      headers: read,
      service_name,
      attributes: attributes as Record<string, string>,
    },
  };
}

/** The standard variables of OpenTelemetry as `traces` would be written; undefined: they say nothing. */
export function tracesOfEnvironment(env: Environment): { raw: unknown; source: string } | undefined {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return { raw: null, source: 'OTEL_SDK_DISABLED' };
  if (env.OTEL_TRACES_EXPORTER === 'none') return { raw: null, source: 'OTEL_TRACES_EXPORTER' };
  const own = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  const shared = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!own && !shared) return undefined;
  const protocol = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || env.OTEL_EXPORTER_OTLP_PROTOCOL;
  if (protocol === 'grpc') return { raw: null, source: GRPC };
  return {
    source: own ? 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' : 'OTEL_EXPORTER_OTLP_ENDPOINT',
    raw: {
      endpoint: own || withPath(shared!),
      headers: pairs(env.OTEL_EXPORTER_OTLP_TRACES_HEADERS || env.OTEL_EXPORTER_OTLP_HEADERS),
      ...(env.OTEL_SERVICE_NAME && { service_name: env.OTEL_SERVICE_NAME }),
      attributes: pairs(env.OTEL_RESOURCE_ATTRIBUTES),
    },
  };
}

export function showTraces(traces: TraceSettings | null): string {
  return traces === null ? 'none' : `${maskedUrl(traces.endpoint)} as ${traces.service_name}`;
}

export function maskTraces(traces: TraceSettings | null): TraceSettings | null {
  if (traces === null) return null;
  const headers = Object.entries(traces.headers).map(([name, value]): [string, SecretText] => [
    name,
    typeof value === 'string' ? '***' : value,
  ]);
  return { ...traces, endpoint: maskedUrl(traces.endpoint), headers: Object.fromEntries(headers) };
}

/** The path under a base, as the standard has it. */
function withPath(base: string): string {
  return `${base.replace(/\/+$/, '')}${PATH}`;
}

/** `a=1,b=2`, with what cannot stand there as it is in percent signs. */
function pairs(text = ''): Record<string, string> {
  const found = text.split(',').flatMap((pair): [string, string][] => {
    const at = pair.indexOf('=');
    return at < 1 ? [] : [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())]];
  });
  return Object.fromEntries(found);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
