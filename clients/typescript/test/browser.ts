// The package in a browser, whose page has the same origin as the API. Only type-checked.

import { Terse } from '@terse/client';

const terse = new Terse({ baseUrl: location.origin, key: sessionStorage.getItem('key') ?? '' });
for await (const link of terse.listLinks()) {
  document.body.append(`${link.short_code} ${link.clicks}\n`);
}
