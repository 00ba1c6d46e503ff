import { allocationBehaviour } from './allocations-behaviour.ts';
import { onSqlite } from './engine-world.ts';

allocationBehaviour(onSqlite);
