// The key: in this tab's storage, or in the browser's where the visitor asks for that.

const name = 'terse-key';

/** Storages of the tab and of the browser. A browser may forbid both: then the key lives as long as the page. */
const storages = (['sessionStorage', 'localStorage'] as const).map((kind) => {
  try {
    return window[kind];
  } catch {
    return undefined;
  }
});

export const storedKey = (): string | null => storages.map((storage) => storage?.getItem(name)).find(Boolean) ?? null;

export function storeKey(key: string, isRemembered: boolean): void {
  storages[0]?.removeItem(name);
  storages[isRemembered ? 1 : 0]?.setItem(name, key);
}

/** Forgets a key that the server rejected, or with which the visitor signs out. Another key in the storages stays. */
export function forgetKey(key: string, isSignOut = false): void {
  for (const storage of storages) {
    if (storage?.getItem(name) !== key) continue;
    // An empty key tells other tabs that the visitor signed out.
    if (isSignOut) storage.setItem(name, '');
    storage.removeItem(name);
  }
}

/** Calls a function when another tab forgets this key, which the browser remembered for both, and tells it whether the visitor signed out. Returns what ends that. */
export function onForgotten(key: string, forget: (isSignOut: boolean) => void): () => void {
  const listener = (event: StorageEvent) => event.key === name && event.oldValue === key && !event.newValue && forget(event.newValue === '');
  addEventListener('storage', listener);
  return () => removeEventListener('storage', listener);
}
