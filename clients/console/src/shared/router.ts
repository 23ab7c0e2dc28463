// Where the visitor is: the address is the state, so that it can be bookmarked, shared and reloaded.

import { useEffect, useState } from 'preact/hooks';
import { texts } from './texts';

/** The path under which the server serves the console. */
export const root = '/console';

/** An address below the root: its decoded segments, and its query. */
export interface Place {
  segments: string[];
  query: URLSearchParams;
}

const listeners = new Set<() => void>();
const unsaved = new Set<object>();
let current = location.href;

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export function place(): Place {
  const segments = location.pathname.slice(root.length).split('/').filter(Boolean).map(decode);
  return { segments, query: new URLSearchParams(location.search) };
}

/** Returns an address of the console: segments are encoded, empty values of the query left out. */
export function address(segments: string[], query: Record<string, string | undefined> = {}): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  const search = given.length ? `?${new URLSearchParams(given)}` : '';
  return [root, ...segments.map(encodeURIComponent)].join('/') + search;
}

/** Returns whether nothing typed would be lost, or the visitor agrees to that. */
export function mayLeave(): boolean {
  return unsaved.size === 0 || confirm(texts.leave);
}

/** Returns whether an address is that of the screen that is shown, whose forms stay. */
const isShown = (to: string): boolean => new URL(to, current).pathname === new URL(current).pathname;

/** Goes to an address of the console. With `replace`, "back" does not return to the present one, which nobody misses. */
export function navigate(to: string, replace = false): void {
  if (!replace && !isShown(to) && !mayLeave()) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', to);
  current = location.href;
  listeners.forEach((listener) => listener());
}

/** Follows links within the console, and "back", without loading the page again. */
export function watchLinks(): void {
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[href]');
    const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute('download')) return;
    if (link.origin !== location.origin || !`${link.pathname}/`.startsWith(`${root}/`)) return;
    event.preventDefault();
    navigate(link.href);
  });
  addEventListener('popstate', () => {
    if (isShown(location.href) || mayLeave()) {
      current = location.href;
      listeners.forEach((listener) => listener());
    } else {
      history.pushState(null, '', current);
    }
  });
  addEventListener('beforeunload', (event) => {
    if (unsaved.size) event.preventDefault();
  });
}

/** Returns where the visitor is, and renders again when that changes. */
export function usePlace(): Place {
  const [now, setNow] = useState(place);
  useEffect(() => {
    const listener = () => setNow(place());
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return now;
}

/** Asks before the visitor leaves a form with something typed in it. */
export function useUnsaved(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return;
    const form = {};
    unsaved.add(form);
    return () => void unsaved.delete(form);
  }, [isUnsaved]);
}
