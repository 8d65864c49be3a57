import { decode, encodeUser } from '@nats-io/jwt';
import { createAccount, createUser } from '@nats-io/nkeys';
import { signNatively } from '@millrace/bus';
import { expect, test } from 'vitest';

test('The JWT library accepts a user that was signed natively', async () => {
  const issuer = signNatively(createAccount());
  const user = createUser().getPublicKey();
  const jwt = await encodeUser('ada', user, issuer, {}, { aud: '$G' });
  expect(decode(jwt)).toMatchObject({ iss: issuer.getPublicKey(), sub: user, name: 'ada' });
});
