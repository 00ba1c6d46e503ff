import { attemptBehaviour } from './attempt-behaviour.ts';
import { cancelBehaviour } from './cancel-behaviour.ts';
import { claimBehaviour } from './claim-behaviour.ts';
import { onSqlite } from './engine-world.ts';
import { explainBehaviour } from './explain-behaviour.ts';
import { lossBehaviour } from './loss-behaviour.ts';

attemptBehaviour(onSqlite);
cancelBehaviour(onSqlite);
claimBehaviour(onSqlite);
explainBehaviour(onSqlite);
lossBehaviour(onSqlite);
