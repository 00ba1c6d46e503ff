import { onSqlite } from './engine-world.ts';
import { errandBehaviour } from './errands-behaviour.ts';
import { serverErrandBehaviour } from './server-errands-behaviour.ts';

errandBehaviour(onSqlite);
serverErrandBehaviour(onSqlite);
