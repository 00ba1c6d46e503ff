import { onSqlite } from '../engine/engine-world.ts';
import { workerNewsBehaviour } from './worker-news-behaviour.ts';

workerNewsBehaviour(onSqlite);
