// Forms: what one types, filters that stand in the address, and changes of what others may change too.

import type { ComponentChildren } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { useAction } from './action';
import { Check, Field, type FieldProps, Form, Problem, Say, Submit, Text } from './parts';
import { isProblem } from './problems';
import { address, navigate, usePlace, useUnsaved } from './router';
import { texts } from './texts';

type Labels<V> = Record<keyof V, string>;
type FieldOf<V> = (name: keyof V & string, more?: Partial<FieldProps>) => ComponentChildren;

/** Returns what the visitor types, an action whose errors may be at its fields, and the field of each value. */
export function useForm<V extends object>(start: V, labels: Labels<V>) {
  const [typed, setTyped] = useState(start);
  const action = useAction(Object.keys(labels));
  const field: FieldOf<V> = (name, { hint, ...more } = {}) => {
    const value = typed[name];
    const onChange = (changed: string | boolean) => setTyped((old) => ({ ...old, [name]: changed }));
    const common = { name, label: labels[name], onChange, hint };
    return typeof value === 'boolean' ? <Check {...common} isChecked={value} /> : <Field {...common} {...more} action={action} value={String(value)} />;
  };
  return { typed, setTyped, action, field };
}

/** Returns the filters in the address of a screen, and fields that change them shortly after one has typed. */
export function useFilters<N extends string>(segment: string, labels: Record<N, string>) {
  const { query } = usePlace();
  const names = Object.keys(labels) as N[];
  const wanted = Object.fromEntries(names.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : []))) as Partial<Record<N, string>>;
  const [typed, setTyped] = useState(wanted);
  const key = JSON.stringify(wanted);
  useEffect(() => setTyped(wanted), [key]);
  useEffect(() => {
    if (JSON.stringify(typed) === key) return;
    const timer = setTimeout(() => navigate(address([segment], typed), true), 250);
    return () => clearTimeout(timer);
  }, [JSON.stringify(typed)]);
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
export function Edit<T extends { etag: string }, V extends object>({ thing, set, by, title, children }: {
  thing: T; set: (saved: T) => void; by: Editing<T, V>; title: string; children: (field: FieldOf<V>) => ComponentChildren;
}) {
  const say = useContext(Say);
  // The version to which the visitor's changes apply.
  const [base, setBase] = useState(thing);
  const [theirs, setTheirs] = useState<T>();
  const { typed, setTyped, action, field } = useForm(by.valuesOf(thing), by.labels);
  const before = by.valuesOf(base);
  const names = Object.keys(by.labels) as (keyof V & string)[];
  const changed = names.filter((name) => typed[name] !== before[name]);
  useUnsaved(changed.length > 0);
  // What this page itself changed elsewhere, such as a pause, is no conflict.
  useEffect(() => {
    if (changed.length === 0) setTyped(by.valuesOf(thing));
    const isSame = JSON.stringify(by.valuesOf(thing)) === JSON.stringify(before);
    if (changed.length === 0 || isSame) setBase(thing);
  }, [thing]);
  const accept = (saved: T) => {
    setTheirs(undefined);
    setBase(saved);
    setTyped(by.valuesOf(saved));
    set(saved);
  };
  const memberOf = (name: keyof V) => {
    const value = typed[name];
    return typeof value === 'string' ? (by.convert?.[name] ?? ((text) => text || null))(value) : value;
  };
  const save = async (ifMatch: T) => {
    try {
      accept(await by.update(Object.fromEntries(changed.map((name) => [name, memberOf(name)])), { ifMatch }));
      say(texts.saved);
    } catch (error) {
      if (!isProblem(error, 'precondition-failed')) throw error;
      setTheirs(await by.read());
    }
  };
  const shown = (value: unknown) => (value === '' ? texts.nothing : typeof value === 'string' ? value : value ? texts.yes : texts.no);
  return (
    <section class="card">
      <h2>{title}</h2>
      <Form action={action} onSubmit={() => save(base)} label={title}>
        {children(field)}
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
              <button type="button" onClick={() => accept(theirs)}>{texts.takeTheirs}</button>
            </div>
          </div>
        ) : (
          <div class="buttons">
            <Submit action={action}>{texts.save}</Submit>
            {changed.length > 0 && <button type="button" onClick={() => setTyped(before)}>{texts.reset}</button>}
          </div>
        )}
      </Form>
    </section>
  );
}
