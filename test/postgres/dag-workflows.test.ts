import { dagWorkflowsBehaviour } from '../engine/dag-workflows-behaviour.ts';
import { onPostgres } from './on-postgres.ts';

dagWorkflowsBehaviour(onPostgres);
