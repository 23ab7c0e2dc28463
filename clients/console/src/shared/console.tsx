// A console: signing in, and which screen is shown.

import { type ComponentType, createContext, render } from 'preact';
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { afterSignIn, InputError, isUnauthorized, useAction } from './action';
import { Frame, SignIn } from './frame';
import { Title } from './parts';
import { address, navigate, place, usePlace, watchLinks } from './router';
import { forgetKey, onForgotten, storedKey, storeKey } from './session';
import { texts } from './texts';

/** A screen, and what the holder of a key must be allowed to see it. */
export interface Screen<Holder> {
  segment: string;
  name: string;
  shown: ComponentType;
  may?: (holder: Holder) => boolean;
  /** The screen of one item, whose address has another segment. */
  item?: ComponentType<{ id: string }>;
  /** Whether items have numbers. */
  isNumbered?: boolean;
  mayItem?: (holder: Holder) => boolean;
}

/** What makes up a console. */
interface Parts<Api, Holder> {
  /** Connects to the server. `onUnauthorized` is called when it rejects the key. */
  connect: (key: string, onUnauthorized: () => void) => Api;
  /** Reads whose key it is. */
  identify: (api: Api) => Promise<Holder>;
  /** The screens in the order of the menu, of which the first is shown at first. */
  screens: Screen<Holder>[];
  home: string;
  keyHint: string;
}

/** Who is signed in. */
interface Session<Api, Holder> {
  api: Api;
  holder: Holder;
}

const SessionContext = createContext<Session<unknown, unknown> | undefined>(undefined);

/** Returns the session of the console. */
export function useSessionOf<Api, Holder>(): Session<Api, Holder> {
  const session = useContext(SessionContext);
  if (!session) throw new Error('no session');
  return session as Session<Api, Holder>;
}

/** Shows a console in the page. */
export function start<Api, Holder extends { name: string }>(parts: Parts<Api, Holder>): void {
  watchLinks();
  // The address of the start is that of the first screen.
  if (place().segments.length === 0) navigate(address([parts.screens[0]?.segment ?? '']) + location.search, true);
  render(<Console {...parts} />, document.getElementById('console') as HTMLElement);
}

function Console<Api, Holder extends { name: string }>({ connect, identify, screens, home, keyHint }: Parts<Api, Holder>) {
  const [key, setKey] = useState(storedKey);
  const [holder, setHolder] = useState<Holder>();
  const [isRejected, setRejected] = useState(false);
  const action = useAction();
  const leave = () => {
    setKey(null);
    setHolder(undefined);
    setRejected(false);
    action.clear();
  };
  const signOut = () => {
    if (key) forgetKey(key, true);
    leave();
  };
  const signIn = async (given: string, isRemembered?: boolean) => {
    // Headers contain nothing else.
    if (!/^[!-~]+$/.test(given)) throw new InputError('key', texts.noKey);
    const found = await identify(connect(given, () => forgetKey(given)));
    if (isRemembered !== undefined) storeKey(given, isRemembered);
    setRejected(false);
    setKey(given);
    setHolder(found);
    afterSignIn();
  };
  useEffect(() => {
    if (key) void action.run(() => signIn(key));
  }, []);
  useEffect(() => (key && !isRejected ? onForgotten(key, (isSignOut) => (isSignOut ? leave() : setRejected(true))) : undefined), [key, isRejected]);
  const newest = useRef<Api>();
  const session = useMemo(() => {
    newest.current = undefined;
    if (!key || !holder) return undefined;
    const api: Api = connect(key, () => {
      // A late response to an earlier key says nothing about this one.
      if (newest.current !== api) return;
      forgetKey(key);
      setRejected(true);
    });
    newest.current = api;
    return { api, holder };
  }, [key, holder]);
  const stored = isRejected || isUnauthorized(action.failure) ? null : key;
  const form = <SignIn {...{ action, isRejected, stored }} hint={keyHint} onSignIn={signIn} onSignOut={signOut} />;
  if (!session) return form;
  const menu = screens.filter(({ may }) => may?.(session.holder) ?? true);
  return (
    <>
      {isRejected && form}
      {/* The screens of another holder begin anew; those of the same one keep what was typed. */}
      <SessionContext.Provider value={session} key={session.holder.name}>
        <Frame isHidden={isRejected} holder={session.holder.name} home={home} onSignOut={signOut}
          menu={menu.map(({ segment, name }) => ({ href: address([segment]), name, segment }))}>
          <Shown screens={menu} holder={session.holder} />
        </Frame>
      </SessionContext.Provider>
    </>
  );
}

function Shown<Holder>({ screens, holder }: { screens: Screen<Holder>[]; holder: Holder }) {
  const { segments: [segment = screens[0]?.segment, id, ...others] } = usePlace();
  const screen = screens.find((one) => one.segment === segment);
  const isItem = screen?.mayItem?.(holder) !== false && (!screen?.isNumbered || /^\d{1,15}$/.test(id ?? ''));
  const Item = isItem ? screen?.item : undefined;
  if (screen && id === undefined) return <screen.shown key={segment} />;
  return Item && id !== undefined && others.length === 0 ? <Item key={id} id={id} /> : <Title text={texts.noPage} />;
}
