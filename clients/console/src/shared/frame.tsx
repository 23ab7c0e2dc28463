// What surrounds the screens: the form to sign in, the menu, and what is said to the visitor.

import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Action } from './action';
import { Check, Field, Form, Problem, Say, Submit, Title } from './parts';
import { mayLeave, usePlace } from './router';
import { texts } from './texts';

export function SignIn({ action, isRejected, stored, hint, onSignIn, onSignOut }: {
  action: Action; isRejected: boolean; stored: string | null; hint: string;
  onSignIn: (key: string, isRemembered?: boolean) => Promise<void>; onSignOut: () => void;
}) {
  const [key, setKey] = useState('');
  const [isRemembered, setRemembered] = useState(false);
  if (stored) {
    if (!action.failure) return <p class="faint loading" role="status">{texts.loading}</p>;
    return (
      <main class="sign-in">
        <Logo />
        <Problem failure={action.failure} again={() => void action.run(() => onSignIn(stored))} />
        <button class="quiet" onClick={onSignOut}>{texts.signOut}</button>
      </main>
    );
  }
  const Page = isRejected ? AboveDialogs : 'main';
  return (
    <Page class="sign-in">
      <Logo />
      <Title text={texts.signIn} />
      {isRejected && <p class="notice warn" role="alert">{texts.rejected}</p>}
      <Form class="card" action={action} onSubmit={() => onSignIn(key.trim(), isRemembered)}>
        <Field name="key" label={texts.apiKey} type="password" value={key} onChange={setKey} hint={hint} autoFocus autoComplete="off" />
        <Check label={texts.remember} hint={texts.rememberHint} isChecked={isRemembered} onChange={setRemembered} />
        <Problem failure={action.failure} />
        <Submit action={action}>{texts.signIn}</Submit>
      </Form>
    </Page>
  );
}

/** A page above the dialogs of the screen that it hides, which keep what was typed. */
function AboveDialogs({ children, ...others }: { children: ComponentChildren; class: string }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const open = () => {
    dialog.current?.showModal();
    dialog.current?.querySelector('input')?.focus();
  };
  useEffect(() => {
    open();
    // Pressed repeatedly, Escape would close this dialog and then those below it.
    const keep = (event: KeyboardEvent) => event.key === 'Escape' && event.preventDefault();
    addEventListener('keydown', keep);
    return () => removeEventListener('keydown', keep);
  }, []);
  return (
    <dialog {...others} ref={dialog} aria-label={texts.signIn} onClose={open}>
      <main>{children}</main>
    </dialog>
  );
}

const Logo = () => (
  <svg class="logo" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="7" fill="#1f2937" />
    <path d="M8 10h16M16 10v13" stroke="#fbbf24" stroke-width="4" stroke-linecap="round" />
  </svg>
);

export function Frame({ menu, holder, home, isHidden, onSignOut, children }: {
  menu: { href: string; name: string; segment: string }[];
  holder: string;
  home: string;
  isHidden: boolean;
  onSignOut: () => void;
  children: ComponentChildren;
}) {
  const { segments } = usePlace();
  const [said, setSaid] = useState('');
  const [isOnline, setOnline] = useState(navigator.onLine);
  const timer = useRef<ReturnType<typeof setTimeout>>();
  const say = (text: string) => {
    clearTimeout(timer.current);
    setSaid(text);
    timer.current = setTimeout(() => setSaid(''), 6000);
  };
  useEffect(() => {
    const update = () => setOnline(navigator.onLine);
    addEventListener('online', update);
    addEventListener('offline', update);
    return () => {
      removeEventListener('online', update);
      removeEventListener('offline', update);
    };
  }, []);
  // Who signs in again is where they were.
  useLayoutEffect(() => {
    if (!isHidden) return;
    const { title, activeElement } = document;
    return () => {
      document.title = title;
      (activeElement instanceof HTMLElement && activeElement !== document.body ? activeElement : document.querySelector('h1'))?.focus();
    };
  }, [isHidden]);
  const [segment = menu[0]?.segment] = segments;
  return (
    <Say.Provider value={say}>
      <div class="frame" hidden={isHidden}>
        <a class="skip" href="#content" onClick={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>('h1')?.focus();
        }}>{texts.skip}</a>
        <header class="top">
          <a href={menu[0]?.href} class="home" aria-label={home}><Logo /></a>
          <nav aria-label={texts.menu}>
            {menu.map((one) => (
              <a key={one.segment} href={one.href} aria-current={one.segment === segment ? 'page' : undefined}>{one.name}</a>
            ))}
          </nav>
          <span class="holder cut"><bdi>{holder}</bdi></span>
          <button class="quiet" onClick={() => mayLeave() && onSignOut()}>{texts.signOut}</button>
        </header>
        {!isOnline && <p class="notice warn" role="alert">{texts.offline(true)}</p>}
        <main id="content">{children}</main>
        <p class={said ? 'said shown' : 'said'} role="status">{said}</p>
      </div>
    </Say.Provider>
  );
}
