import type { Engine } from '../contract/engine.ts';
import type { Metrics } from './metrics.ts';

/** The engine with its exchanges counted, for workers of other processes and for one in the server's own. */
export function countedEngine<E extends Engine>(engine: E, metrics: Metrics): E {
  const exchange: Engine['exchange'] = async (workerId, request) => {
    const result = await engine.exchange(workerId, request);
    metrics.countExchange(request, result);
    return result;
  };
  return new Proxy(engine, {
    get(target, key) {
      if (key === 'exchange') return exchange;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
