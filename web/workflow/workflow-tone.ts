import type { WorkflowState } from '../../src/views/workflow-state.ts';
import type { Tone } from '../parts/status-icon.tsx';

const TONES: Record<WorkflowState, Tone> = {
  completed: 'good',
  failed: 'bad',
  canceled: 'off',
  partial: 'waits',
  'waiting for a decision': 'asks',
  paused: 'blocked',
  stopping: 'blocked',
  stopped: 'blocked',
  running: 'runs',
  incomplete: 'waits',
};

export function workflowTone(state: WorkflowState): Tone {
  return TONES[state];
}
