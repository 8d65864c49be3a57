import { randomBytes } from 'node:crypto';
import { decode, encodeUser } from '@nats-io/jwt';
import { createAccount, createUser, fromPublic, fromSeed } from '@nats-io/nkeys';
import { expect, test } from 'vitest';
import { signNatively, verifyNatively } from './native-ed25519.ts';

test('A signature of Node.js is that of the library, for any key and text', () => {
  for (let n = 0; n < 20; n += 1) {
    const pair = createAccount();
    const native = signNatively(fromSeed(pair.getSeed()));
    const text = randomBytes(n * 37);
    expect(native.getPublicKey()).toBe(pair.getPublicKey());
    expect(native.getPrivateKey()).toEqual(pair.getPrivateKey());
    expect(Buffer.from(native.sign(text))).toEqual(Buffer.from(pair.sign(text)));
    expect(fromPublic(pair.getPublicKey()).verify(text, native.sign(text))).toBe(true);
    expect(verifyNatively(pair.getPublicKey(), text, pair.sign(text))).toBe(true);
    expect(verifyNatively(pair.getPublicKey(), Buffer.concat([text, text, Buffer.of(1)]), pair.sign(text))).toBe(false);
    expect(verifyNatively(createAccount().getPublicKey(), text, pair.sign(text))).toBe(false);
  }
});

test('The library accepts a user that was signed natively', async () => {
  const issuer = signNatively(createAccount());
  const user = createUser().getPublicKey();
  const jwt = await encodeUser('ada', user, issuer, {}, { aud: '$G' });
  expect(decode(jwt)).toMatchObject({ iss: issuer.getPublicKey(), sub: user, name: 'ada' });
});
