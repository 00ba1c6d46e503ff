import { onSqlite } from './engine-world.ts';
import { placementBehaviour, waitBehaviour } from './placement-behaviour.ts';

placementBehaviour(onSqlite, 300);
waitBehaviour(onSqlite);
