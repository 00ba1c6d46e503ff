import { onSqlite } from './engine-world.ts';
import { requestOperationsBehaviour } from './request-operations-behaviour.ts';
import { requestPlanningBehaviour } from './request-planning-behaviour.ts';
import { requestRoundsBehaviour } from './request-rounds-behaviour.ts';
import { requestSitesBehaviour } from './request-sites-behaviour.ts';
import { requestsBehaviour } from './requests-behaviour.ts';

requestsBehaviour(onSqlite);
requestOperationsBehaviour(onSqlite);
requestSitesBehaviour(onSqlite);
requestRoundsBehaviour(onSqlite);
requestPlanningBehaviour(onSqlite);
