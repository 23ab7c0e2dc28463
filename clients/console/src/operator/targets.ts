// What a report is about: links, hosts and customers in what somebody pasted, and which links these are.

import type { TerseOperator } from '@terse/client/operator';
import type { Link, LinkSelectors, ListLinksQuery } from './api';

/** Links, and whether these are all. */
interface Listed {
  links: Link[];
  isComplete: boolean;
}

/** Links that can be taken down together. */
export interface Scope extends Listed {
  id: string;
  kind: 'codes' | 'destination' | 'host' | 'owner' | 'key';
  /** The code if there is only one, the destination, the host, the customer, or the key. */
  name: string;
  selectors: LinkSelectors;
  host?: string;
  /** Whether the report names it, and not only what else leads to the same host. */
  isMeant: boolean;
  /** Number of links that are not disabled yet, if it is known. */
  changes?: number;
}

/** Number of links of a scope that are read. */
const maxLinks = 10_000;
/** Number of codes in the address of a request. */
const codesPerRequest = 100;
/** Number of hosts that are searched for only because reported links lead there. */
const maxHosts = 5;

interface Report {
  text: string;
  owner_id?: number;
  /** The key that created the links. */
  key_id?: number;
  /** Whether the role may ask how many links would change. */
  canCount: boolean;
}

/** Finds what a report is about. */
export async function resolve(api: TerseOperator, { text, owner_id, key_id, canCount }: Report, signal: AbortSignal) {
  const options = { signal };
  // A destination may have commas and semicolons, which otherwise separate.
  const words = text.split(/[\s<>"']+|[,;]+(?=h..ps?:\/\/)/i).flatMap((word) => (isWhole(word) ? word.replace(/[,;]+$/, '') : word.split(/[,;]+/)));
  const tokens = [...new Set(words.filter(Boolean))].map((token) => {
    const url = urlOf(token);
    return { token, url, code: url ? codeOf(url) : token };
  });
  const found = new Map<string, Link>();
  const codes = [...new Set(tokens.map(({ code }) => code).filter(Boolean))];
  for (let at = 0; at < codes.length; at += codesPerRequest) {
    for (const link of await api.links.list({ code: codes.slice(at, at + codesPerRequest) }, options).all()) found.set(link.short_code, link);
  }
  const listed = async (query: Pick<ListLinksQuery, 'destination_url' | 'host' | 'owner_id' | 'created_by_key_id'>): Promise<Listed> => {
    const links: Link[] = [];
    for await (const { data, next } of api.links.list({ ...query, limit: 1000 }, options).pages()) {
      links.push(...data);
      if (links.length >= maxLinks) return { links, isComplete: next === null };
    }
    return { links, isComplete: true };
  };
  const findExactly = async (spellings: string[]) => {
    const all = await Promise.all(spellings.map(async (one) => [one, await listed({ destination_url: one })] as const));
    return all.filter(([, { links }]) => links.length > 0);
  };
  const leadsSomewhere = new Map<string, Promise<boolean>>();
  const isDestination = (host: string) => {
    const known = leadsSomewhere.get(host) ?? api.links.list({ host, limit: 1 }, options).all({ limit: 1 }).then((links) => links.length > 0);
    leadsSomewhere.set(host, known);
    return known;
  };
  const reported = new Set<Link>();
  const hosts = new Set<string>();
  const destinations = new Map<string, Listed>();
  const nearby = new Set<string>();
  const inexact: string[] = [];
  const unknown: string[] = [];
  for (const { token, url, code } of tokens) {
    const link = found.get(code);
    // No link leads to the service itself, so that a host to which none leads is one of its own.
    if (link && (!url || new URL(link.short_url).host === url.host || !(await isDestination(url.hostname)))) reported.add(link);
    else if (url && (!code || (await isDestination(url.hostname)))) {
      const isPage = code !== '' || url.search !== '';
      const exact = isPage || isWhole(token) ? await findExactly(spellingsOf(token, url)) : [];
      exact.forEach(([destination, listed]) => destinations.set(destination, listed));
      if (isPage && exact.length === 0) inexact.push(token);
      // Who reports a page does not mean all of its host.
      (isPage || exact.length > 0 ? nearby : hosts).add(url.hostname);
    } else unknown.push(token);
  }
  const scopes: Promise<Scope>[] = [];
  const count = async (selectors: LinkSelectors) =>
    (canCount ? { changes: (await api.linkChanges.create({ action: 'disable', selectors, dry_run: true }, options)).changed } : {});
  const add = (scope: Omit<Scope, 'id' | keyof Listed>, listed: Listed | Promise<Listed>) => {
    const found = Promise.all([listed, count(scope.selectors)]);
    scopes.push(found.then(([listed, counted]) => ({ ...scope, ...counted, id: `${scope.kind} ${scope.name}`, ...listed })));
  };
  const links = [...reported];
  if (links.length) {
    const name = links.length === 1 ? (links[0] as Link).short_code : '';
    add({ kind: 'codes', name, selectors: { code: links.map((link) => link.short_code) }, isMeant: true }, { links, isComplete: true });
  }
  for (const [name, found] of destinations) add({ kind: 'destination', name, selectors: { destination_url: name }, isMeant: true }, found);
  const reportedHosts = new Set([...hosts, ...nearby]);
  const derivedHosts = new Set(links.map((link) => new URL(link.destination_url).hostname).filter((host) => !reportedHosts.has(host)));
  for (const host of [...reportedHosts, ...[...derivedHosts].slice(0, maxHosts)]) {
    add({ kind: 'host', name: host, host, selectors: { host }, isMeant: hosts.has(host) }, listed({ host }));
  }
  if (owner_id) {
    const { name } = await api.owners.get(owner_id, options);
    add({ kind: 'owner', name, selectors: { owner_id }, isMeant: true }, listed({ owner_id }));
  }
  if (key_id) {
    const { label, owner_name } = await api.keys.get(key_id, options);
    add({ kind: 'key', name: `${label ?? key_id} (${owner_name})`, selectors: { created_by_key_id: key_id }, isMeant: true }, listed({ created_by_key_id: key_id }));
  }
  return { scopes: await Promise.all(scopes), inexact, unknown };
}

/** Returns whether a word is an address with its scheme, also as reports disarm it. */
const isWhole = (word: string): boolean => /^h(tt|xx)ps?:\/\//i.test(word);

const armed = (pasted: string): string => pasted.replace(/^hxxp/i, 'http').replaceAll('[.]', '.');

/** Returns the address that an operator pasted, also without its scheme or as reports disarm it; `undefined` for a code. */
function urlOf(pasted: string): URL | undefined {
  const token = armed(pasted);
  const address = isWhole(token) ? token : `https://${token}`;
  const isAddress = address === token || /^[^/]+\.[^/]/.test(token);
  return isAddress && URL.canParse(address) ? new URL(address) : undefined;
}

/** Returns the destinations that a pasted address may mean: links have them in the spelling of their owners. */
function spellingsOf(pasted: string, { href }: URL): string[] {
  const token = armed(pasted);
  return [...new Set(isWhole(token) ? [token, href] : [`https://${token}`, `http://${token}`])].filter((one) => /^https?:\/\/[^/?#]/i.test(one));
}

/** Returns the code in a short URL. */
function codeOf({ pathname }: URL): string {
  const path = pathname.slice(1).replace(/\/qr\.(svg|png)$/, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
