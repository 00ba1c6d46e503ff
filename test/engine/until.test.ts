import { onSqlite } from './engine-world.ts';
import { untilBehaviour } from './until-behaviour.ts';

untilBehaviour(onSqlite);
