import { dagRunsBehaviour } from '../engine/dag-runs-behaviour.ts';
import { onPostgres } from './on-postgres.ts';

dagRunsBehaviour(onPostgres);
