// Defines the service auth: it stores API keys, verifies credentials, answers the verbs on keys, and decides for NATS
// about connections with a credential.
import {
  MillraceError,
  exchangeRequestSchema,
  revokedKeySchema,
  toWireError,
  verifyRequestSchema,
} from '@millrace/contracts';
import { advertise, openJetStream, publish, serve, serveVerbs, type Bus, type MicroEndpoint } from '@millrace/bus';
import type { ServiceContext, ServiceDefinition } from '@millrace/service';
import { z } from 'zod';
import { calloutConfigSchema, readCalloutFiles } from './callout/callout-config.ts';
import { serveCallout, type Callout } from './callout/serve-callout.ts';
import { jwtConfigSchema, readJwtSettings } from './jwt/jwt-config.ts';
import { createJwtVerifier } from './jwt/verify-jwt.ts';
import { addFirstKey } from './keys/first-key.ts';
import { isExpired } from './keys/key-rules.ts';
import { openKeyStore, type KeyStore } from './keys/key-store.ts';
import { createKeysApi } from './keys/keys-api.ts';
import { createRefusalLog } from './refusal-log.ts';
import { createExchange } from './tokens/exchange-credential.ts';
import { createCredentialVerifier, createRefusedError, type VerifyCredential } from './verify-credential.ts';

const VERSION = '0.1.0';
const DESCRIPTION = 'Stores API keys and verifies credentials.';
const MAX_REPLICAS = 5;

const configSchema = jwtConfigSchema.extend(calloutConfigSchema.shape).extend({
  AUTH_FIRST_KEY_FILE: z.string().optional().describe('file with an API key that is registered at the start'),
  STREAM_REPLICAS: z.coerce.number().int().min(1).max(MAX_REPLICAS).default(1),
});
type AuthContext = ServiceContext<z.output<typeof configSchema>>;

export const authService: ServiceDefinition<typeof configSchema> = {
  name: 'auth',
  version: VERSION,
  config: configSchema,
  async start(context) {
    const { bus, config, log, resources, watchHealth } = context;
    const settings = readJwtSettings(config);
    const verifyJwt = settings && createJwtVerifier(settings);
    let callout: Callout | undefined;
    const store = await openKeyStore(await openJetStream(bus), {
      replicas: config.STREAM_REPLICAS,
      onRemoved: (keyId) => {
        publish(bus, bus.subjects.revoked, revokedKeySchema.parse({ keyId }));
        callout?.endKey(keyId);
      },
    });
    resources.add('API keys', () => store.stop());
    watchHealth(store.findProblem);
    if (config.AUTH_FIRST_KEY_FILE !== undefined) {
      const { keyId, isRevoked } = await addFirstKey(store, config.AUTH_FIRST_KEY_FILE);
      if (isRevoked) log.warn({ keyId }, 'the first key is revoked and stays refused: docs/security.md replaces it');
      else log.info({ keyId }, 'the first key is registered');
    }
    const verify = createCredentialVerifier(store, verifyJwt);
    callout = await openCallout(context, { store, verify });
    const api = createKeysApi(store, (action, { id, tenant }) => log.info({ keyId: id, tenant }, `API key ${action}`));
    const endpoints = serveVerbs(bus, api);
    const answering = [serveVerification(bus, verify), ...(callout ? [serveExchange(bus, verify, callout)] : [])];
    resources.add('requests', async (remainingMs) => {
      const all = [...answering, ...endpoints.map(({ serving }) => serving)];
      await Promise.all(all.map((serving) => serving.drain(remainingMs())));
    });
    resources.add('discovery', advertiseVerbs(bus, endpoints));
  },
};

async function openCallout(
  { bus, config, log, resources, connectAs }: AuthContext,
  { store, verify }: { store: KeyStore; verify: VerifyCredential },
): Promise<Callout | undefined> {
  const files = readCalloutFiles(config);
  if (!files) {
    log.info('NATS asks about no connection: AUTH_ISSUER_FILE, AUTH_ENCRYPTION_FILE and AUTH_SYSTEM_FILE are not set');
    return undefined;
  }
  const system = await connectAs({ name: 'auth-system', nkeyFile: files.system });
  const isKnownKey = async (keyId: string) => {
    const record = await store.find(keyId);
    return record !== undefined && !isExpired(record, Date.now());
  };
  const reportRefusal = createRefusalLog(log);
  const callout = serveCallout({ bus, system, files, verify, isKnownKey, reportRefusal });
  resources.add('auth callout', (remainingMs) => callout.drain(remainingMs()));
  return callout;
}

const advertiseVerbs = (bus: Bus, endpoints: MicroEndpoint[]) =>
  advertise(bus, { name: bus.name, version: VERSION, description: DESCRIPTION, endpoints: () => endpoints });

/** Without a callout NATS could not read a bus token. */
function serveExchange(bus: Bus, verify: VerifyCredential, { getIssuer: issuer }: Callout) {
  const handle = createExchange({ verify, getIssuer: issuer, reportRefusal: createRefusalLog(bus.log) });
  return serve(bus, { subject: bus.subjects.exchange, queue: 'auth-exchange', request: exchangeRequestSchema, handle });
}

/** Replicas share the requests. */
function serveVerification(bus: Bus, verify: VerifyCredential) {
  const logRefusal = createRefusalLog(bus.log);
  return serve(bus, {
    subject: bus.subjects.verify,
    queue: 'auth-verify',
    request: verifyRequestSchema,
    handle: async ({ credential }) => {
      // A thrown error would be logged with each request.
      const verified = await verify(credential).catch((error: unknown) => {
        if (MillraceError.isInstance(error)) return error;
        throw error;
      });
      if ('ok' in verified) return verified;
      const isOutage = MillraceError.isInstance(verified);
      logRefusal(isOutage ? { refused: `${verified.code}: ${verified.message}` } : verified);
      return { error: toWireError(isOutage ? verified : createRefusedError()) };
    },
  });
}
