// The project's own package, as this console uses it.

import { TerseOperator } from '@terse/client/operator';
import { connection } from '../shared/connection';

export type {
  Block, BlockCreate, Domain, Event, EventChange, KeyCreate, Link, LinkSelectors, ListEventsQuery, ListLinksQuery, OperatorKeyCreate, Owner, OwnerCreate, OwnerUsage, Plan, PlanCreate,
} from '@terse/client/operator';

/** Connects to the server that serves this page. `onUnauthorized` is called when it rejects the key. */
export const connect = (key: string, onUnauthorized: () => void): TerseOperator => new TerseOperator(connection(key, onUnauthorized));
