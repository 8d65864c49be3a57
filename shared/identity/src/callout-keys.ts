// Keeps the keys of the auth callout in the folder of auth: NATS accepts users that the issuer has signed, encrypts its
// requests for the encryption key, and lets the system key list and end connections.
import { join } from 'node:path';
import { signNatively } from '@millrace/bus';
import { MillraceError } from '@millrace/contracts';
import { createAccount, createCurve, createUser, fromCurveSeed, fromSeed, type KeyPair } from '@nats-io/nkeys';
import { readSecret, writeSecret } from './secret-file.ts';

/** Public keys. */
export type CalloutKeys = Record<CalloutKeyName, string>;
type CalloutKeyName = keyof typeof KINDS;

const readNatively = (seed: Uint8Array): KeyPair => signNatively(fromSeed(seed));

const KINDS = {
  issuer: { create: () => signNatively(createAccount()), read: readNatively, seed: /^SA[A-Z2-7]{56}$/ },
  encryption: { create: createCurve, read: fromCurveSeed, seed: /^SX[A-Z2-7]{56}$/ },
  system: { create: () => signNatively(createUser()), read: readNatively, seed: /^SU[A-Z2-7]{56}$/ },
} as const;

export const locateCalloutKeyFile = (folder: string, name: CalloutKeyName): string =>
  join(folder, 'auth', `${name}.nk`);

/** Creates the seeds that are missing. @param rotate replaces all of them @throws config-invalid for a damaged seed */
export async function openCalloutKeys(folder: string, rotate: boolean): Promise<CalloutKeys> {
  const open = async (name: CalloutKeyName): Promise<string> => {
    const file = locateCalloutKeyFile(folder, name);
    const known = rotate ? undefined : await readSecret(file);
    if (known !== undefined) return parseCalloutKey(name, known, file).getPublicKey();
    const pair = KINDS[name].create();
    await writeSecret(file, Buffer.from(pair.getSeed()).toString());
    return pair.getPublicKey();
  };
  return { issuer: await open('issuer'), encryption: await open('encryption'), system: await open('system') };
}

/** @param where shown in errors, which never contain the seed @throws config-invalid */
export function parseCalloutKey(name: CalloutKeyName, text: string, where: string): KeyPair {
  const { seed, read } = KINDS[name];
  try {
    if (seed.test(text.trim())) return read(Buffer.from(text.trim()));
  } catch {
    // Reported below: the error of the library could quote the seed.
  }
  throw new MillraceError('config-invalid', `The file ${where} contains no seed of the ${name} key of the callout.`, {
    path: `AUTH_${name.toUpperCase()}_FILE`,
    remedy: 'Restore the file, or create new keys of auth: millrace keys --rotate auth.',
  });
}
