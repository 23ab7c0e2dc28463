// The parts of which all screens are made.

import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useId, useRef, useState } from 'preact/hooks';
import { type Action, type Failure, type Listed, type Loaded, useAction } from './action';
import { copy } from './clipboard';
import { time } from './format';
import { texts } from './texts';

/** Says something to the visitor: shown for a moment, and read aloud. */
export const Say = createContext<(text: string) => void>(() => undefined);

/** A heading that names the page, and gets the focus when the visitor comes to it. */
export function Title({ text, children }: { text: string; children?: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${text} · Terse`;
    if (document.activeElement === document.body || document.activeElement === null) heading.current?.focus();
  }, [text]);
  return (
    <h1 tabIndex={-1} ref={heading}>
      {children ?? text}
    </h1>
  );
}

/** A text that may be in any script and direction. */
export const Text = ({ children }: { children: string }) => <bdi class="text">{children}</bdi>;

export function Problem({ failure, again }: { failure: Failure | undefined; again?: () => void }) {
  if (!failure?.text) return null;
  return (
    <div class="notice bad" role="alert">
      <p>{failure.text}</p>
      {again && <button onClick={again}>{texts.again}</button>}
    </div>
  );
}

/** Shows what was loaded, or why it was not. */
export function Shown<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  if (of.failure) return <Problem failure={of.failure} again={of.reload} />;
  return of.data === undefined ? <p class="faint loading" role="status">{texts.loading}</p> : <>{children(of.data)}</>;
}

export interface FieldProps {
  label: string;
  name: string;
  value: string;
  onChange: (value: string) => void;
  action?: Action;
  type?: string;
  hint?: ComponentChildren;
  options?: readonly (readonly [value: string, label: string])[];
  suggestions?: readonly string[];
  isRequired?: boolean;
  isLabelHidden?: boolean;
  placeholder?: string;
  autoComplete?: string;
  autoFocus?: boolean;
  min?: string;
  max?: string;
  maxLength?: number;
}

/** An input with its label, its hint, and what the server found wrong with it. */
export function Field({ label, name, value, onChange, action, type = 'text', hint, options, suggestions,
  isRequired, isLabelHidden, autoFocus, ...others }: FieldProps) {
  const id = useId();
  const error = action?.failure?.fields[name];
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  const common = {
    ...others,
    id,
    name,
    value,
    required: isRequired,
    'aria-invalid': error ? true : undefined,
    'aria-describedby': described || undefined,
    onInput: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  } as const;
  const input = useRef<HTMLInputElement & HTMLSelectElement>(null);
  useEffect(() => {
    if (autoFocus) input.current?.focus();
  }, []);
  useEffect(() => {
    if (error && input.current?.form?.querySelector('[aria-invalid]') === input.current) input.current?.focus();
  }, [action?.failure]);
  return (
    <div class={`field ${type}`}>
      <label for={id} class={isLabelHidden ? 'unseen' : undefined}>{label}</label>
      {options ? (
        <select {...common} ref={input}>
          {options.map(([option, text]) => <option key={option} value={option}>{text}</option>)}
        </select>
      ) : (
        <input {...common} type={type} ref={input} list={suggestions ? `${id}-list` : undefined} />
      )}
      {suggestions && (
        <datalist id={`${id}-list`}>{suggestions.map((one) => <option key={one} value={one} />)}</datalist>
      )}
      {error && <p class="error" id={`${id}-error`}>{error}</p>}
      {hint && <p class="hint" id={`${id}-hint`}>{hint}</p>}
    </div>
  );
}

export function Check({ label, isChecked, onChange, hint, name }: {
  label: string; isChecked: boolean; onChange: (value: boolean) => void; hint?: ComponentChildren; name?: string;
}) {
  const id = useId();
  return (
    <div class="check">
      <input type="checkbox" id={id} name={name} checked={isChecked} aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.currentTarget.checked)} />
      <label for={id}>{label}</label>
      {hint && <p class="hint" id={`${id}-hint`}>{hint}</p>}
    </div>
  );
}

/** A form that is sent once, however often its button is pressed. */
export function Form({ action, onSubmit, children, label, ...others }: {
  action: Action; onSubmit: () => Promise<void>; children: ComponentChildren; label?: string; class?: string;
}) {
  return (
    <form {...others} aria-label={label} noValidate autoComplete="off" aria-busy={action.isBusy} onSubmit={(event) => {
      event.preventDefault();
      void action.run(onSubmit);
    }}>
      {children}
    </form>
  );
}

export function Submit({ action, children, kind = 'primary' }: {
  action: Action; children: ComponentChildren; kind?: string;
}) {
  // Not `disabled`, which would take the focus away.
  return <button type="submit" class={kind} aria-disabled={action.isBusy}>{children}</button>;
}

export function CopyButton({ text, label, kind = 'quiet', children }: {
  text: string; label: string; kind?: string; children?: ComponentChildren;
}) {
  const say = useContext(Say);
  const [isDone, setDone] = useState(false);
  const onClick = async () => {
    try {
      await copy(text);
      say(texts.copied(text));
      setDone(true);
      setTimeout(() => setDone(false), 2000);
    } catch {
      say(texts.notCopied);
    }
  };
  return <button type="button" class={kind} aria-label={label} onClick={onClick}>{isDone ? `✓ ${texts.copiedShort}` : children ?? texts.copy}</button>;
}

/** A dialog above the page, which Escape closes. */
export function Dialog({ title, onClose, children }: {
  title: string; onClose: () => void; children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}>
      <div class="inside">
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" class="quiet" aria-label={texts.close} onClick={() => dialog.current?.close()}>✕</button>
        </header>
        {children}
      </div>
    </dialog>
  );
}

/** Asks before something that cannot be taken back, or happens to many. */
export function Confirm({ title, onClose, ...form }: ConfirmProps & { title: string }) {
  return (
    <Dialog title={title} onClose={onClose}>
      <ConfirmForm {...form} onClose={onClose} />
    </Dialog>
  );
}

interface ConfirmProps {
  text: ComponentChildren;
  label: string;
  isDangerous?: boolean;
  /** Whether what has to be typed before has been typed. */
  isReady?: boolean;
  work: () => Promise<void>;
  onClose: () => void;
  children?: ComponentChildren;
}

function ConfirmForm({ text, label, isDangerous = false, isReady = true, work, onClose, children }: ConfirmProps) {
  const action = useAction();
  return (
    <Form action={action} onSubmit={async () => { await work(); onClose(); }}>
      <p>{text}</p>
      {children}
      <Problem failure={action.failure} />
      <div class="buttons">
        {isReady && <Submit action={action} kind={isDangerous ? 'danger' : 'primary'}>{label}</Submit>}
        <button type="button" onClick={onClose}>{texts.cancel}</button>
      </div>
    </Form>
  );
}

export const Time = ({ at }: { at: string }) => <time dateTime={at}>{time(at)}</time>;

/** A word about a thing's state. */
export const Badge = ({ kind, children }: { kind: string; children: ComponentChildren }) =>
  <span class={`badge ${kind}`}>{children}</span>;

/** Returns the name of a link's state. */
export const stateName = (state: string): string => texts.states[state as keyof typeof texts.states] ?? state;

/** A secret that is shown once. */
export function Secret({ secret, text }: { secret: string | undefined; text: string }) {
  if (!secret) return null;
  return (
    <div class="notice good" role="alert">
      <p>{text}</p>
      <p class="line"><code>{secret}</code><CopyButton text={secret} label={texts.copySecret} /></p>
    </div>
  );
}

/** A column: its heading, and what it has of an item. */
export type Column<T> = readonly [head: string, cell: (item: T) => ComponentChildren, kind?: 'number'];

/** A table that scrolls if it is too large for its place. */
export function Table<T>({ label, items, keyOf, columns }: {
  label: string; items: readonly T[]; keyOf: (item: T) => string | number; columns: readonly Column<T>[];
}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead><tr>{columns.map(([head, , kind]) => (head ? <th key={head} scope="col" class={kind}>{head}</th> : <td key="" />))}</tr></thead>
        <tbody>
          {items.map((item) => <tr key={keyOf(item)}>{columns.map(([head, cell, kind]) => <td key={head} class={kind}>{cell(item)}</td>)}</tr>)}
        </tbody>
      </table>
    </div>
  );
}

/** A button that reads more of a list, if there is more. */
export const More = ({ list }: { list: Listed<unknown> }) =>
  list.hasMore ? <button class="wide" aria-disabled={list.isLoading} onClick={() => list.isLoading || list.more()}>{texts.showMore}</button> : null;
