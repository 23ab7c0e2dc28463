// One call, as a page in a browser has it. Only bundled, to measure.

import { Terse } from '@terse/client';

const terse = new Terse({ baseUrl: location.origin, key: 'terse_abcdefghijklmnopqrstuvwxyz' });
console.log(await terse.links.create({ destination_url: 'https://example.org/' }));
