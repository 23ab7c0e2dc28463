// Forms: what one types, filters that stand in the address, and changes of what others may change too.

import type { ComponentChildren } from 'preact';
import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import { useAction } from './action';
import { Check, Choices, Field, type FieldProps, Form, Problem, Say, Submit, Text } from './parts';
import { isProblem } from './problems';
import { address, navigate, usePlace, useUnsaved } from './router';
import { texts } from './texts';

type Labels<V> = Record<keyof V, string>;
type FieldOf<V> = (name: keyof V & string, more?: Partial<FieldProps> & { choices?: readonly string[] }) => ComponentChildren;

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * Returns what the visitor types, the action of its form, the field of each value, and a function for what was sent:
 * it puts other values there, except where the visitor has typed on meanwhile.
 */
export function useForm<V extends object>(start: V, labels: Labels<V>, { isSaved = true } = {}) {
  const [typed, setTyped] = useState(start);
  const action = useAction();
  useUnsaved(isSaved && !isEqual(typed, start));
  const field: FieldOf<V> = (name, { hint, choices, ...more } = {}) => {
    const value = typed[name];
    const onChange = (changed: string | boolean) => setTyped((old) => ({ ...old, [name]: changed }));
    const common = { name, label: labels[name], onChange };
    if (typeof value === 'boolean') return <Check {...common} hint={hint} isChecked={value} />;
    return choices ? <Choices {...common} value={String(value)} choices={choices} /> : <Field {...common} {...more} hint={hint} value={String(value)} />;
  };
  const replace = (sent: V, by: V = start) =>
    setTyped((old) => Object.fromEntries(Object.entries(by).map(([name, value]) => {
      const now = old[name as keyof V];
      return [name, now === sent[name as keyof V] ? value : now];
    })) as V);
  return { typed, replace, action, field };
}

/** Returns the filters in the address of a screen, and fields that change them shortly after one has typed. */
export function useFilters<N extends string>(segment: string, labels: Record<N, string>) {
  const { query } = usePlace();
  const names = Object.keys(labels) as N[];
  const wanted = Object.fromEntries(names.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : []))) as Partial<Record<N, string>>;
  const [typed, setTyped] = useState(wanted);
  const keyOf = (values: typeof wanted) => JSON.stringify(names.map((name) => values[name]));
  const key = keyOf(wanted);
  // What these fields put into the address.
  const put = useRef(key);
  useEffect(() => {
    if (key !== put.current) setTyped(wanted);
    put.current = key;
  }, [key]);
  useEffect(() => {
    if (keyOf(typed) === key) return;
    const timer = setTimeout(() => {
      put.current = keyOf(typed);
      navigate(address([segment], typed), true);
    }, 250);
    return () => clearTimeout(timer);
  }, [keyOf(typed)]);
  const onChange = (name: N) => (value: string) => setTyped((old) => {
    const { [name]: _, ...others } = old;
    return (value ? { ...others, [name]: value } : others) as typeof wanted;
  });
  const field = (name: N, more: Partial<FieldProps> = {}) =>
    <Field {...{ name, label: labels[name], ...more }} value={typed[name] ?? ''} onChange={onChange(name)} />;
  return { wanted, setTyped, field };
}

/** How the members of a thing are edited: as texts and flags. */
export interface Editing<T extends { etag: string }, V extends object> {
  labels: Labels<V>;
  valuesOf: (thing: T) => V;
  /** What is sent for a text, where it is not the text itself, or null if it is empty. */
  convert?: { [N in keyof NoInfer<V>]?: (text: string) => unknown };
  read: () => Promise<T>;
  update: (patch: object, options: { ifMatch: T }) => Promise<T>;
}

/** A form that changes a thing. It sends only what the visitor changed, and shows what others changed meanwhile. */
export function Edit<T extends { etag: string }, V extends object>({ thing, set, by, title, saves = texts.save, children }: {
  thing: T; set: (saved: T) => void; by: Editing<T, V>; title: string; saves?: string; children: (field: FieldOf<V>, typed: V) => ComponentChildren;
}) {
  const say = useContext(Say);
  // The version to which the visitor's changes apply.
  const [base, setBase] = useState(thing);
  const [theirs, setTheirs] = useState<T>();
  const before = by.valuesOf(base);
  const { typed, replace, action, field } = useForm(before, by.labels);
  const names = Object.keys(by.labels) as (keyof V & string)[];
  const changed = names.filter((name) => typed[name] !== before[name]);
  // What this page itself changed elsewhere, such as a pause, is no conflict.
  useEffect(() => {
    if (changed.length === 0) replace(before, by.valuesOf(thing));
    if (changed.length === 0 || isEqual(by.valuesOf(thing), before)) setBase(thing);
  }, [thing]);
  const accept = (saved: T) => {
    setTheirs(undefined);
    setBase(saved);
    replace(typed, by.valuesOf(saved));
    set(saved);
  };
  const memberOf = (name: keyof V) => {
    const value = typed[name];
    return typeof value === 'string' ? (by.convert?.[name] ?? ((text) => text || null))(value) : value;
  };
  const save = async (ifMatch: T): Promise<void> => {
    try {
      accept(await by.update(Object.fromEntries(changed.map((name) => [name, memberOf(name)])), { ifMatch }));
      say(texts.saved);
    } catch (error) {
      if (!isProblem(error, 'precondition-failed')) throw error;
      const read = await by.read();
      // Others changed nothing of this form.
      if (read.etag !== ifMatch.etag && isEqual(by.valuesOf(read), by.valuesOf(ifMatch))) return save(read);
      setTheirs(read);
    }
  };
  const shown = (value: unknown) => (value === '' ? texts.nothing : typeof value === 'string' ? value : value ? texts.yes : texts.no);
  return (
    <section class="card">
      <h2>{title}</h2>
      <Form action={action} onSubmit={() => save(base)} label={title}>
        {children(field, typed)}
        <Problem failure={action.failure} />
        {theirs ? (
          <div class="notice warn" role="alert">
            <h3>{texts.changedMeanwhile}</h3>
            <table>
              <thead><tr><td /><th scope="col">{texts.yours}</th><th scope="col">{texts.theirs}</th></tr></thead>
              <tbody>
                {names.filter((name) => typed[name] !== by.valuesOf(theirs)[name]).map((name) => (
                  <tr key={name}>
                    <th scope="row">{by.labels[name]}</th>
                    <td>{changed.includes(name) ? <Text>{shown(typed[name])}</Text> : <span class="faint">{texts.unchanged}</span>}</td>
                    <td><Text>{shown(by.valuesOf(theirs)[name])}</Text></td>
                  </tr>
                ))}
              </tbody>
            </table>
            <div class="buttons">
              <button type="button" class="primary" onClick={() => action.run(() => save(theirs))}>{texts.saveMine}</button>
              <button type="button" onClick={() => { accept(theirs); action.clear(); }}>{texts.takeTheirs}</button>
            </div>
          </div>
        ) : (
          <div class="buttons">
            <Submit action={action}>{saves}</Submit>
            {changed.length > 0 && <button type="button" onClick={() => { replace(typed, before); action.clear(); }}>{texts.reset}</button>}
          </div>
        )}
      </Form>
    </section>
  );
}
