// Reads the key of a connection's NATS user: an NKEY seed, or a credentials file with a user's JWT and seed. Errors
// never contain the seed.
import { MillraceError } from '@millrace/contracts';
import { credsAuthenticator, nkeys, type Authenticator } from 'nats';
import { createSeedAuthenticator, signNatively } from '../workarounds/native-ed25519.ts';
import { readConnectionFile } from './secret-file.ts';

/** At most one of them. */
export type KeyOptions = {
  /** Seed of a user: `SU` and 56 characters. */
  nkeySeed?: string;
  /** File with a seed on a line of its own, as `nk -gen user` writes it. Read at each connection attempt. */
  nkeyFile?: string;
  /** File with a JWT and a seed, as `nsc generate creds` writes it. Read at each connection attempt. */
  credsFile?: string;
};

/** `publicKey`: `U` and 55 characters. */
export type UserKey = { publicKey: string; authenticator: Authenticator };

/** Creates the key of a new user. The seed is a secret: 58 characters from `SU` on. */
export function createUserKey(): { publicKey: string; seed: string } {
  const pair = signNatively(nkeys.createUser());
  return { publicKey: pair.getPublicKey(), seed: Buffer.from(pair.getSeed()).toString() };
}

/** Reads the key anew with each call; undefined without options. @throws config-invalid with the variable's name */
export function readUserKey({ nkeySeed, nkeyFile, credsFile }: KeyOptions): UserKey | undefined {
  const given = [nkeySeed, nkeyFile, credsFile].filter((value) => value !== undefined && value !== '');
  if (given.length > 1) {
    throw new MillraceError('config-invalid', 'The connection to NATS has several keys.', {
      path: 'NATS_NKEY_FILE',
      remedy: 'Set one of NATS_NKEY_FILE, NATS_NKEY and NATS_CREDS_FILE.',
    });
  }
  if (nkeySeed) return readSeed(nkeySeed, 'NATS_NKEY', 'NATS_NKEY');
  if (nkeyFile) {
    return readSeed(readConnectionFile(nkeyFile, 'NATS_NKEY_FILE'), `The file ${nkeyFile}`, 'NATS_NKEY_FILE');
  }
  return credsFile ? readCredentials(readConnectionFile(credsFile, 'NATS_CREDS_FILE'), credsFile) : undefined;
}

const SEED = /^\s*(?<seed>S[A-Z][A-Z2-7]{56})\s*$/m;
const KINDS: Record<string, string> = {
  A: 'an account',
  C: 'a cluster',
  N: 'a server',
  O: 'an operator',
  X: 'an encryption key',
};

function readSeed(text: string, where: string, variable: string): UserKey {
  const seed = SEED.exec(text)?.groups?.['seed'];
  if (seed === undefined) throw createKeyError(`${where} contains no NKEY seed.`, variable);
  checkKind(seed.charAt(1), where, variable);
  return createKey(() => createSeedAuthenticator(seed), `${where} contains no valid NKEY seed.`, variable);
}

function readCredentials(text: string, file: string): UserKey {
  const where = `The file ${file}`;
  const key = createKey(
    () => credsAuthenticator(Buffer.from(text)),
    `${where} does not contain a user's JWT and NKEY seed.`,
    'NATS_CREDS_FILE',
  );
  checkKind(key.publicKey.charAt(0), where, 'NATS_CREDS_FILE');
  return key;
}

function checkKind(letter: string, where: string, variable: string): void {
  if (letter === 'U') return;
  const kind = KINDS[letter] ?? 'an unknown kind';
  throw createKeyError(`${where} contains the seed of ${kind}, not of a user.`, variable);
}

/** The error of the client is not passed on, because it could quote the seed. */
function createKey(create: () => Authenticator, problem: string, variable: string): UserKey {
  try {
    const authenticator = create();
    const auth = authenticator();
    if (auth && 'nkey' in auth && auth.nkey) return { publicKey: auth.nkey, authenticator };
  } catch {
    // Reported below.
  }
  throw createKeyError(problem, variable);
}

const createKeyError = (message: string, variable: string): MillraceError =>
  new MillraceError('config-invalid', message, {
    path: variable,
    remedy:
      variable === 'NATS_CREDS_FILE'
        ? 'Use the credentials file of a user, as nsc generate creds writes it.'
        : 'Use the seed of a user, which starts with SU, as nk -gen user writes it.',
  });
