import { dagWorkflowsBehaviour } from './dag-workflows-behaviour.ts';
import { onSqlite } from './engine-world.ts';

dagWorkflowsBehaviour(onSqlite);
