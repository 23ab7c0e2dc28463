// Operator keys.

import { fromLocalInput } from '../shared/format';
import { Keys } from '../shared/keys';
import { Title } from '../shared/parts';
import { operatorTexts as texts } from '../shared/texts';
import type { OperatorKeyCreate } from './api';
import { useAudit } from './audit';
import { useSession } from './session';

/** Returns an operator key with the names that keys of owners have. */
const toKey = <K extends { name: string; role: string }>({ name, role, ...others }: K) => ({ ...others, label: name, scope: role });

export function OperatorKeys() {
  const { api, holder, may } = useSession();
  const { audit, fields } = useAudit();
  const list = (signal: AbortSignal) => ({
    async page(cursor?: string) {
      const { data, next } = await api.operatorKeys.list({}, { signal }).page(cursor);
      return { data: data.map(toKey), next };
    },
  });
  return (
    <>
      <Title text={texts.operatorKeys} />
      <Keys own={holder.id} scopes={texts.roles} start="moderator" words={{ keys: texts.operatorKeys, label: texts.name, scope: texts.role }} list={list}
        create={may('createOperatorKey') ? async ({ label, scope, expires_at }, options) =>
          toKey(await api.operatorKeys.create({ name: label, role: scope as OperatorKeyCreate['role'], expires_at: fromLocalInput(expires_at) }, options)) : undefined}
        revoke={may('revokeOperatorKey') ? (id) => api.operatorKeys.revoke(id, audit) : undefined} revokeFields={fields} />
    </>
  );
}
