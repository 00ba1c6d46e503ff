import type { ReactNode } from 'react';
import type { JobStatus } from '../../src/core/job/job-status.ts';
import { shownStatus } from '../../src/core/job/shown-status.ts';

/** How something stands, as people see it; each has a shape of its own besides its colour. */
export type Tone = 'good' | 'bad' | 'asks' | 'runs' | 'waits' | 'blocked' | 'off';

export const TONES: Record<Tone, { text: string; ground: string; shape: ReactNode }> = {
  good: {
    text: 'text-good',
    ground: 'bg-good',
    shape: <path d="M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1m-1 10.2L3.8 8l1.2-1.2 2 2 4-4 1.2 1.2z" />,
  },
  bad: {
    text: 'text-bad',
    ground: 'bg-bad',
    shape: (
      <path d="M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1zM5.3 4.1 4.1 5.3 6.8 8l-2.7 2.7 1.2 1.2L8 9.2l2.7 2.7 1.2-1.2L9.2 8l2.7-2.7-1.2-1.2L8 6.8z" />
    ),
  },
  asks: {
    text: 'text-asks',
    ground: 'bg-asks-fill',
    shape: <path d="M8 .5 15.5 8 8 15.5.5 8zM7.1 4v5h1.8V4zm0 6.2V12h1.8v-1.8z" />,
  },
  runs: {
    text: 'text-runs',
    ground: 'bg-runs',
    shape: <path d="M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1M6.2 4.6 11.8 8l-5.6 3.4z" />,
  },
  waits: {
    text: 'text-waits',
    ground: 'bg-waits',
    shape: <path d="M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1m0 1.8a5.2 5.2 0 1 1 0 10.4A5.2 5.2 0 0 1 8 2.8" />,
  },
  blocked: {
    text: 'text-waits',
    ground: 'bg-waits',
    shape: <path d="M2.5 2.5h4v11h-4zm7 0h4v11h-4z" />,
  },
  off: {
    text: 'text-off',
    ground: 'bg-off',
    shape: <path d="M8 1a7 7 0 1 0 0 14A7 7 0 0 0 8 1M4 7.1h8v1.8H4z" />,
  },
};

const OF_JOB: Record<JobStatus, Tone> = {
  completed: 'good',
  failed: 'bad',
  terminated: 'bad',
  canceled: 'off',
  pending_failed: 'asks',
  running: 'runs',
  pending: 'runs',
  ready: 'waits',
  blocked: 'blocked',
  disabled: 'off',
  uninitialized: 'blocked',
};

export function toneOf(status: JobStatus): Tone {
  return OF_JOB[status];
}

/** As in a terminal, and `pending_failed` as people say it. */
export function statusWords(status: JobStatus): string {
  return status === 'pending_failed' ? 'waiting for a decision' : shownStatus(status);
}

export function ToneIcon({ tone }: { tone: Tone }) {
  return (
    <svg
      viewBox="0 0 16 16"
      fill="currentColor"
      fillRule="evenodd"
      aria-hidden="true"
      className={`size-4 shrink-0 ${TONES[tone].text}`}
    >
      {TONES[tone].shape}
    </svg>
  );
}

/** A shape, a colour and a word. */
export function StatusMark({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className={`inline-flex items-center gap-1.5 align-bottom whitespace-nowrap ${TONES[tone].text}`}>
      <ToneIcon tone={tone} />
      {children}
    </span>
  );
}
