import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { MARKER_NAME } from './kill/marker.ts';

/**
 * Waits until nobody holds the other end of its standard input, then kills every process with the marker.
 * The marker comes as a line and not as an argument, so that no process of the guardian itself shows it. Each further
 * line is the number of seconds within which the next one has to come; without it the processes are killed as well. The
 * line `answer PID` is answered with SIGUSR2, after everything before it.
 * Nothing found twice in a row is the end: a process can fork into a pid that one look has already passed.
 */
const SCRIPT = `
trap '' HUP INT QUIT TERM
find_marked() {
  if [ -d /proc/self ]; then
    grep -lszF -e "$marker" /proc/[0-9]*/environ | tr -dc '0-9\\n'
  else
    ps -axEww -o pid=,command= | while read -r pid rest; do
      case $rest in *"$marker"*) echo "$pid" ;; esac
    done
  fi
}
# Children of dead launchers that have not become their command yet: they show the launcher's own arguments.
find_unborn() {
  if [ -d /proc/self ]; then
    grep -lszxF -f - /proc/[0-9]*/cmdline <<< "\${marker#*=}" | tr -dc '0-9\\n'
  fi
}
kill_marked() {
  local quiet=0 look pids
  for ((look = 0; look < 400 && quiet < 2; look++)); do
    pids=$([ "$1" != all ] || find_unborn; find_marked)
    if [ -z "$pids" ]; then quiet=$((quiet + 1)); else quiet=0; kill -9 $pids; fi
    sleep 0.05
  done
}
read -r marker || exit
within=
while :; do
  read -r \${within:+-t "$within"} line
  heard=$?
  if [ $heard -eq 0 ]; then
    case $line in
      answer*) kill -USR2 "\${line#answer }" ;;
      *) within=$line ;;
    esac
  elif [ $heard -gt 128 ]; then within=; kill_marked
  else break
  fi
done
kill_marked all
`;

/**
 * The last line of defence, for when the worker and its launchers are killed together, or all of them stand still
 * while their lease ends: a process of about 3 MB in a session of its own. The lifeline is the pipe it listens to;
 * everyone who holds it is waited for.
 */
export class Guardian {
  readonly #markerPrefix: string;
  #child: ChildProcess | null = null;
  #unavailable = false;

  constructor(markerPrefix: string) {
    this.#markerPrefix = markerPrefix;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  /** To be held open by everyone whose death counts; null while there is no guardian. */
  get lifeline(): Socket | null {
    const stdin = this.#child?.stdin as Socket | null | undefined;
    return stdin && !stdin.destroyed ? stdin : null;
  }

  /** Starts it unless it lives. */
  ensure(): void {
    if (this.#child !== null || this.#unavailable) return;
    const child = spawn('bash', ['--norc', '-c', SCRIPT, 'holdfast-guardian'], {
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    this.#child = child;
    child.once('exit', () => {
      this.#child = null;
    });
    child.once('error', () => {
      // Without bash there will be no jobs either, and each of them will say so.
      this.#unavailable = true;
      this.#child = null;
    });
    const lifeline = child.stdin as Socket;
    lifeline.on('error', () => {});
    lifeline.write(`${MARKER_NAME}=${this.#markerPrefix}\n`);
    child.unref();
    lifeline.unref();
  }

  /** Resolves when it is gone. Only for when there is nothing left to guard. */
  async dismiss(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    child.ref();
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
}
