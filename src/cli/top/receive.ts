import type { ScreenSize } from '../progress/progress-frame.ts';
import { listRows } from './list-rows.ts';
import { inSight } from './move.ts';
import type { TopPlan } from './plans.ts';
import {
  type Detail,
  frontDetail,
  frontList,
  type ListData,
  type ListScreen,
  type TopState,
} from './top-state.ts';

/** What a look was for; an answer that comes after something else came to the front is dropped. */
export interface LookedFor {
  view: TopState['view'];
  workflow: number | null;
  list: Pick<ListScreen, 'name' | 'statuses' | 'pages'>;
  detail: Detail | null;
}

export function lookedFor(state: TopState): LookedFor {
  return {
    view: state.view,
    workflow: state.workflow?.id ?? null,
    list: frontList(state),
    detail: frontDetail(state),
  };
}

/** The same row stays selected where it is still there. */
export function receiveList(
  state: TopState,
  from: LookedFor,
  data: ListData,
  size: ScreenSize,
  now: number,
): TopState {
  if (!isStillAsked(state, from)) return state;
  const screen = frontList(state);
  const before = screen.data === null ? undefined : listRows(screen.data, now).keys[screen.selected];
  const { keys } = listRows(data, now);
  const found = before === undefined ? -1 : keys.indexOf(before);
  const shown = inSight(
    { ...screen, data, selected: found < 0 ? screen.selected : found },
    keys.length,
    size,
  );
  return { ...read(state, now), lists: { ...state.lists, [state.view]: shown } };
}

export function receiveLines(state: TopState, from: LookedFor, lines: string[], now: number): TopState {
  const front = frontDetail(state);
  if (front === null || !isStillAsked(state, from)) return state;
  return { ...read(state, now), details: [...state.details.slice(0, -1), { ...front, lines }] };
}

export function receiveProblem(state: TopState, from: LookedFor, problem: string): TopState {
  return isStillAsked(state, from) ? { ...state, problem } : state;
}

/** A text: there is nothing to do. */
export function receivePlan(state: TopState, plan: TopPlan | string): TopState {
  if (state.dialog?.kind !== 'planning') return state;
  if (typeof plan === 'string') return { ...state, dialog: null, notice: { text: plan, isError: false } };
  return { ...state, dialog: { kind: 'question', plan } };
}

export function receiveEnd(state: TopState, text: string, isError: boolean): TopState {
  return { ...state, dialog: null, notice: { text, isError } };
}

function read(state: TopState, now: number): TopState {
  return { ...state, readAt: now, problem: null };
}

function isStillAsked(state: TopState, from: LookedFor): boolean {
  const now = lookedFor(state);
  const sameList =
    now.view === from.view &&
    now.workflow === from.workflow &&
    now.list.name === from.list.name &&
    now.list.statuses === from.list.statuses &&
    now.list.pages === from.list.pages;
  if (now.detail === null || from.detail === null) return sameList && now.detail === from.detail;
  return (
    now.detail.kind === from.detail.kind &&
    now.detail.target === from.detail.target &&
    streamOf(now.detail) === streamOf(from.detail)
  );
}

function streamOf(detail: Detail): string | null {
  return detail.kind === 'log' ? detail.stream : null;
}
