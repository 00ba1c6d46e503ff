import { onSqlite } from './engine-world.ts';
import { graphBehaviour } from './graph-behaviour.ts';

graphBehaviour(onSqlite);
