// How the consoles reach the server that serves their page.

import type { ClientOptions } from '@terse/client';

/** Returns the options of a client. `onUnauthorized` is called when the server rejects the key. */
export const connection = (key: string, onUnauthorized: () => void): ClientOptions => ({
  baseUrl: location.origin,
  key,
  // A change that takes longer than 20 seconds is answered then.
  timeout: 30_000,
  // What takes longer is said, so that the visitor decides.
  retryFor: 3000,
  hooks: { response: ({ response }) => response.status === 401 && onUnauthorized() },
});
