import { onSqlite } from './engine-world.ts';
import { transferBehaviour } from './transfer-behaviour.ts';

transferBehaviour(onSqlite);
