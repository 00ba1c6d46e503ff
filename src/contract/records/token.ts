import type { z } from 'zod';
import type { By } from '../by.ts';
import type { createdToken, newToken, tokenRecord } from '../schemas/token.ts';

export type NewToken = By<z.infer<typeof newToken>>;
export type TokenRecord = z.infer<typeof tokenRecord>;
export type CreatedToken = z.infer<typeof createdToken>;
