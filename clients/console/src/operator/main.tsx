// The operator's console.

import { start } from '../shared/console';
import { operatorTexts as texts } from '../shared/texts';
import { connect } from './api';
import { Bills } from './bills';
import { Blocks } from './blocks';
import { CustomerPage } from './customer';
import { Customers } from './customers';
import { DomainScreen } from './domains';
import { EventPage, History } from './history';
import { OperatorKeys } from './operator-keys';
import { Plans } from './plans';
import { Status } from './status';
import { Takedown } from './takedown';

start({
  connect,
  identify: (api) => api.operator.get(),
  home: texts.home,
  keyHint: texts.keyHint,
  screens: [
    { segment: 'status', name: texts.status, shown: Status },
    { segment: 'customers', name: texts.customers, shown: Customers, item: CustomerPage, isNumbered: true },
    { segment: 'takedown', name: texts.takedown, shown: Takedown },
    { segment: 'history', name: texts.history, shown: History, item: EventPage, isNumbered: true },
    { segment: 'bills', name: texts.bills, shown: Bills },
    { segment: 'blocks', name: texts.blocks, shown: Blocks },
    { segment: 'domains', name: texts.domains, shown: DomainScreen },
    { segment: 'plans', name: texts.plans, shown: Plans },
    { segment: 'operator-keys', name: texts.operatorKeys, shown: OperatorKeys },
  ],
});
