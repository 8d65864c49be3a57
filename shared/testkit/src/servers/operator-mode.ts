// A NATS server in operator mode: an operator has signed an account, and the account a user for each role, with the
// permissions of the role. A credentials file holds the JWT of a user and its seed, as `nsc generate creds` writes it.
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSubjects } from '@millrace/contracts';
import { ROLES, describePermissions } from '@millrace/identity';
import { encodeAccount, encodeOperator, encodeUser, fmtCreds, newScopedSigner } from '@nats-io/jwt';
import { createAccount, createOperator, createUser, type KeyPair } from '@nats-io/nkeys';

export type OperatorMode = {
  /** Folder of the credentials files, which the caller removes. */
  folder: string;
  /** Text of the configuration of nats-server. */
  config: string;
};

/** A user without restrictions: the test itself. */
const TEST_USER = 'test';
const UNLIMITED = { subs: -1, data: -1, payload: -1 };
const ANSWER_WITHIN_NS = 15 * 60_000_000_000;

/** Path of the credentials file of a role, or of `test`. */
export const credsFile = (folder: string, role: string): string => join(folder, `${role}.creds`);

/** The subject of a user is its public key: the server replaces the variable in the rights of a signing key. */
const OWN_KEY = '{{subject()}}';

/**
 * A signing key for each role holds its rights. In the JWT of a user they could exceed the length of a line that the
 * server accepts from clients (4 KiB).
 */
export async function createOperatorMode(): Promise<OperatorMode> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-creds-'));
  const [operator, account, system] = [createOperator(), createAccount(), createAccount()];
  const roles = ROLES.map(({ name, permissions }) => {
    const {
      publish,
      subscribe,
      allow_responses: answers,
    } = describePermissions(OWN_KEY, permissions(createSubjects()));
    const rights = { pub: publish, sub: subscribe, ...(answers && { resp: { max: -1, ttl: ANSWER_WITHIN_NS } }) };
    const signer = createAccount();
    return { name, signer, scope: newScopedSigner(signer, name, { ...UNLIMITED, ...rights }) };
  });
  const limits = { ...UNLIMITED, conn: -1, leaf: -1, imports: -1, exports: -1, wildcards: true };
  const jetStream = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
  const millrace = { limits: { ...limits, ...jetStream }, signing_keys: roles.map(({ scope }) => scope) };
  const jwt = {
    operator: await encodeOperator('tests', operator, { system_account: system.getPublicKey() }),
    account: await encodeAccount('millrace', account, millrace, { signer: operator }),
    system: await encodeAccount('SYS', system, { limits }, { signer: operator }),
  };
  const issuer_account = account.getPublicKey();
  for (const { name, signer } of roles) {
    const user = createUser();
    const token = await encodeUser(name, user, signer, { issuer_account }, { scopedUser: true });
    await writeCreds(credsFile(folder, name), token, user);
  }
  const tester = createUser();
  await writeCreds(credsFile(folder, TEST_USER), await encodeUser(TEST_USER, tester, account, UNLIMITED), tester);
  const config = `operator: ${jwt.operator}
system_account: ${system.getPublicKey()}
resolver: MEMORY
resolver_preload: {
  ${account.getPublicKey()}: ${jwt.account}
  ${system.getPublicKey()}: ${jwt.system}
}
`;
  return { folder, config };
}

const writeCreds = (file: string, jwt: string, user: KeyPair): Promise<void> =>
  writeFile(file, fmtCreds(jwt, user), { mode: 0o600 });
