// Generated from openapi/operator.json by scripts/clients --generate.
import { Client, type CallOptions, segment } from './client.js';
import type { operations, OperatorAccount } from './types/operator.js';

export type { FieldError, OperatorAccount, Problem } from './types/operator.js';

/** The version of the document from which this file was generated. */
export const documentVersion = '0.1.0';

type Query<Operation extends keyof operations> = NonNullable<operations[Operation]['parameters']['query']>;

/** The operations of Terse: the operator's programs. */
export class Operator extends Client {
  /**
   * Read the operator key.
   *
   * Returns the name and the role of the operator key that sends the request.
   */
  getOperator(options: CallOptions = {}): Promise<OperatorAccount> {
    return this.call({ method: 'GET', path: '/api/operator/v1/operator' }, options);
  }
}
