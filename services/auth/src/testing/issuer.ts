// An issuer of JWT with its key set on a real HTTP server.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT, exportJWK, generateKeyPair, type CryptoKey } from 'jose';

export const ISSUER = 'https://issuer.example';
export const AUDIENCE = 'millrace';

export type Issuer = {
  url: string;
  /** Number of times the key set was fetched. */
  countFetches(): number;
  sign(claims: object, more?: SignOptions): Promise<string>;
  close(): Promise<void>;
};
type SignOptions = {
  issuer?: string;
  audience?: string;
  expiresIn?: string | Date;
  key?: CryptoKey;
  kid?: string;
};

const ALGORITHM = 'ES256';
const KEY_ID = 'k1';

export async function openIssuer(): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM);
  const keySet = JSON.stringify({
    keys: [{ ...(await exportJWK(publicKey)), kid: KEY_ID, alg: ALGORITHM, use: 'sig' }],
  });
  let count = 0;
  const server = createServer((_request, response) => {
    count += 1;
    response.setHeader('content-type', 'application/json').end(keySet);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${readPort(server)}/jwks`,
    countFetches: () => count,
    sign: (claims, { issuer = ISSUER, audience = AUDIENCE, expiresIn = '5m', key = privateKey, kid = KEY_ID } = {}) =>
      new SignJWT({ ...claims })
        .setProtectedHeader({ alg: ALGORITHM, kid })
        .setIssuer(issuer)
        .setAudience(audience)
        .setExpirationTime(expiresIn)
        .sign(key),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a TCP server that listens has an AddressInfo
const readPort = (server: Server): number => (server.address() as AddressInfo).port;
