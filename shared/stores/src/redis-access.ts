// Reads the credentials and TLS files of the connection to Redis from the environment. Files are read at the start and at
// each reconnect, so that a rotated password or certificate needs no restart of the service.
import { MillraceError } from '@millrace/contracts';
import { readConnectionFile } from '@millrace/service';
import { z } from 'zod';

/** Credentials are absent if the address contains them. Files of TLS in PEM format; without a CA: those of Node.js. */
export type RedisAccess = {
  username?: string | undefined;
  password?: string | undefined;
  passwordFile?: string | undefined;
  tls?: { caFile?: string | undefined; certFile?: string | undefined; keyFile?: string | undefined };
};

/** Variables of the connection besides REDIS_URL, in the order of the documentation. */
const REDIS_VARIABLES = [
  'REDIS_USERNAME',
  'REDIS_PASSWORD_FILE',
  'REDIS_PASSWORD',
  'REDIS_TLS_CA_FILE',
  'REDIS_TLS_CERT_FILE',
  'REDIS_TLS_KEY_FILE',
] as const;

const environmentSchema = z.object({
  REDIS_URL: z.string().optional(),
  REDIS_USERNAME: z.string().optional().describe('user of the Redis server, if REDIS_URL contains none'),
  REDIS_PASSWORD_FILE: z.string().optional().describe('file with the password'),
  REDIS_PASSWORD: z.string().optional().describe('the password; prefer the file'),
  REDIS_TLS_CA_FILE: z.string().optional().describe('certificate authority of the server, PEM'),
  REDIS_TLS_CERT_FILE: z.string().optional().describe('own certificate, PEM'),
  REDIS_TLS_KEY_FILE: z.string().optional().describe('key of the own certificate, PEM'),
});
type RedisEnvironment = z.output<typeof environmentSchema>;

/** The part of a service's environment. */
export const redisAccessSchema = environmentSchema.transform((env, context): { redisAccess: RedisAccess } => {
  const redisAccess = toAccess(env);
  const problems = [...listContradictions(env), ...(env.REDIS_URL === undefined ? [] : listUnreadable(redisAccess))];
  for (const { path, message } of problems) context.addIssue({ code: 'custom', path: [path], message });
  return { redisAccess };
});

function toAccess(env: RedisEnvironment): RedisAccess {
  const { REDIS_TLS_CA_FILE: caFile, REDIS_TLS_CERT_FILE: certFile, REDIS_TLS_KEY_FILE: keyFile } = env;
  const hasTls = (caFile ?? certFile ?? keyFile) !== undefined;
  return {
    ...(env.REDIS_USERNAME !== undefined && { username: env.REDIS_USERNAME }),
    ...(env.REDIS_PASSWORD !== undefined && { password: env.REDIS_PASSWORD }),
    ...(env.REDIS_PASSWORD_FILE !== undefined && { passwordFile: env.REDIS_PASSWORD_FILE }),
    ...(hasTls && { tls: { caFile, certFile, keyFile } }),
  };
}

type AccessProblem = { path: string; message: string };

function listContradictions(env: RedisEnvironment): AccessProblem[] {
  const { REDIS_URL: url, REDIS_USERNAME: username, REDIS_PASSWORD: password, REDIS_PASSWORD_FILE: file } = env;
  const tls = REDIS_VARIABLES.find((name) => name.startsWith('REDIS_TLS') && env[name] !== undefined);
  const problems: AccessProblem[] = [];
  const report = (path: string, message: string) => problems.push({ path, message });
  if (password !== undefined && file !== undefined)
    report('REDIS_PASSWORD', 'is set together with REDIS_PASSWORD_FILE: set one of the two');
  if (username !== undefined && (password ?? file) === undefined)
    report('REDIS_USERNAME', 'is set without a password: set REDIS_PASSWORD_FILE too');
  if (hasCredentials(url) && (username ?? password ?? file) !== undefined)
    report('REDIS_URL', 'contains credentials, and REDIS_USERNAME or a password is set too: remove one of the two');
  if (tls !== undefined && url?.startsWith('redis://'))
    report(tls, 'needs TLS, and REDIS_URL begins with redis://: begin it with rediss://');
  if ((env.REDIS_TLS_CERT_FILE === undefined) !== (env.REDIS_TLS_KEY_FILE === undefined))
    report('REDIS_TLS_CERT_FILE', 'and REDIS_TLS_KEY_FILE belong together: set both or none');
  return problems;
}

function hasCredentials(url = ''): boolean {
  if (!URL.canParse(url)) return false;
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

function listUnreadable(access: RedisAccess): AccessProblem[] {
  try {
    readRedisAccess(access);
    return [];
  } catch (error) {
    if (!MillraceError.isInstance(error)) throw error;
    return [{ path: error.path ?? 'REDIS_URL', message: error.message }];
  }
}

/** Options of the client. */
export type RedisCredentials = {
  username?: string;
  password?: string;
  tls?: { ca?: string; cert?: string; key?: string };
};

/** Reads the files. @throws config-invalid with the variable of an unreadable file, or of an empty password */
export function readRedisAccess({ username, password, passwordFile, tls }: RedisAccess): RedisCredentials {
  const secret = passwordFile === undefined ? password : readPassword(passwordFile);
  return {
    ...(username !== undefined && { username }),
    ...(secret !== undefined && { password: secret }),
    ...(tls && { tls: readTls(tls) }),
  };
}

function readPassword(file: string): string {
  const password = readConnectionFile(file, 'REDIS_PASSWORD_FILE').replace(/\r?\n$/, '');
  if (password !== '') return password;
  throw new MillraceError('config-invalid', `The file ${file} is empty.`, {
    path: 'REDIS_PASSWORD_FILE',
    remedy: 'Write the password into the file.',
  });
}

function readTls({ caFile, certFile, keyFile }: NonNullable<RedisAccess['tls']>) {
  return {
    ...(caFile !== undefined && { ca: readConnectionFile(caFile, 'REDIS_TLS_CA_FILE') }),
    ...(certFile !== undefined && { cert: readConnectionFile(certFile, 'REDIS_TLS_CERT_FILE') }),
    ...(keyFile !== undefined && { key: readConnectionFile(keyFile, 'REDIS_TLS_KEY_FILE') }),
  };
}
