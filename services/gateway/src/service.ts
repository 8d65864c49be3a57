// Defines the service gateway: agents over HTTP, for clients that know nothing of NATS.
import { advertise, gatherPings, hasLeft, type Bus } from '@millrace/bus';
import { MillraceError } from '@millrace/contracts';
import { createVerifier } from '@millrace/identity';
import { closeRedis, connectRedis, redisAccessSchema } from '@millrace/stores';
import type { ServiceDefinition } from '@millrace/service';
import { z } from 'zod';
import { createLimits } from './access/limits.ts';
import { verifyConnected } from './access/verify-connected.ts';
import { createSessionStore } from './access/session-store.ts';
import { createSessions } from './access/sessions.ts';
import { createGatewayApp } from './gateway-app.ts';
import { VERSION } from './context/gateway-context.ts';
import { listenHttp } from './http/listen.ts';
import { createTraitReader } from './agents/agent-traits.ts';
import { createRecentRequests } from './recent/recent-requests.ts';
import { settingsSchema } from './access/settings.ts';

const configSchema = z.intersection(
  settingsSchema.extend({
    REDIS_URL: z.string().optional().describe('shares limits and repeated requests between replicas'),
  }),
  redisAccessSchema,
);

const DESCRIPTION = 'Serves agents over HTTP.';
/** Maximum wait for another gateway, ms: the server answers at once if there is none. */
const PING_MS = 500;

export const gatewayService: ServiceDefinition<typeof configSchema> = {
  name: 'gateway',
  version: VERSION,
  config: configSchema,
  async start({ bus, config, log, resources, draining, findProblem }) {
    const redis =
      config.REDIS_URL === undefined
        ? undefined
        : await connectRedis({
            url: config.REDIS_URL,
            access: config.redisAccess,
            service: 'gateway',
            store: 'limit store',
            log,
          });
    if (redis) resources.add('Redis', () => closeRedis(redis));
    else {
      await refuseSecond(bus);
      log.warn('REDIS_URL is not set: this replica counts limits alone, and a second replica is refused');
    }
    const verifier = createVerifier(bus);
    resources.add('credentials', async () => verifier.stop());
    const app = createGatewayApp({
      bus,
      log,
      settings: config,
      limits: createLimits({
        requestsPerMinute: config.REQUESTS_PER_MINUTE,
        streamsPerAccount: config.MAX_STREAMS_PER_KEY,
        streams: config.MAX_STREAMS,
        bodyBytes: config.MAX_BODY_BYTES,
        redis,
        log,
      }),
      verify: verifyConnected(bus, (credential) => verifier.verify(credential)),
      onRevoked: (listener) => verifier.onRevoked(listener),
      sessions: createSessions(createSessionStore(redis)),
      readTraits: createTraitReader(bus),
      recent: createRecentRequests({
        id: bus.id,
        hasLeft: (gateway) => hasLeft(bus, `gateway.${gateway}`, PING_MS),
        redis,
        log,
      }),
      findProblem,
      draining,
    });
    const onError = (error: unknown) => log.error({ err: error }, 'writing an answer failed');
    const server = await listenHttp(app, {
      port: config.GATEWAY_PORT,
      host: config.GATEWAY_HOST,
      maxConnections: config.MAX_CONNECTIONS,
      onError,
      onStalled: (bytes) => log.warn({ bytes }, 'a client does not read its answer: its connection is closed'),
      onRefused: (connections) => log.warn({ connections }, 'connections above MAX_CONNECTIONS are refused'),
    });
    resources.add('HTTP', (remainingMs) => server.close(remainingMs()));
    log.info({ url: server.url }, 'gateway is listening');
    const discovery = advertise(bus, {
      name: 'gateway',
      version: VERSION,
      description: DESCRIPTION,
      endpoints: () => [],
    });
    resources.add('discovery', discovery);
  },
};

/** Each of two replicas would allow the whole limit. @throws config-invalid */
async function refuseSecond(bus: Bus): Promise<void> {
  const [other] = await gatherPings(bus, 'gateway', { gatherMs: PING_MS, max: 1 });
  if (!other) return;
  throw new MillraceError('config-invalid', 'Another gateway runs, and REDIS_URL is not set.', {
    path: 'REDIS_URL',
    remedy: 'Give all gateways the same REDIS_URL, so that they share their limits, or stop the other one.',
  });
}
