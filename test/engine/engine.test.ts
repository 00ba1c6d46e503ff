import { engineBehaviour } from './engine-behaviour.ts';
import { onSqlite } from './engine-world.ts';

engineBehaviour(onSqlite);
