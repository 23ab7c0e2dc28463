// Generated from openapi/operator.json by scripts/clients --generate.
import { Client, type CallOptions, segment } from './client.js';
import type { operations, OperatorAccount, OwnersReport, UsageOfMonth } from './types/operator.js';

export type { FieldError, OperatorAccount, OwnersReport, OwnersReportRow, Problem, UsageOfMonth, UsageRow } from './types/operator.js';

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

  /**
   * Read the usage of a month.
   *
   * Returns what each owner used in a month (UTC): requests, created links, links and clicks. Owners without usage have a row, too. Once the month is closed (`is_final` 1), its usage never changes.
   */
  getUsage(query: Query<'getUsage'> = {}, options: CallOptions = {}): Promise<UsageOfMonth> {
    return this.call({ method: 'GET', path: '/api/operator/v1/usage', query }, options);
  }

  /**
   * Read the clicks of a month.
   *
   * Returns the clicks of all owners' links in a month (UTC), or those of one owner, summed up by owner, campaign, link or several of them. Groups without clicks are missing. Deleted links are one row per owner, without a code.
   */
  getOwnersReport(query: Query<'getOwnersReport'> = {}, options: CallOptions = {}): Promise<OwnersReport> {
    return this.call({ method: 'GET', path: '/api/operator/v1/reports/clicks', query }, options);
  }
}
