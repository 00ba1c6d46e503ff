import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { UpdateResult } from '../../src/contract/records/update.ts';
import { updateCountsText } from '../../src/views/rerun/update-text.ts';
import { updateWorkflow } from '../api/submissions.ts';
import { queryClient } from '../app/queries.ts';
import { setQuery } from '../app/router.ts';
import { Button } from '../parts/button.tsx';
import { capitalised, Notice, Problem } from '../parts/notice.tsx';
import { Section } from '../parts/section.tsx';
import { SpecEditor } from './spec-editor.tsx';
import { UpdatePlan } from './update-plan.tsx';
import { type EditedSpec, useSpecCheck } from './use-spec-check.ts';

const SHOWN_JOBS = 200;

const MODES: Record<UpdateResult['mode'], string> = {
  nothing: 'The workflow is what the spec says. Nothing is left to do.',
  same_run: 'The current run continues.',
  new_run: 'A new run begins for the jobs that start over.',
};

/** An edited spec for this workflow: what would run again and why, before it is applied. */
export function UpdateView({ workflow }: { workflow: number }) {
  const [spec, setSpec] = useState<EditedSpec>({ text: '', fileName: 'spec.yaml' });
  const checked = useSpecCheck(spec);
  const isValid = checked.state === 'checked' && checked.check.valid;
  const send = (isDryRun: boolean) =>
    updateWorkflow(workflow, {
      spec: spec.text,
      file_name: spec.fileName,
      dry_run: isDryRun,
      limit: SHOWN_JOBS,
    });
  const { mutate: makePlan, reset: dropPlan, ...plan } = useMutation({ mutationFn: () => send(true) });
  const update = useMutation({
    mutationFn: () => send(false),
    onSuccess: async () => {
      await queryClient.invalidateQueries();
      setQuery({ tab: '' });
    },
  });
  useEffect(() => {
    if (isValid) makePlan();
    else dropPlan();
  }, [isValid, makePlan, dropPlan]);
  return (
    <div className="flex flex-col gap-5">
      <p className="text-sm text-quiet">
        Paste the whole spec as edited. Jobs that changed, that did not complete, and all that depends on them
        run again; the rest keeps its result, as with <code>holdfast run SPEC --continue {workflow}</code>.
        Files are not compared.
      </p>
      <SpecEditor
        spec={spec}
        onChange={(next) => {
          dropPlan();
          setSpec(next);
        }}
        checked={checked}
      />
      {plan.error !== null && <Problem error={plan.error} />}
      {isValid && plan.data && (
        <Section title="Plan">
          <div className="flex flex-col gap-4">
            <Notice kind="plain" title={`${capitalised(updateCountsText(plan.data))}.`}>
              {MODES[plan.data.mode]}
              {plan.data.is_active && ' A process runs it: jobs that have started keep their old definition.'}
            </Notice>
            <UpdatePlan workflow={workflow} plan={plan.data} />
            {plan.data.mode !== 'nothing' && (
              <div className="flex justify-end">
                <Button kind="main" disabled={update.isPending} onClick={() => update.mutate()}>
                  Apply
                </Button>
              </div>
            )}
            {update.error !== null && <Problem error={update.error} />}
          </div>
        </Section>
      )}
    </div>
  );
}
