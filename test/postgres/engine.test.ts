import { decisionBehaviour } from '../engine/decisions-behaviour.ts';
import { engineBehaviour } from '../engine/engine-behaviour.ts';
import { policyBehaviour } from '../engine/policy-behaviour.ts';
import { onPostgres } from './on-postgres.ts';

engineBehaviour(onPostgres);
policyBehaviour(onPostgres);
decisionBehaviour(onPostgres);
