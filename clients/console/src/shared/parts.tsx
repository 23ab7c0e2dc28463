// The parts of which all screens are made.

import { type ComponentChildren, createContext } from 'preact';
import { useContext, useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Action, type Failure, type Listed, type Loaded, textOf, useAction } from './action';
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

/** What failed with the fields around, and the members of which fields show it. */
const Around = createContext<{ failure: Failure | undefined; shown: Set<string> } | undefined>(undefined);

/** Fields that show what of a failure is about them. A problem among them shows the rest. */
export function Fields({ failure, children }: { failure: Failure | undefined; children: ComponentChildren }) {
  const shown = useRef(new Set<string>()).current;
  return <Around.Provider value={{ failure, shown }}>{children}</Around.Provider>;
}

/** Returns what is wrong with a field, and the attributes that say so. */
function useError({ name = '', members = [], hint }: { name?: string | undefined; members?: readonly string[] | undefined; hint?: ComponentChildren }) {
  const id = useId();
  const around = useContext(Around);
  const all = [name, ...members].filter(Boolean);
  useLayoutEffect(() => {
    all.forEach((one) => around?.shown.add(one));
    return () => all.forEach((one) => around?.shown.delete(one));
  }, []);
  const error = around?.failure?.errors.filter(({ member }) => all.includes(member)).map(({ detail }) => detail).join(' ');
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  const attributes = { id, 'aria-invalid': error ? true : undefined, 'aria-describedby': described || undefined } as const;
  return {
    attributes,
    notes: <>{error && <p class="error" id={`${id}-error`}>{error}</p>}{hint && <p class="hint" id={`${id}-hint`}>{hint}</p>}</>,
  };
}

export function Problem({ failure, again }: { failure: Failure | undefined; again?: (() => void) | undefined }) {
  const around = useContext(Around);
  const text = failure && textOf(failure, around?.shown);
  if (!text) return null;
  return (
    <div class="notice bad" role="alert">
      <p>{text}</p>
      {again && <button onClick={again}>{texts.again}</button>}
    </div>
  );
}

/** Shows what was loaded, and why it could not be loaded again. */
export function Shown<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  return (
    <>
      <Problem failure={of.failure} again={of.reload} />
      {of.data === undefined ? !of.failure && <p class="faint loading" role="status">{texts.loading}</p> : children(of.data)}
    </>
  );
}

export interface FieldProps {
  label: string;
  name: string;
  value: string;
  onChange: (value: string) => void;
  /** Names that the interface has for it beside its own. */
  members?: readonly string[];
  type?: string;
  hint?: ComponentChildren;
  options?: readonly (readonly [value: string, label: string])[];
  suggestions?: readonly string[];
  isRequired?: boolean;
  isLabelHidden?: boolean;
  placeholder?: string;
  autoComplete?: string;
  autoFocus?: boolean;
  /** Number of lines, if there may be several. */
  rows?: number;
  onKeyDown?: (event: KeyboardEvent) => void;
  min?: string;
  max?: string;
  maxLength?: number;
}

/** An input with its label, its hint, and what the server found wrong with it. */
export function Field({ label, name, members, value, onChange, type = 'text', hint, options, suggestions,
  isRequired, isLabelHidden, autoFocus, ...others }: FieldProps) {
  const { attributes, notes } = useError({ name, members, hint });
  const { id } = attributes;
  const common = {
    ...others,
    ...attributes,
    name,
    value,
    required: isRequired,
    onInput: (event: { currentTarget: { value: string } }) => onChange(event.currentTarget.value),
  } as const;
  const input = useRef<HTMLInputElement & HTMLSelectElement & HTMLTextAreaElement>(null);
  useEffect(() => {
    if (autoFocus) input.current?.focus();
  }, []);
  return (
    <div class={`field ${options ? 'choice' : type}`}>
      <label for={id} class={isLabelHidden ? 'unseen' : undefined}>{label}</label>
      {options ? (
        <select {...common} ref={input}>
          {options.map(([option, text]) => <option key={option} value={option}>{text}</option>)}
        </select>
      ) : others.rows ? (
        <textarea {...common} spellcheck={false} ref={input} />
      ) : (
        <input {...common} type={type} ref={input} list={suggestions ? `${id}-list` : undefined} />
      )}
      {suggestions && (
        <datalist id={`${id}-list`}>{suggestions.map((one) => <option key={one} value={one} />)}</datalist>
      )}
      {notes}
    </div>
  );
}

export function Check({ label, isChecked, onChange, hint, name }: {
  label: string; isChecked: boolean; onChange: (value: boolean) => void; hint?: ComponentChildren; name?: string;
}) {
  const { attributes, notes } = useError({ name, hint });
  return (
    <div class="check">
      <input {...attributes} type="checkbox" name={name} checked={isChecked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <label for={attributes.id}>{label}</label>
      {notes}
    </div>
  );
}

/** Several of some words, in a text with spaces between them. */
export function Choices({ label, name, value, onChange, choices }: {
  label: string; name: string; value: string; onChange: (value: string) => void; choices: readonly string[];
}) {
  const chosen = value.split(' ');
  const { attributes, notes } = useError({ name });
  return (
    <fieldset id={attributes.id} aria-describedby={attributes['aria-describedby']}>
      <legend>{label}</legend>
      <div class="grid">
        {choices.map((choice) => (
          <Check key={choice} name={choice} label={choice} isChecked={chosen.includes(choice)}
            onChange={(isChosen) => onChange(choices.filter((one) => (one === choice ? isChosen : chosen.includes(one))).join(' '))} />
        ))}
      </div>
      {notes}
    </fieldset>
  );
}

/** Fields that are folded away until the visitor, or an error at one of them, unfolds them. */
export function Fold({ label, children }: { label: string; children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  const failure = useContext(Around)?.failure;
  const fields = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (!fields.current?.querySelector('.error')) return;
    fields.current.hidden = false;
    setOpen(true);
  }, [failure]);
  return (
    <>
      <button type="button" class="quiet more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>{label}</button>
      <div class="grid" ref={fields} hidden={!isOpen}>{children}</div>
    </>
  );
}

/** A form that is sent once, however often its button is pressed. The first field with an error gets the focus. */
export function Form({ action, onSubmit, children, label, ...others }: {
  action: Action; onSubmit: () => Promise<void>; children: ComponentChildren; label?: string; class?: string;
}) {
  useLayoutEffect(() => {
    action.form.current?.querySelector('.error')?.parentElement?.querySelector<HTMLElement>('input, select, textarea')?.focus();
  }, [action.failure]);
  return (
    <form {...others} ref={action.form} aria-label={label} noValidate autoComplete="off" aria-busy={action.isBusy} onSubmit={(event) => {
      event.preventDefault();
      void action.run(onSubmit);
    }}>
      <Fields failure={action.failure}>{children}</Fields>
    </form>
  );
}

export function Submit({ action, children, kind = 'primary', isReady = true }: {
  action: Action; children: ComponentChildren; kind?: string; isReady?: boolean;
}) {
  // While it runs not `disabled`, which would take the focus away.
  return <button type="submit" class={kind} disabled={!isReady} aria-disabled={action.isBusy}>{children}</button>;
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

/** Gives the focus to the first of these places that are still there, or to what is in it. */
function focusFirst(places: Element[]): void {
  if (document.activeElement !== document.body) return;
  const focusable = 'a[href], button, input, select, textarea, [tabindex]';
  const found = places.filter((one) => one.isConnected).map((one) => (one.matches(focusable) ? one : one.querySelector(focusable)));
  (found.find(Boolean) as HTMLElement | undefined)?.focus();
}

/** A dialog above the page, which Escape closes unless one of its forms is being sent. Its first field has the focus, or what cancels it. */
export function Dialog({ title, onClose, children }: {
  title: string; onClose: () => void; children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  // A click that began in a text is none beside the dialog.
  const isPressed = useRef(false);
  const id = useId();
  const isBusy = () => Boolean(dialog.current?.querySelector('form[aria-busy=true]'));
  const close = () => isBusy() || dialog.current?.close();
  useEffect(() => {
    const places: Element[] = [];
    for (let at = document.activeElement; at && at !== document.body && at.id !== 'content'; at = at.parentElement) places.push(at);
    dialog.current?.showModal();
    dialog.current?.querySelector<HTMLElement>(':is(input, select, textarea), .cancel')?.focus();
    // What the dialog has changed may be gone by then.
    return () => void setTimeout(() => focusFirst(places));
  }, []);
  return (
    // A browser may close it although that was prevented.
    <dialog ref={dialog} aria-labelledby={id} onCancel={(event) => isBusy() && event.preventDefault()}
      onClose={() => (isBusy() ? dialog.current?.showModal() : onClose())}
      onMouseDown={(event) => (isPressed.current = event.target === dialog.current)}
      onClick={(event) => event.target === dialog.current && isPressed.current && close()}>
      <div class="inside">
        <header>
          <h2 id={id}>{title}</h2>
          <button type="button" class="quiet" aria-label={texts.close} onClick={close}>✕</button>
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
  /** What is said once it has happened. */
  done?: string;
  work: () => Promise<void>;
  onClose: () => void;
  children?: ComponentChildren;
}

function ConfirmForm({ text, label, isDangerous = false, isReady = true, done, work, onClose, children }: ConfirmProps) {
  const say = useContext(Say);
  const action = useAction();
  const submit = async () => {
    await work();
    if (done) say(done);
    onClose();
  };
  return (
    <Form action={action} onSubmit={submit}>
      <p>{text}</p>
      {children}
      <Problem failure={action.failure} />
      <div class="buttons">
        <Submit action={action} kind={isDangerous ? 'danger' : 'primary'} isReady={isReady}>{label}</Submit>
        <button type="button" class="cancel" aria-disabled={action.isBusy} onClick={() => action.isBusy || onClose()}>{texts.cancel}</button>
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

/** A table that scrolls if it is too large for its place. On a small screen, its cells stand below each other. */
export function Table<T>({ label, items, keyOf, columns }: {
  label: string; items: readonly T[]; keyOf: (item: T) => string | number; columns: readonly Column<T>[];
}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table class="stack">
        <thead><tr>{columns.map(([head, , kind]) => (head ? <th key={head} scope="col" class={kind}>{head}</th> : <td key="" />))}</tr></thead>
        <tbody>
          {items.map((item) => <tr key={keyOf(item)}>{columns.map(([head, cell, kind]) => <td key={head} class={kind} data-head={head}>{cell(item)}</td>)}</tr>)}
        </tbody>
      </table>
    </div>
  );
}

/** The end of a list: a button that reads more, if there is more, and why that failed. */
export const More = ({ list }: { list: Listed<unknown> }) => (
  <>
    <Problem failure={list.failure} again={list.hasMore ? undefined : list.more} />
    {list.hasMore && <button class="wide" aria-disabled={list.isLoading} onClick={() => list.isLoading || list.more()}>{texts.showMore}</button>}
  </>
);
