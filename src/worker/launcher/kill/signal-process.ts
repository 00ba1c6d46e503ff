/** Whoever is gone already, or was never ours, is left alone. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // ESRCH or EPERM: there is nothing more to do.
  }
}

export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  signalProcess(-leader, signal);
}
