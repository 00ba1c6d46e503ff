import { requestOperationsBehaviour } from '../engine/request-operations-behaviour.ts';
import { requestPlanningBehaviour } from '../engine/request-planning-behaviour.ts';
import { requestRoundsBehaviour } from '../engine/request-rounds-behaviour.ts';
import { requestSitesBehaviour } from '../engine/request-sites-behaviour.ts';
import { requestsBehaviour } from '../engine/requests-behaviour.ts';
import { onPostgres } from './on-postgres.ts';

requestsBehaviour(onPostgres);
requestOperationsBehaviour(onPostgres);
requestSitesBehaviour(onPostgres);
requestRoundsBehaviour(onPostgres);
// The logic is the same as on SQLite, where every point is tried: what can differ is the SQL.
requestPlanningBehaviour(onPostgres, 5);
