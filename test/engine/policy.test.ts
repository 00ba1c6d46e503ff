import { onSqlite } from './engine-world.ts';
import { handlerBehaviour } from './handler-behaviour.ts';
import { postBehaviour } from './post-behaviour.ts';
import { resetBehaviour } from './reset-behaviour.ts';
import { retryBehaviour } from './retry-behaviour.ts';

handlerBehaviour(onSqlite);
postBehaviour(onSqlite);
resetBehaviour(onSqlite);
retryBehaviour(onSqlite);
