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

/** Forgets a key, in the browser's storage too unless other tabs may still need it. Another key there stays. */
export function forgetKey(key: string, isEverywhere = true): void {
  for (const storage of isEverywhere ? storages : storages.slice(0, 1)) if (storage?.getItem(name) === key) storage.removeItem(name);
}

/** Calls a function when another tab forgets this key, which the browser remembered for both. Returns what ends that. */
export function onForgotten(key: string, forget: () => void): () => void {
  const listener = (event: StorageEvent) => event.key === name && event.oldValue === key && event.newValue === null && forget();
  addEventListener('storage', listener);
  return () => removeEventListener('storage', listener);
}
