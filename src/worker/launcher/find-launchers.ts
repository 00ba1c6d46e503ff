import { connect, type Socket } from 'node:net';
import { isProcessAlive } from '../../host/process-identity.ts';
import { killMarked } from './kill/kill-marked.ts';
import { signalProcess } from './kill/signal-process.ts';
import { type LauncherDirectory, type LauncherPlace, removePlace } from './launcher-directory.ts';
import type { LauncherLink, LinkCallbacks } from './launcher-link.ts';
import { LineWriter, readLines } from './line-stream.ts';
import type { Holdings, Notice, Order, ReadyNotice } from './protocol.ts';

/** One that does not answer for so long is of no use, and nobody knows what it would do later. */
const ANSWER_WITHIN_MS = 5_000;

/** A launcher that an earlier process left, with what it has. */
export interface FoundLauncher {
  place: LauncherPlace;
  markerPrefix: string;
  holdings: Holdings;
  link(callbacks: LinkCallbacks): LauncherLink;
}

/** The launchers that still live. Of the others nothing is left when this resolves. */
export async function findLaunchers(directory: LauncherDirectory): Promise<FoundLauncher[]> {
  const noted = directory.list();
  const found = await Promise.all(
    noted.map(async ({ place, note }) => {
      const launcher = await joinLauncher(place, note.marker_prefix).catch(() => null);
      if (launcher !== null) return launcher;
      if (isProcessAlive(note) === true) signalProcess(note.pid, 'SIGKILL');
      const others = noted.map((each) => each.note.pid).filter((pid) => pid !== note.pid);
      await killMarked(note.marker_prefix, new Set(others));
      removePlace(place);
      return null;
    }),
  );
  return found.filter((launcher) => launcher !== null);
}

/** Resolves when the launcher has listed what it has; rejects if it does not in time. */
function joinLauncher(place: LauncherPlace, markerPrefix: string): Promise<FoundLauncher> {
  return new Promise((resolve, reject) => {
    const socket = connect(place.socketPath);
    const timer = setTimeout(() => socket.destroy(new Error('no answer')), ANSWER_WITHIN_MS);
    // What is said between its answer and the link.
    const early: Notice[] = [];
    let hear: LinkCallbacks['hear'] = (notice) => early.push(notice);
    socket.once('error', reject);
    socket.once('close', () => {
      clearTimeout(timer);
      reject(new Error('the connection was closed'));
    });
    readLines(socket, (line) => {
      const notice = line as Notice;
      if (notice.kind !== 'ready') {
        hear(notice);
        return;
      }
      clearTimeout(timer);
      resolve({
        place,
        markerPrefix,
        holdings: notice,
        link(callbacks) {
          setImmediate(() => {
            for (const notice of early) callbacks.hear(notice);
            hear = callbacks.hear;
          });
          return linkTo(socket, notice, callbacks);
        },
      });
    });
  });
}

function linkTo(socket: Socket, { pid }: ReadyNotice, callbacks: LinkCallbacks): LauncherLink {
  const orders = new LineWriter(socket);
  const gone = () => {
    // Without the connection it gets no orders, and nothing of it may live on.
    signalProcess(pid, 'SIGKILL');
    callbacks.gone('the connection was closed', false);
  };
  if (socket.destroyed) setImmediate(gone);
  else socket.once('close', gone);
  return {
    pid,
    send: (order) => orders.write(order),
    close: () => orders.write({ kind: 'close' } satisfies Order),
    kill: () => signalProcess(pid, 'SIGKILL'),
  };
}
