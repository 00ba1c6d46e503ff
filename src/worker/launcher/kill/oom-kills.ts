import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** How often the kernel killed a process of our control group because memory ran out. */
export class OomKills {
  readonly #file: string | null;
  /** As of the last `refresh`; 0 where the kernel does not count them. */
  count = 0;

  constructor(cgroupFile = '/proc/self/cgroup', mount = '/sys/fs/cgroup') {
    this.#file = findCounter(cgroupFile, mount);
    this.refresh();
  }

  refresh(): number {
    if (this.#file === null) return this.count;
    try {
      const match = /^oom_kill (\d+)$/m.exec(readFileSync(this.#file, 'utf8'));
      if (match) this.count = Number(match[1]);
    } catch {
      // The group may be gone or hidden; what was known stays true.
    }
    return this.count;
  }
}

/** The file with the counter, in version 2 or 1 of control groups; null without one. */
function findCounter(cgroupFile: string, mount: string): string | null {
  let lines: string[];
  try {
    lines = readFileSync(cgroupFile, 'utf8').split('\n');
  } catch {
    return null;
  }
  const candidates: string[] = [];
  for (const line of lines) {
    const [, controllers, ...path] = line.split(':');
    // Inside a container the path may be the host's, while the group itself is mounted as the root.
    const places = [path.join(':'), '/'];
    if (controllers?.split(',').includes('memory')) {
      candidates.push(...places.map((place) => join(mount, 'memory', place, 'memory.oom_control')));
    } else if (controllers === '') {
      candidates.push(...places.map((place) => join(mount, place, 'memory.events')));
    }
  }
  return candidates.find((candidate) => existsSync(candidate)) ?? null;
}
