import { onSqlite } from './engine-world.ts';
import { largeWorkflowBehaviour } from './large-workflow-behaviour.ts';

largeWorkflowBehaviour(onSqlite);
