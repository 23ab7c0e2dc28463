// Why something is changed, for the history.

import type { ComponentChildren } from 'preact';
import { useIdempotency } from '../shared/action';
import { useForm } from '../shared/forms';
import { Confirm } from '../shared/parts';
import { operatorTexts as texts } from '../shared/texts';

const reasons = ['phishing', 'malware', 'spam', 'legal', 'owner-request', 'other'] as const;
export type Reason = (typeof reasons)[number];

/** A reason, a note and a case, as bodies and queries have them. */
export interface Audit {
  reason: Reason;
  note?: string;
  case_id?: string;
}

const labels = { reason: texts.reason, case_id: texts.caseId, note: texts.note };

/** Returns the options of a field for a reason. */
export const reasonOptions = reasons.map((one) => [one, texts.reasons[one]] as const);

/** Returns the fields for why something is changed, and what was typed. */
export function useAudit(start: { reason?: Reason; case_id?: string } = {}) {
  const { typed: { reason, note, case_id }, field } = useForm({ reason: 'other', note: '', case_id: '', ...start }, labels, { isSaved: false });
  const audit: Audit = { reason: reason as Reason, ...(note && { note }), ...(case_id && { case_id }) };
  return { audit, fields: <div class="grid">{field('reason', { options: reasonOptions })}{field('case_id')}{field('note')}</div> };
}

/** Asks before a change, and why. */
export function Ask({ start, work, children, ...others }: {
  title: string; text: ComponentChildren; label: string; isDangerous?: boolean; isReady?: boolean; done?: string; start?: Parameters<typeof useAudit>[0];
  work: (audit: Audit, options: { idempotencyKey: string }) => Promise<void>; onClose: () => void; children?: ComponentChildren;
}) {
  const { audit, fields } = useAudit(start);
  const once = useIdempotency();
  return <Confirm {...others} work={() => work(audit, { idempotencyKey: once.keyOf(audit) })}>{children}{fields}</Confirm>;
}
