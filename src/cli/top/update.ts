import type { JobStatus } from '../../core/job/job-status.ts';
import { parseDuration, parseSize } from '../../core/text/quantity.ts';
import type { ScreenSize } from '../progress/progress-frame.ts';
import { listRows } from './list-rows.ts';
import { moveInDetail, moveInList, moveOf } from './move.ts';
import type { Action, JobAction, JobTarget, RequestTarget, Target } from './plans.ts';
import { nextFilter } from './status-filters.ts';
import {
  type Detail,
  type Dialog,
  type Effect,
  freshLists,
  frontDetail,
  frontList,
  type ListScreen,
  type TopState,
  VIEWS,
  type ViewName,
} from './top-state.ts';

export interface Update {
  state: TopState;
  effects: Effect[];
}

const LOAD: Effect[] = [{ kind: 'load' }];
const LONGEST_INPUT = 200;

/** What a key does. Nothing is changed without a question that was answered with `y`. */
export function update(before: TopState, key: string, size: ScreenSize): Update {
  if (key === 'ctrl-c') return { state: before, effects: [{ kind: 'quit' }] };
  if (key === 'ctrl-z') return { state: before, effects: [{ kind: 'suspend' }] };
  if (key === 'ctrl-l') return { state: before, effects: [{ kind: 'redraw' }, ...LOAD] };
  if (before.dialog !== null) return inDialog(before, before.dialog, key);
  const state = { ...before, notice: null };
  const detail = frontDetail(state);
  const move = moveOf(key);
  if (move !== undefined) {
    if (detail !== null) return only(withDetail(state, moveInDetail(detail, move, size)));
    const { screen, turned } = moveInList(frontList(state), move, size);
    return { state: withList(state, screen), effects: turned ? LOAD : [] };
  }
  switch (key) {
    case '?':
      return only({ ...state, dialog: { kind: 'help' } });
    case 'q':
      return detail === null ? { state, effects: [{ kind: 'quit' }] } : back(state);
    case 'escape':
    case 'left':
    case 'backspace':
      return back(state);
    case 'return':
    case 'right':
      return open(state);
    case 'l':
      return openLog(state);
    case 'tab':
      return detail?.kind === 'log' ? otherStream(state, detail) : toView(state, nextView(state.view));
    case '/':
      return filter(state);
    case 's':
      return filterStatus(state);
    case 'r':
      return plan(state, 'retry');
    case 'f':
      return plan(state, 'fail');
    case 'c':
      return plan(state, 'cancel');
    case 'R':
      return recover(state);
    case 'm':
      return askAmount(state, 'memory');
    case 't':
      return askAmount(state, 'runtime');
    default: {
      const view = VIEWS[Number(key) - 1];
      return view === undefined ? only(state) : toView(state, view);
    }
  }
}

function inDialog(state: TopState, dialog: Dialog, key: string): Update {
  const closed = { ...state, dialog: null };
  if (dialog.kind === 'help') return only(closed);
  if (dialog.kind === 'planning' || dialog.kind === 'working') return only(state);
  if (dialog.kind === 'question') {
    if (key === 'y' || key === 'Y') {
      return {
        state: { ...state, dialog: { kind: 'working' } },
        effects: [{ kind: 'act', plan: dialog.plan }],
      };
    }
    if (!['n', 'N', 'q', 'escape'].includes(key)) return only(state);
    return only(noted(closed, 'nothing was changed'));
  }
  if (key === 'escape') return only(closed);
  if (key === 'return') return entered(closed, dialog);
  const text =
    key === 'backspace' ? dialog.text.slice(0, -1) : isCharacter(key) ? dialog.text + key : dialog.text;
  return only({ ...state, dialog: { ...dialog, text: text.slice(0, LONGEST_INPUT) } });
}

function isCharacter(key: string): boolean {
  return [...key].length === 1;
}

function entered(state: TopState, dialog: Extract<Dialog, { text: string }>): Update {
  const text = dialog.text.trim();
  if (dialog.kind === 'filter') {
    return { state: withList(state, turnedTo(frontList(state), { name: text })), effects: LOAD };
  }
  const { of, target } = dialog;
  if (text === '') return only(state);
  if (of === 'memory' ? !parseSize(text) : !parseDuration(text, 1000)) {
    const example = of === 'memory' ? 'a size such as 4g' : 'a duration such as 2h';
    return only(noted(state, `${of} must be ${example}`, true));
  }
  return planned(state, { verb: 'retry', target, [of]: text });
}

function planned(state: TopState, action: Action): Update {
  return { state: { ...state, dialog: { kind: 'planning' } }, effects: [{ kind: 'plan', action }] };
}

function plan(state: TopState, verb: JobAction['verb']): Update {
  const target = targetOf(state);
  if (target?.kind === 'request') {
    if (verb === 'retry') return planned(state, { verb: 'release', target });
    return only(noted(state, 'a request is released with r and stopped with s', true));
  }
  return target === null ? only(noted(state, 'nothing is selected', true)) : planned(state, { verb, target });
}

/** Recovery is for a whole workflow, whichever of its jobs is selected. */
function recover(state: TopState): Update {
  const target = targetOf(state);
  if (target?.kind === 'request') return only(noted(state, 'no workflow is selected', true));
  const id = target === null ? state.workflow?.id : target.kind === 'workflow' ? target.id : target.workflow;
  if (id === undefined) return only(noted(state, 'no workflow is selected', true));
  return planned(state, { verb: 'recover', target: { kind: 'workflow', id, name: '' } });
}

function askAmount(state: TopState, of: 'memory' | 'runtime'): Update {
  const target = targetOf(state);
  if (target === null || target.kind === 'workflow' || target.kind === 'request')
    return only(noted(state, `select a job or a group of failures to retry with more ${of}`, true));
  return only({ ...state, dialog: { kind: 'amount', of, text: '', target } });
}

/** What an action is for: what is in front, or else the selected row. */
export function targetOf(state: TopState): Target | RequestTarget | null {
  const detail = frontDetail(state);
  if (detail !== null) return detail.target;
  const { data, selected } = frontList(state);
  return data === null ? null : (listRows(data, 0).targets[selected] ?? null);
}

function toView(state: TopState, view: ViewName): Update {
  const target = targetOf(state);
  // A list of jobs needs a workflow: the selected one.
  const chosen = target?.kind === 'workflow' ? chooseWorkflow(state, target) : state;
  const needsWorkflow = !['workflows', 'workers', 'requests'].includes(view);
  if (needsWorkflow && chosen.workflow === null) return only(noted(state, 'there is no workflow yet', true));
  return { state: { ...chosen, view, details: [], readAt: null, problem: null }, effects: LOAD };
}

function nextView(view: ViewName): ViewName {
  return VIEWS[(VIEWS.indexOf(view) + 1) % VIEWS.length]!;
}

function chooseWorkflow(state: TopState, { id, name }: { id: number; name: string }): TopState {
  if (state.workflow?.id === id) return state;
  const { workflows, workers, requests } = state.lists;
  return { ...state, workflow: { id, name }, lists: { ...freshLists(), workflows, workers, requests } };
}

function open(state: TopState): Update {
  const target = targetOf(state);
  const front = frontDetail(state);
  if (target === null) return only(state);
  if (target.kind === 'workflow') return toView(state, 'jobs');
  if (target.kind === 'request') {
    if (front !== null) return only(state);
    return push(state, { kind: 'request', target, offset: 0, lines: null });
  }
  if (target.kind === 'group') {
    if (front?.kind === 'group') return openLog(state);
    return push(state, { kind: 'group', target, offset: 0, lines: null });
  }
  if (front?.kind === 'explanation') return openLog(state);
  if (front?.kind === 'log') return only(state);
  return push(state, { kind: 'explanation', target, offset: 0, lines: null });
}

/** Of a group, the log of the job that stands for it. */
function openLog(state: TopState): Update {
  const target = targetOf(state);
  if (frontDetail(state)?.kind === 'log') return only(state);
  if (target === null || target.kind === 'workflow' || target.kind === 'request')
    return only(noted(state, 'select a job to see its log', true));
  const job: JobTarget =
    target.kind === 'job'
      ? target
      : {
          kind: 'job',
          workflow: target.workflow,
          job: target.group.sample.job_id,
          name: target.group.sample.name,
        };
  const stream = hasFailed(state, job) ? 'stderr' : 'stdout';
  return push(state, { kind: 'log', target: job, stream, offset: null, lines: null });
}

const FAILED: readonly JobStatus[] = ['failed', 'terminated', 'pending_failed'];

/** A failure is explained in stderr. */
function hasFailed(state: TopState, { job }: JobTarget): boolean {
  if (state.view === 'failures') return true;
  const { data } = frontList(state);
  const row = data?.view === 'jobs' ? data.items.find(({ id }) => id === job) : undefined;
  return row !== undefined && FAILED.includes(row.status);
}

function otherStream(state: TopState, detail: Extract<Detail, { kind: 'log' }>): Update {
  const stream = detail.stream === 'stdout' ? 'stderr' : 'stdout';
  return { state: withDetail(state, { ...detail, stream, offset: null, lines: null }), effects: LOAD };
}

function push(state: TopState, detail: Detail): Update {
  return {
    state: { ...state, details: [...state.details, detail], readAt: null, problem: null },
    effects: LOAD,
  };
}

/** From a text to the list, from a list that is filtered to the whole, from that to the workflows. */
function back(state: TopState): Update {
  if (state.details.length > 0)
    return { state: { ...state, details: state.details.slice(0, -1) }, effects: LOAD };
  const screen = frontList(state);
  if (screen.name !== '' || screen.statuses !== null) {
    return { state: withList(state, turnedTo(screen, { name: '', statuses: null })), effects: LOAD };
  }
  return state.view === 'workflows' ? only(state) : toView(state, 'workflows');
}

function filter(state: TopState): Update {
  if (frontDetail(state) !== null || (state.view !== 'jobs' && state.view !== 'workflows'))
    return only(noted(state, 'only workflows and jobs can be searched by name', true));
  return only({ ...state, dialog: { kind: 'filter', text: frontList(state).name } });
}

function filterStatus(state: TopState): Update {
  const target = targetOf(state);
  if (target?.kind === 'request') return planned(state, { verb: 'stop', target });
  if (frontDetail(state) !== null || state.view !== 'jobs')
    return only(noted(state, 'only jobs can be filtered by status', true));
  const screen = frontList(state);
  const statuses = nextFilter(screen.statuses);
  return { state: withList(state, turnedTo(screen, { statuses })), effects: LOAD };
}

/** From its first page, with other filters. */
function turnedTo(screen: ListScreen, filters: Partial<Pick<ListScreen, 'name' | 'statuses'>>): ListScreen {
  return { ...screen, ...filters, selected: 0, offset: 0, pages: [null], data: null };
}

function only(state: TopState): Update {
  return { state, effects: [] };
}

function noted(state: TopState, text: string, isError = false): TopState {
  return { ...state, notice: { text, isError } };
}

function withList(state: TopState, screen: ListScreen): TopState {
  return { ...state, lists: { ...state.lists, [state.view]: screen } };
}

function withDetail(state: TopState, detail: Detail): TopState {
  return { ...state, details: [...state.details.slice(0, -1), detail] };
}
