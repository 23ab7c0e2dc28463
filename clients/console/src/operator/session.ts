// Who is signed in, and what the role allows.

import type { OperatorKey, TerseOperator } from '@terse/client/operator';
import { useSessionOf } from '../shared/console';

/** The roles that may call an operation, by its name in the document of the interface. */
declare const ROLES: Readonly<Record<string, readonly string[]>>;

/** Returns whether the role of an operator key allows an operation. */
export const allows = (holder: OperatorKey, operation: string): boolean => ROLES[operation]?.includes(holder.role) ?? false;

/** Returns the session, and whether its role allows an operation. */
export function useSession() {
  const { api, holder } = useSessionOf<TerseOperator, OperatorKey>();
  return { api, holder, may: (operation: string) => allows(holder, operation) };
}
