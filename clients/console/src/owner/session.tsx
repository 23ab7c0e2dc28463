// Who is signed in, and what the key allows.

import type { Terse } from '@terse/client';
import { useSessionOf } from '../shared/console';
import type { Owner } from './api';

/** What each scope includes. */
const included = {
  read: ['read'],
  create: ['create'],
  edit: ['read', 'create', 'edit'],
  full: ['read', 'create', 'edit', 'full'],
} as const;
export type Scope = keyof typeof included;

/** Returns whether the key of an owner has a scope. */
export const allows = (owner: Owner, scope: Scope): boolean => (included[owner.key.scope] as readonly Scope[] | undefined)?.includes(scope) ?? false;

/** Returns the session, and whether its key has a scope. */
export function useSession() {
  const { api, holder: owner } = useSessionOf<Terse, Owner>();
  return { api, owner, may: (scope: Scope) => allows(owner, scope) };
}
