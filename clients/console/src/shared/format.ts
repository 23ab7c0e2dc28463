// Numbers and times as the visitor's locale writes them. Days are those of UTC.

const numbers = new Intl.NumberFormat();
const times = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const days = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const months = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' });
const shortDays = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

export const number = (value: number): string => numbers.format(value);
export const time = (value: string): string => times.format(new Date(value));
export const date = (value: string): string => dates.format(new Date(value));
export const day = (value: string): string => days.format(new Date(`${value}T00:00:00Z`));
export const shortDay = (value: string): string => shortDays.format(new Date(`${value}T00:00:00Z`));

export const month = (value: string): string => months.format(new Date(`${value}-01T00:00:00Z`));

/** Returns a number of bytes as people read it. */
export function size(bytes: number): string {
  const [unit, value] = bytes < 1e9 ? ['megabyte', bytes / 1e6] as const : ['gigabyte', bytes / 1e9] as const;
  return new Intl.NumberFormat(undefined, { style: 'unit', unit, maximumSignificantDigits: 3 }).format(value);
}

/** Returns the month of UTC that is this number of months from the current one, as the interface writes it. */
export function utcMonth(monthsFromNow: number): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + monthsFromNow)).toISOString().slice(0, 7);
}

/** Returns the day of UTC that is this number of days from today, as the interface writes it. */
export function utcDay(daysFromToday: number): string {
  return new Date(Date.now() + daysFromToday * 86_400_000).toISOString().slice(0, 10);
}

/** Returns a time for an input of the type `datetime-local`. */
export function toLocalInput(value: string | null): string {
  if (!value) return '';
  const local = new Date(value);
  return new Date(local.getTime() - local.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Returns the time in an input of the type `datetime-local`; `null` if it is empty. */
export const fromLocalInput = (value: string): string | null => (value ? new Date(value).toISOString() : null);

/** Returns the number in an input; `null` if it is empty. */
export const toNumber = (value: string): number | null => (value ? Number(value) : null);

/** Returns an address with `https://` in front of it if it begins with a host. */
export function withScheme(typed: string): string {
  const text = typed.trim();
  return /^([\p{L}\p{N}-]+\.)+\p{L}[\p{L}\p{N}-]+(:\d+)?([/?#]|$)/u.test(text) ? `https://${text}` : text;
}

/** Returns an address without its scheme, as people write it. */
export const bare = (url: string): string => url.replace(/^https?:\/\//, '').replace(/^www\./, '').replace(/\/$/, '');
