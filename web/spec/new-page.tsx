import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { createRequest, createWorkflow } from '../api/submissions.ts';
import { queryClient } from '../app/queries.ts';
import { goTo, pageUrl } from '../app/router.ts';
import { useMay } from '../app/session.ts';
import { Button } from '../parts/button.tsx';
import { Crumbs } from '../parts/crumbs.tsx';
import { TextField } from '../parts/field.tsx';
import { Notice, Problem } from '../parts/notice.tsx';
import { useTitle } from '../parts/use-title.ts';
import { PlanPreview } from './plan-preview.tsx';
import { SimulateFailure } from './simulate-failure.tsx';
import { SpecEditor } from './spec-editor.tsx';
import { type EditedSpec, useSpecCheck } from './use-spec-check.ts';

/** A spec is checked as it is written, shown as a plan, and run. */
export function NewPage() {
  const maySubmit = useMay('operator');
  useTitle('New workflow');
  return (
    <div className="flex flex-col gap-5">
      <Crumbs trail={[]} here="New workflow" />
      {maySubmit ? <Form /> : <Notice kind="plain" title="Your token may look, but not run workflows." />}
    </div>
  );
}

function Form() {
  const [spec, setSpec] = useState<EditedSpec>({ text: '', fileName: 'spec.yaml' });
  const [cwd, setCwd] = useState('');
  const checked = useSpecCheck(spec);
  const check = checked.state === 'checked' && checked.check.valid ? checked.check : null;
  const submission = useMutation({
    mutationFn: async () => {
      const body = {
        spec: spec.text,
        file_name: spec.fileName,
        ...(cwd.trim() !== '' && { cwd: cwd.trim() }),
      };
      if (check?.kind !== 'request')
        return pageUrl('workflow', { workflow_id: (await createWorkflow(body)).id });
      const { request_name } = await createRequest(body);
      return pageUrl('request', { request_name });
    },
    onSuccess: async (url) => {
      await queryClient.invalidateQueries();
      goTo(url);
    },
  });
  return (
    <>
      <SpecEditor spec={spec} onChange={setSpec} checked={checked} />
      {check?.kind === 'workflow' && (
        <>
          <PlanPreview check={check} />
          <SimulateFailure spec={spec} check={check} />
        </>
      )}
      <div className="flex flex-wrap items-start justify-between gap-4 border-t border-line pt-4">
        <div className="w-full sm:w-96">
          <TextField
            label="Directory"
            hint="Where jobs run (default: where the worker was started)."
            maxLength={4096}
            value={cwd}
            onChange={(event) => setCwd(event.target.value)}
          />
        </div>
        <Button
          kind="main"
          className="sm:mt-6"
          disabled={check === null || submission.isPending}
          onClick={() => submission.mutate()}
        >
          {check?.kind === 'request' ? 'Submit the request' : 'Run'}
        </Button>
      </div>
      {submission.error !== null && <Problem error={submission.error} />}
    </>
  );
}
