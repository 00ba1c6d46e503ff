import { expect, test } from 'vitest';
import { stepExit } from '../../src/worker/launcher/start/step-exit.ts';

const FINE = { code: 0, signal: null, isOutOfMemory: false, problem: null };

// As srun of Slurm 22.05 said it.
test.each([
  ['success', 0, '', FINE],
  ['an exit', 3, 'srun: error: n1: task 0: Exited with exit code 3\n', { ...FINE, code: 3 }],
  [
    'a signal',
    139,
    'srun: error: n1: task 0: Segmentation fault\n',
    { ...FINE, code: null, signal: 'SIGSEGV' },
  ],
  [
    'a signal that ended the step',
    143,
    'srun: error: n1: task 0: Terminated\nsrun: Force Terminated StepId=1.2\n',
    { ...FINE, code: null, signal: 'SIGTERM' },
  ],
  [
    'an exit that looks like a signal',
    139,
    'srun: error: n1: task 0: Exited with exit code 139\n',
    { ...FINE, code: 139 },
  ],
  [
    'one of several tasks',
    4,
    'srun: error: n2: task 1: Exited with exit code 4\nsrun: error: n1: tasks 0,2: Exited with exit code 1\n',
    { ...FINE, code: 4 },
  ],
  [
    'memory',
    137,
    'srun: error: n1: task 0: Out Of Memory\n',
    { ...FINE, code: null, signal: 'SIGKILL', isOutOfMemory: true },
  ],
  [
    'a step that was never there',
    1,
    'srun: error: Unable to create step for job 1: Requested node configuration is not available\n',
    {
      ...FINE,
      code: 1,
      problem: 'srun: Unable to create step for job 1: Requested node configuration is not available',
    },
  ],
  ['silence', 9, '', { ...FINE, code: 9 }],
])('srun reports %s', (_, code, said, expected) => {
  expect(stepExit(code, null, said)).toEqual(expected);
});

test('srun that was killed is no exit of the step', () => {
  expect(stepExit(null, 'SIGKILL', '')).toEqual({ ...FINE, code: null, signal: 'SIGKILL' });
});
