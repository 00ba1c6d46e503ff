import type { Engine } from '../../../contract/engine.ts';
import type { NewToken } from '../../../contract/records/token.ts';
import { ROLES } from '../../../contract/roles.ts';
import { HoldfastError } from '../../../core/errors.ts';
import { didYouMean } from '../../../spec/suggest.ts';
import type { Command, CommandContext, Invocation } from '../../command-context.ts';
import { durationOption } from '../../options/duration-option.ts';
import { refuseOptions } from '../../options/refuse-options.ts';
import { userName } from '../../options/user-name.ts';
import { createdTokenView, revokedTokenView } from '../../texts/access-text.ts';
import { tokensView } from '../../texts/lists/tokens.ts';

type Action = (
  engine: Engine,
  context: CommandContext,
  id: string | undefined,
  options: Invocation['options'],
) => Promise<void>;

/** A thousand years; what is much longer is no time that a database can store. */
const LONGEST_LIFE_MS = 1000 * 365 * 24 * 3600 * 1000;

const ACTIONS: Record<string, Action> = {
  create: async (engine, context, _, options) =>
    context.show(createdTokenView, await engine.createToken(newToken(options))),
  list: async (engine, context) => context.show(tokensView, await engine.listTokens()),
  revoke: async (engine, context, id) =>
    context.show(revokedTokenView, await engine.revokeToken(tokenId(id), { actor: userName() })),
};

/** Tokens of the server that is named, or of the state here, which may be what a server serves. */
export const tokenCommand: Command = async (context, { args, options, lists }) => {
  const [word = 'list', id] = args;
  const action = Object.hasOwn(ACTIONS, word) ? ACTIONS[word] : undefined;
  if (action === undefined) {
    const names = Object.keys(ACTIONS);
    throw invalid('token', `there is no action ${word}${didYouMean(word, names)} (${names.join(', ')})`);
  }
  if (word === 'create') newToken(options);
  else refuseOptions({ options, lists }, ['name', 'role', 'expires'], 'only with `token create`');
  if (word !== 'revoke' && id !== undefined) throw invalid(id, `\`token ${word}\` takes no number`);
  const engine = await context.openEngine({ create: word === 'create' });
  await action(engine, context, id, options);
  return 0;
};

function newToken({ name, role, expires }: Invocation['options']): NewToken {
  if (typeof name !== 'string' || !/^[\w.@-]{1,64}$/.test(name)) {
    throw invalid('--name', 'must be who the token is for: 1 to 64 letters, digits and . _ @ -');
  }
  const known = ROLES.find((each) => each === role);
  if (known === undefined) {
    const given = typeof role === 'string' ? `, not ${role}` : '';
    throw invalid('--role', `must be viewer, worker, operator or admin${given}`);
  }
  return { name, role: known, expires_at_ms: expiry(expires), actor: userName() };
}

function expiry(text: string | boolean | undefined): number | null {
  const ms = durationOption('--expires', text);
  if (ms === undefined) return null;
  if (ms > LONGEST_LIFE_MS)
    throw invalid('--expires', 'is too long; without it a token is valid until it is revoked');
  return Math.round(Date.now() + ms);
}

function tokenId(text: string | undefined): number {
  if (text !== undefined && /^\d{1,15}$/.test(text)) return Number(text);
  throw invalid('id', 'name the token by its number, as `holdfast token list` shows it');
}

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
