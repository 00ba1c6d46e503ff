import { onSqlite } from './engine-world.ts';
import { notificationBehaviour } from './notifications-behaviour.ts';

notificationBehaviour(onSqlite);
