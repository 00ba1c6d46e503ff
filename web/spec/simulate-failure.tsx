import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import type { Simulation, SpecCheck } from '../../src/contract/records/overview.ts';
import { formatDuration } from '../../src/core/text/quantity.ts';
import { simulatedEnd, simulatedNext, simulatedVerdict } from '../../src/views/spec/simulated-steps.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { simulateSpec } from '../api/submissions.ts';
import { Button } from '../parts/button.tsx';
import { SelectField, TextField } from '../parts/field.tsx';
import { capitalised, Problem } from '../parts/notice.tsx';
import { Card, Section } from '../parts/section.tsx';
import { StatusMark, statusWords, toneOf } from '../parts/status-icon.tsx';
import { counted } from '../parts/words.ts';
import type { EditedSpec } from './use-spec-check.ts';

const MOST_TIMES = 20;

/** What the policy of a job would do about a failure; the server plays it, and runs nothing. */
export function SimulateFailure({ spec, check }: { spec: EditedSpec; check: SpecCheck }) {
  const [chosen, setChosen] = useState('');
  const [ending, setEnding] = useState('1');
  const [stderr, setStderr] = useState('');
  const [times, setTimes] = useState('1');
  const job = check.groups.find(({ sample }) => sample === chosen)?.sample ?? check.groups[0]?.sample ?? '';
  const simulation = useMutation({
    mutationFn: () => {
      const outcome = stderr === '' ? ending : `${ending}:${stderr}`;
      return simulateSpec({
        spec: spec.text,
        file_name: spec.fileName,
        job,
        outcomes: Array.from({ length: Number(times) }, () => outcome),
      });
    },
  });
  // What is shown belongs to the spec as it was.
  const { reset } = simulation;
  // biome-ignore lint/correctness/useExhaustiveDependencies: every change of the spec
  useEffect(() => reset(), [spec, reset]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    simulation.mutate();
  };
  return (
    <Section title="Simulate a failure">
      <Card className="p-4">
        <form
          onSubmit={submit}
          className="grid items-start gap-4 sm:grid-cols-2 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)_minmax(0,3fr)_6rem_auto]"
        >
          <SelectField
            label="Job"
            value={job}
            onChange={(event) => setChosen(event.target.value)}
            options={check.groups.map(({ label, sample, jobs }) => ({
              value: sample,
              text: visibleText(jobs === 1 ? sample : `${label} (${counted(jobs, 'job')})`),
            }))}
          />
          <TextField
            label="Ends with"
            hint="An exit code, a signal, oom, timeout, lost …"
            required
            maxLength={100}
            value={ending}
            onChange={(event) => setEnding(event.target.value)}
          />
          <TextField
            label="Line on stderr"
            hint="Rules may look for it."
            maxLength={1000}
            value={stderr}
            onChange={(event) => setStderr(event.target.value)}
          />
          <TextField
            label="Times"
            hint="In a row."
            type="number"
            min={1}
            max={MOST_TIMES}
            required
            value={times}
            onChange={(event) => setTimes(event.target.value)}
          />
          <Button type="submit" className="justify-self-start lg:mt-6" disabled={simulation.isPending}>
            Simulate
          </Button>
        </form>
        {simulation.error !== null && (
          <div className="mt-4">
            <Problem error={simulation.error} />
          </div>
        )}
        {simulation.data && <Course simulation={simulation.data} />}
      </Card>
    </Section>
  );
}

function Course({ simulation }: { simulation: Simulation }) {
  const { job, policy, steps } = simulation;
  return (
    <div className="mt-4 border-t border-line pt-4 text-sm">
      <p className="wrap-anywhere">
        Policy of <span className="font-medium">{visibleText(job)}</span>
      </p>
      <ul className="mt-1 text-quiet">
        {policy.map((line) => (
          <li key={line} className="wrap-anywhere">
            {visibleText(line)}
          </li>
        ))}
      </ul>
      <ol aria-label="Executions" className="mt-3 divide-y divide-line border-y border-line">
        {steps.map((step) => (
          <li key={step.attempt_id} className="grid gap-x-4 py-2 sm:grid-cols-[9rem_9rem_minmax(0,1fr)]">
            <span>
              Execution {step.attempt_id}
              <span className="block text-quiet tabular-nums">at {formatDuration(step.starts_at_ms)}</span>
            </span>
            <span>
              <StatusMark tone={toneOf(step.status)}>
                {step.status === 'pending_failed' ? statusWords(step.status) : simulatedVerdict(step)}
              </StatusMark>
              {step.category !== null && <span className="block text-quiet">{step.category}</span>}
            </span>
            <span className="min-w-0 wrap-anywhere">
              {visibleText(step.outcome)}: {visibleText(step.reason)}
              <span className="block text-quiet">
                rule <span className="font-mono text-xs">{step.rule}</span>;{' '}
                {visibleText(simulatedNext(step))}
              </span>
            </span>
          </li>
        ))}
      </ol>
      <p role="status" className="mt-3 font-medium wrap-anywhere">
        {capitalised(visibleText(simulatedEnd(simulation)))}.
      </p>
    </div>
  );
}
