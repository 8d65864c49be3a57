// Reads the endpoints of http-guard from a JSON file, when the service starts. Agents name an endpoint; URL and
// credentials are in this file only.
import { MillraceError, jsonObjectSchema, listIssues } from '@millrace/contracts';
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { isAllowedAddress } from './address-rules.ts';

const MAX_ENDPOINTS = 100;
/** Below the 30 s of a stage call of http-guard. */
const MAX_TIMEOUT_MS = 25_000;
const MEBIBYTE = 1_048_576;

/** Name of an endpoint. */
export const endpointNameSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'expected lower-case letters, digits and -');
const byteLimit = z
  .int()
  .min(1_024)
  .max(16 * MEBIBYTE)
  .default(MEBIBYTE);
const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'expected the name of a header');
/** Headers that frame the request. */
const RESERVED = ['content-length', 'content-type', 'connection', 'host', 'transfer-encoding', 'upgrade', 'expect'];

const endpointSchema = z
  .strictObject({
    url: z.url({ protocol: /^https?$/ }),
    format: z.enum(['millrace', 'litellm']),
    headers: z
      .record(headerName, z.string().regex(/^[\t\x20-\x7e]*$/, 'expected printable ASCII'))
      .refine((headers) => !Object.keys(headers).some((name) => RESERVED.includes(name.toLowerCase())), {
        message: `must not set ${RESERVED.join(', ')}`,
      })
      .default({}),
    caFile: z.string().min(1).optional(),
    allowPrivate: z.boolean().default(false),
    timeoutMs: z.int().min(1).max(MAX_TIMEOUT_MS).default(4_000),
    maxRequestBytes: byteLimit,
    maxResponseBytes: byteLimit,
    connections: z.int().min(1).max(1_000).default(16),
    breaker: z
      .strictObject({
        failures: z.int().min(1).max(1_000).default(5),
        openMs: z.int().min(1).max(3_600_000).default(10_000),
      })
      .prefault({}),
    params: jsonObjectSchema.default({}),
  })
  .superRefine(({ url, allowPrivate }, context) => {
    const parsed = URL.parse(url);
    const problem = parsed ? findUrlProblem(parsed, allowPrivate) : undefined;
    if (problem) context.addIssue({ code: 'custom', message: problem, path: ['url'] });
  });

const fileSchema = z.strictObject({
  endpoints: z
    .record(endpointNameSchema, endpointSchema)
    .refine((all) => Object.keys(all).length <= MAX_ENDPOINTS, { message: `at most ${MAX_ENDPOINTS} endpoints` }),
});

/** `ca`: certificates in PEM instead of the public ones. */
export type EndpointConfig = Omit<z.output<typeof endpointSchema>, 'caFile'> & { ca?: string };
export type EndpointConfigs = ReadonlyMap<string, EndpointConfig>;

/** Never quotes the URL, which may contain a secret. */
function findUrlProblem(
  { protocol, hostname, username, password, hash }: URL,
  allowPrivate: boolean,
): string | undefined {
  if (username !== '' || password !== '') return 'must not contain credentials; use headers';
  if (hash !== '') return 'must not contain a fragment';
  if (protocol === 'http:' && !allowPrivate) return 'must be https, unless allowPrivate is true';
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 && !isAllowedAddress(address, allowPrivate))
    return 'must not be a private, local or reserved address, unless allowPrivate is true for a private one';
  return undefined;
}

/**
 * @param path relative to the working directory; paths in the file are relative to the file
 * @throws config-invalid with every problem of the file
 */
export async function readEndpointConfigs(path: string): Promise<EndpointConfigs> {
  const file = resolve(path);
  const parsed = fileSchema.safeParse(parseJson(await readConfigFile(file)));
  if (!parsed.success) {
    const issues = listIssues(parsed.error, 'config-invalid');
    const problems = issues.map((issue) => `${issue.path ?? 'file'}: ${issue.message}`).join('; ');
    throw new MillraceError('config-invalid', `HTTP_GUARDS: ${problems}`, { issues, remedy: REMEDY });
  }
  const configs = Object.entries(parsed.data.endpoints).map(async ([name, { caFile, ...endpoint }]) => {
    const ca = caFile === undefined ? undefined : await readCertificates(name, resolve(dirname(file), caFile));
    return [name, { ...endpoint, ...(ca !== undefined && { ca }) }] as const;
  });
  return new Map(await Promise.all(configs));
}

const REMEDY = 'Correct the file of HTTP_GUARDS: docs/http-guards.md describes it.';

async function readConfigFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new MillraceError('config-invalid', `HTTP_GUARDS: the file ${path} cannot be read.`, {
      remedy: REMEDY,
      cause,
    });
  }
}

/** A TLS connection ignores a file without certificates and trusts none, which would look like a fault of the endpoint. */
async function readCertificates(name: string, path: string): Promise<string> {
  const pem = await readConfigFile(path);
  try {
    void new X509Certificate(pem);
    return pem;
  } catch (cause) {
    const message = `HTTP_GUARDS: endpoints.${name}.caFile: is not a certificate in PEM`;
    throw new MillraceError('config-invalid', message, { remedy: REMEDY, cause });
  }
}

/** The error of JSON.parse quotes the text, which contains credentials. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new MillraceError('config-invalid', 'HTTP_GUARDS: the file is not JSON.', { remedy: REMEDY });
  }
}
