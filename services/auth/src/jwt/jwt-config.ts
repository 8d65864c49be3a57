// Reads the configuration of JWT: one issuer, one audience, a list of algorithms, and the table that maps a claim to
// scopes. Nothing in a token can widen it.
import { readFileSync } from 'node:fs';
import { DEFAULT_TENANT, MillraceError, scopeSchema, tokenSchema, type Scope } from '@millrace/contracts';
import { z } from 'zod';

/** Asymmetric ones only: with a symmetric one, the readers of the key set could sign tokens. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const;
const DEFAULT_ALGORITHMS = 'RS256,PS256,ES256,EdDSA';
/** Own rights only: `operate` and `admin` have to be mapped. */
const DEFAULT_SCOPES = '{"run":["run"],"read":["read"],"answer":["answer"]}';

const algorithmsSchema = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .pipe(z.array(z.enum(ALGORITHMS)).min(1));

const scopeTableSchema = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'is not JSON' });
      return z.NEVER;
    }
  })
  .pipe(z.record(z.string().min(1), z.array(scopeSchema).min(1)));

/** A plain address would let its network choose the keys. */
const keySetUrlSchema = z
  .url()
  .refine((url) => /^https:\/\/|^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?\//.test(url), {
    message: 'must be https, except on this machine',
  });

export const jwtConfigSchema = z.object({
  AUTH_JWT_ISSUER: z.string().optional(),
  AUTH_JWT_AUDIENCE: z.string().optional(),
  AUTH_JWT_JWKS_URL: keySetUrlSchema.optional(),
  AUTH_JWT_JWKS_FILE: z.string().optional(),
  AUTH_JWT_ALGORITHMS: algorithmsSchema.prefault(DEFAULT_ALGORITHMS),
  AUTH_JWT_TENANT: tokenSchema.default(DEFAULT_TENANT),
  AUTH_JWT_TENANT_CLAIM: z.string().optional(),
  AUTH_JWT_SUBJECT_CLAIM: z.string().default('sub'),
  AUTH_JWT_SCOPES_CLAIM: z.string().default('scope'),
  AUTH_JWT_SCOPES: scopeTableSchema.prefault(DEFAULT_SCOPES),
});
type JwtEnvironment = z.output<typeof jwtConfigSchema>;

export type KeySet = { url: string } | { file: string; text: string };
export type ClaimTable = {
  /** Tenant of a token without `tenantClaim`. */
  tenant: string;
  /** A token has to name its tenant in this claim. */
  tenantClaim: string | undefined;
  subjectClaim: string;
  scopesClaim: string;
  /** Scopes by the value of the claim; `*`: of every token. */
  scopes: Readonly<Record<string, readonly Scope[]>>;
};
export type JwtSettings = {
  issuer: string;
  audience: string;
  algorithms: readonly string[];
  keySet: KeySet;
  claims: ClaimTable;
};

/** Returns undefined without an issuer: every JWT is refused then. @throws config-invalid */
export function readJwtSettings(env: JwtEnvironment): JwtSettings | undefined {
  const { AUTH_JWT_ISSUER: issuer, AUTH_JWT_AUDIENCE: audience } = env;
  const { AUTH_JWT_JWKS_URL: url, AUTH_JWT_JWKS_FILE: file } = env;
  if ([issuer, audience, url, file].every((value) => value === undefined)) return undefined;
  if (issuer === undefined) throw createProblem('AUTH_JWT_ISSUER', 'is missing', 'the `iss` of the tokens');
  if (audience === undefined) throw createProblem('AUTH_JWT_AUDIENCE', 'is missing', 'the `aud` of the tokens');
  if ((url === undefined) === (file === undefined)) {
    throw createProblem('AUTH_JWT_JWKS_URL', 'or AUTH_JWT_JWKS_FILE is needed, and not both', 'the key set');
  }
  return {
    issuer,
    audience,
    algorithms: env.AUTH_JWT_ALGORITHMS,
    keySet: file === undefined ? { url: url ?? '' } : { file, text: readKeySet(file) },
    claims: {
      tenant: env.AUTH_JWT_TENANT,
      tenantClaim: env.AUTH_JWT_TENANT_CLAIM,
      subjectClaim: env.AUTH_JWT_SUBJECT_CLAIM,
      scopesClaim: env.AUTH_JWT_SCOPES_CLAIM,
      scopes: env.AUTH_JWT_SCOPES,
    },
  };
}

function readKeySet(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const error = createProblem('AUTH_JWT_JWKS_FILE', `(${file}) cannot be read`, 'a file of this machine');
    throw Object.assign(error, { cause });
  }
}

const createProblem = (variable: string, problem: string, wanted: string): MillraceError =>
  new MillraceError('config-invalid', `${variable} ${problem}.`, {
    path: variable,
    remedy: `Set ${variable} to ${wanted}, or no variable that starts with AUTH_JWT_.`,
  });
