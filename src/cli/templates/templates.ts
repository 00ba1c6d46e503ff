import { AGENTS } from './agents.ts';
import { CAMPAIGN } from './campaign.ts';
import { CI } from './ci.ts';
import { PIPELINE } from './pipeline.ts';
import { REQUEST } from './request.ts';
import { SWEEP } from './sweep.ts';

export interface SpecTemplate {
  name: string;
  about: string;
  text: string;
}

/** What `init` can write; each runs as it is. The first is the default. */
export const TEMPLATES: readonly SpecTemplate[] = [
  { name: 'pipeline', about: 'files, dependencies and a retry that recovers', text: PIPELINE },
  { name: 'sweep', about: 'a job for each combination of parameters, then the best', text: SWEEP },
  { name: 'ci', about: 'steps that check and build, repaired when one fails', text: CI },
  { name: 'campaign', about: 'simulations with a rule for each kind of failure', text: CAMPAIGN },
  { name: 'request', about: 'a total that is delivered in rounds of units', text: REQUEST },
  { name: 'agents', about: 'failures without a rule wait for a person or an AI agent', text: AGENTS },
];
