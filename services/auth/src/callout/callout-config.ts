// Reads the keys of the auth callout from their files. They belong together: without one of them a callout could not be
// answered, or its connections not be ended.
import { MillraceError } from '@millrace/contracts';
import { readConnectionFile } from '@millrace/bus';
import { parseCalloutKey } from '@millrace/identity';
import type { KeyPair } from '@nats-io/nkeys';
import { z } from 'zod';

export const calloutConfigSchema = z.object({
  AUTH_ISSUER_FILE: z.string().optional().describe('file with the seed that signs users of NATS'),
  AUTH_ENCRYPTION_FILE: z.string().optional().describe('file with the seed for which NATS encrypts its requests'),
  AUTH_SYSTEM_FILE: z.string().optional().describe('file with the seed of the user that ends connections'),
});
type CalloutEnvironment = z.output<typeof calloutConfigSchema>;

export type CalloutFiles = { issuer: string; encryption: string; system: string };
export type Signer = { issuer: KeyPair; encryption: KeyPair };

/** Returns undefined without files: NATS has no callout then. @throws config-invalid if one is missing */
export function readCalloutFiles(env: CalloutEnvironment): CalloutFiles | undefined {
  const { AUTH_ISSUER_FILE: issuer, AUTH_ENCRYPTION_FILE: encryption, AUTH_SYSTEM_FILE: system } = env;
  if (issuer !== undefined && encryption !== undefined && system !== undefined) return { issuer, encryption, system };
  if (issuer === undefined && encryption === undefined && system === undefined) return undefined;
  const path =
    issuer === undefined ? 'AUTH_ISSUER_FILE' : encryption === undefined ? 'AUTH_ENCRYPTION_FILE' : 'AUTH_SYSTEM_FILE';
  throw new MillraceError('config-invalid', `${path} is missing.`, {
    path,
    remedy: 'Set AUTH_ISSUER_FILE, AUTH_ENCRYPTION_FILE and AUTH_SYSTEM_FILE, or none of them.',
  });
}

/** @throws config-invalid */
export function readSigner({ issuer, encryption }: CalloutFiles): Signer {
  return {
    issuer: parseCalloutKey('issuer', readConnectionFile(issuer, 'AUTH_ISSUER_FILE'), issuer),
    encryption: parseCalloutKey('encryption', readConnectionFile(encryption, 'AUTH_ENCRYPTION_FILE'), encryption),
  };
}
