// Defines the service auth: it stores API keys, verifies credentials, and answers the verbs on keys.
import { revokedKeySchema, toWireError, verifyRequestSchema } from '@millrace/contracts';
import { advertise, openJetStream, publish, serve, serveVerbs, type Bus, type MicroEndpoint } from '@millrace/bus';
import type { ServiceDefinition } from '@millrace/service';
import { z } from 'zod';
import { jwtConfigSchema, readJwtSettings } from './jwt/jwt-config.ts';
import { createJwtVerifier } from './jwt/verify-jwt.ts';
import { addFirstKey } from './keys/first-key.ts';
import { openKeyStore } from './keys/key-store.ts';
import { createKeysApi } from './keys/keys-api.ts';
import { createRefusalLog } from './refusal-log.ts';
import { createCredentialVerifier, createRefusedError, type VerifyCredential } from './verify-credential.ts';

const VERSION = '0.1.0';
const DESCRIPTION = 'Stores API keys and verifies credentials.';
const MAX_REPLICAS = 5;

const configSchema = jwtConfigSchema.extend({
  AUTH_FIRST_KEY_FILE: z.string().optional().describe('file with an API key that is registered at the start'),
  STREAM_REPLICAS: z.coerce.number().int().min(1).max(MAX_REPLICAS).default(1),
});

export const authService: ServiceDefinition<typeof configSchema> = {
  name: 'auth',
  version: VERSION,
  config: configSchema,
  async start({ bus, config, log, resources, watchHealth }) {
    const settings = readJwtSettings(config);
    const verifyJwt = settings && createJwtVerifier(settings);
    const store = await openKeyStore(await openJetStream(bus), {
      replicas: config.STREAM_REPLICAS,
      onRemoved: (keyId) => publish(bus, bus.subjects.revoked, revokedKeySchema.parse({ keyId })),
    });
    resources.add('API keys', () => store.stop());
    watchHealth(store.findProblem);
    if (config.AUTH_FIRST_KEY_FILE !== undefined) {
      log.info({ keyId: await addFirstKey(store, config.AUTH_FIRST_KEY_FILE) }, 'the first key is registered');
    }
    const api = createKeysApi(store, (action, { id, tenant }) => log.info({ keyId: id, tenant }, `API key ${action}`));
    const endpoints = serveVerbs(bus, api);
    const verifying = serveVerification(bus, createCredentialVerifier(store, verifyJwt));
    resources.add('requests', async (remainingMs) => {
      const all = [verifying, ...endpoints.map(({ serving }) => serving)];
      await Promise.all(all.map((serving) => serving.drain(remainingMs())));
    });
    resources.add('discovery', advertiseVerbs(bus, endpoints));
  },
};

const advertiseVerbs = (bus: Bus, endpoints: MicroEndpoint[]) =>
  advertise(bus, { name: bus.name, version: VERSION, description: DESCRIPTION, endpoints: () => endpoints });

/** Replicas share the requests. */
function serveVerification(bus: Bus, verify: VerifyCredential) {
  const logRefusal = createRefusalLog(bus.log);
  return serve(bus, {
    subject: bus.subjects.verify,
    queue: 'auth-verify',
    request: verifyRequestSchema,
    handle: async ({ credential }) => {
      const verified = await verify(credential);
      if ('ok' in verified) return verified;
      logRefusal(verified);
      // A thrown error would be logged with each request.
      return { error: toWireError(createRefusedError()) };
    },
  });
}
