// A story on the operator's interface. TERSE_OPERATOR_URL is the address of its listener, TERSE_OPERATOR_KEY an
// operator key of the role `admin`, and TERSE_KEY an API key of an owner.

import assert from 'node:assert/strict';
import { isProblem } from '@terse/client';
import { Operator } from '@terse/client/operator';

const baseUrl = process.env['TERSE_OPERATOR_URL']!;
const operator = new Operator({ baseUrl, key: process.env['TERSE_OPERATOR_KEY']! });

assert.equal((await operator.getOperator()).role, 'admin');
await assert.rejects(new Operator({ baseUrl, key: process.env['TERSE_KEY']! }).getOperator(), (error) =>
  isProblem(error, 'unauthorized'),
);
