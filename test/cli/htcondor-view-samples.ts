import { join } from 'node:path';
import { dagExplanationView } from '../../src/cli/texts/dag-explanation-text.ts';
import { exportedDagView } from '../../src/cli/texts/spec/exported-dag-text.ts';
import { readEvidence } from '../../src/clusters/htcondor/read/read-evidence.ts';
import { explainDag } from '../../src/views/dag-explanation.ts';
import { sample } from './view-sample.ts';

const SAMPLE = join(import.meta.dirname, '../htcondor/samples/failures');

export const htcondorViewSamples = {
  dagExplanationView: sample(dagExplanationView, explainDag(readEvidence(SAMPLE))),
  exportedDagView: sample(exportedDagView, {
    directory: 'round-1',
    dag: 'round.dag',
    name: 'minbias-v1-round-1',
    units: 2,
    jobs: 8,
    files: 45,
  }),
};
