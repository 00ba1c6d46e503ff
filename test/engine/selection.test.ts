import { onSqlite } from './engine-world.ts';
import { selectionBehaviour } from './selection-behaviour.ts';

selectionBehaviour(onSqlite);
