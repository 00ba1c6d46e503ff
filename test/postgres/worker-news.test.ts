import { workerNewsBehaviour } from '../server/worker-news-behaviour.ts';
import { onPostgres } from './on-postgres.ts';

workerNewsBehaviour(onPostgres);
