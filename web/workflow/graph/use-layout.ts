import { useEffect, useState } from 'react';
import type { Layout, LayoutInput } from './layered-layout.ts';
import workerUrl from './layout-worker.ts?worker&url';

/** Browsers that know trusted types start a worker only from an address that a policy has named. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: () => string },
  ): { createScriptURL(url: string): string };
}

let worker: Worker | null = null;
let last = 0;

/** One thread for all graphs. The policy has one address, whatever it is asked for. */
function startWorker(): Worker {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const url =
    trustedTypes?.createPolicy('holdfast-layout', { createScriptURL: () => workerUrl }).createScriptURL('') ??
    workerUrl;
  return new Worker(url, { type: 'module' });
}

/** Where boxes and lines are; null until the first answer. What was there stays until the next one. */
export function useLayout(input: LayoutInput): Layout | null {
  const [layout, setLayout] = useState<Layout | null>(null);
  const key = JSON.stringify(input);
  useEffect(() => {
    worker ??= startWorker();
    const thread = worker;
    last += 1;
    const id = last;
    const heard = ({ data }: MessageEvent<{ id: number; layout: Layout }>) => {
      if (data.id === id) setLayout(data.layout);
    };
    thread.addEventListener('message', heard);
    thread.postMessage({ id, input: JSON.parse(key) as LayoutInput });
    return () => thread.removeEventListener('message', heard);
  }, [key]);
  return layout;
}
