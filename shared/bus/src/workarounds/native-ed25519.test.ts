import { randomBytes } from 'node:crypto';
import { nkeyAuthenticator, nkeys } from 'nats';
import { expect, test } from 'vitest';
import { createSeedAuthenticator, signNatively, verifyNatively } from './native-ed25519.ts';

const { createAccount, createCluster, createOperator, createServer, createUser, fromPublic, fromSeed } = nkeys;

test('A public key and a signature of Node.js are those of the NATS client, for each kind of key and any text', () => {
  for (const create of [createAccount, createCluster, createOperator, createServer, createUser]) {
    for (let n = 0; n < 2; n += 1) {
      const pair = create();
      const native = signNatively(fromSeed(pair.getSeed()));
      const text = randomBytes(n * 37);
      expect(native.getPublicKey()).toBe(pair.getPublicKey());
      expect(native.getPrivateKey()).toEqual(pair.getPrivateKey());
      // Computed once: the same object.
      expect(native.getPrivateKey()).toBe(native.getPrivateKey());
      expect(Buffer.from(native.sign(text))).toEqual(Buffer.from(pair.sign(text)));
      expect(fromPublic(pair.getPublicKey()).verify(text, native.sign(text))).toBe(true);
      expect(verifyNatively(pair.getPublicKey(), text, pair.sign(text))).toBe(true);
      expect(verifyNatively(pair.getPublicKey(), Buffer.concat([text, text, Buffer.of(1)]), pair.sign(text))).toBe(
        false,
      );
      expect(verifyNatively(createAccount().getPublicKey(), text, pair.sign(text))).toBe(false);
    }
  }
});

test('The authenticator of a seed answers a nonce as that of the NATS client does, and without a nonce too', () => {
  for (let n = 0; n < 2; n += 1) {
    const seed = Buffer.from(createUser().getSeed());
    const [own, client] = [createSeedAuthenticator(seed.toString()), nkeyAuthenticator(seed)];
    for (const nonce of [undefined, '', randomBytes(11).toString('base64url')]) {
      expect(own(nonce)).toEqual(client(nonce));
    }
  }
});
