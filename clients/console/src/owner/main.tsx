// The owner's console.

import { start } from '../shared/console';
import { ownerTexts as texts } from '../shared/texts';
import { Account } from './account';
import { connect, type Owner } from './api';
import { LinkPage } from './link';
import { Links } from './links';
import { Paste } from './paste';
import { Reports } from './reports';
import { allows, type Scope } from './session';
import { WebhookPage, Webhooks } from './webhooks';

const may = (scope: Scope) => (owner: Owner) => allows(owner, scope);

start({
  connect,
  identify: (api) => api.owner.get(),
  home: texts.home,
  keyHint: texts.keyHint,
  screens: [
    { segment: 'links', name: texts.links, shown: Links, item: LinkPage, mayItem: may('read') },
    { segment: 'reports', name: texts.reports, shown: Reports, may: may('read') },
    { segment: 'paste', name: texts.pasteMany, shown: Paste, may: may('create') },
    { segment: 'webhooks', name: texts.webhooks, shown: Webhooks, item: WebhookPage, isNumbered: true, may: may('full') },
    { segment: 'account', name: texts.account, shown: Account },
  ],
});
