// The key: in this tab's storage, or in the browser's where the visitor asks for that.

const name = 'terse-key';

export const storedKey = (): string | null => sessionStorage.getItem(name) ?? localStorage.getItem(name);

export function storeKey(key: string, isRemembered: boolean): void {
  forgetKey();
  (isRemembered ? localStorage : sessionStorage).setItem(name, key);
}

export function forgetKey(): void {
  sessionStorage.removeItem(name);
  localStorage.removeItem(name);
}
