/**
 * Why a value cannot be sent as JSON without a loss; undefined if it can. Properties that are undefined are left out, as
 * JSON does. Its source is also sent to workers, so it uses nothing from around it.
 */
export function jsonProblem(value: unknown, path: string): string | undefined {
  const above: unknown[] = [];
  const look = (part: unknown, place: string): string | undefined => {
    if (part === null || typeof part === 'string' || typeof part === 'boolean') return undefined;
    if (typeof part === 'number') {
      return Number.isFinite(part) ? undefined : `${place} is ${part}, which JSON cannot hold`;
    }
    if (typeof part !== 'object') return `${place} is ${typeof part}, which JSON cannot hold`;
    if (above.includes(part)) return `${place} contains itself, which JSON cannot hold`;
    const prototype = Object.getPrototypeOf(part);
    const isList = Array.isArray(part);
    // Objects of other realms, such as those of a test runner, have another prototype.
    if (!isList && prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      return `${place} is a ${prototype.constructor?.name || 'object of a class'}, which JSON cannot hold; convert it first`;
    }
    if (above.length > 500) return `${place} is nested too deeply`;
    above.push(part);
    for (const [key, inner] of isList ? Array.from(part).entries() : Object.entries(part)) {
      if (inner === undefined && !isList) continue;
      const found = look(inner, isList ? `${place}[${key}]` : `${place}.${key}`);
      if (found !== undefined) return found;
    }
    above.pop();
    return undefined;
  };
  return look(value, path);
}
