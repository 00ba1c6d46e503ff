import { onSqlite } from './engine-world.ts';
import { joinBehaviour } from './join-behaviour.ts';

joinBehaviour(onSqlite);
