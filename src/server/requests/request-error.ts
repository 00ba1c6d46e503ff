import { HoldfastError } from '../../core/errors.ts';

export interface FieldProblem {
  /** Such as `body.decisions[0].action` or `query.limit`. */
  path: string;
  message: string;
}

/** A request that says something impossible: every part of it that is wrong, at once. */
export class RequestError extends HoldfastError {
  readonly fields: FieldProblem[];

  constructor(fields: FieldProblem[], code: 'INVALID_REQUEST' | 'INVALID_SPEC' = 'INVALID_REQUEST') {
    super(code, { problems: fields.map(({ path, message }) => `${path}: ${message}`).join('; ') });
    this.fields = fields;
  }
}
