import { decisionBehaviour } from './decisions-behaviour.ts';
import { onSqlite } from './engine-world.ts';

decisionBehaviour(onSqlite);
