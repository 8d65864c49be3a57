// The route that exchanges a key for a token of NATS, for pages that follow many runs over WebSocket.
import { BUS_TOKEN_SECONDS, exchangeScopesSchema, hashCaller, threadIdSchema, tokenSchema } from '@millrace/contracts';
import { buildInboxPrefix, exchangeCredential } from '@millrace/identity';
import { z } from 'zod';
import { readCredential } from '../access/credentials.ts';
import { refuseSession } from '../console/session-access.ts';
import { defineRoute, type OwnRoute } from './define-route.ts';

const { min, max, default: preset } = BUS_TOKEN_SECONDS;

export const BUS_TOKEN_ROUTES: readonly OwnRoute[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/bus-tokens',
    id: 'createBusToken',
    summary: 'Exchanges the key for a short-lived token of NATS with the rights of an end client.',
    scope: 'read',
    body: z.strictObject({
      scopes: exchangeScopesSchema.default(['read']),
      expiresInSeconds: z.number().int().min(min).max(max).default(preset),
    }),
    answer: z.object({
      token: z.string().describe('token of a connection to NATS'),
      expiresAt: z.iso.datetime().describe('NATS ends the connection then'),
      tenant: tokenSchema,
      subject: threadIdSchema,
      caller: tokenSchema.describe('token of the subjects of the API'),
      inboxPrefix: z.string().describe('prefix of the inboxes of the connection'),
      chunks: z.string().describe('subject of the chunks of all runs of the caller'),
    }),
    status: 201,
    async handle({ access, body: { scopes, expiresInSeconds }, request, context }) {
      refuseSession(request);
      const { bus } = context;
      const wanted = {
        scopes,
        ttlSeconds: expiresInSeconds,
        ...(access.subject !== undefined && { subject: access.subject }),
      };
      const issued = await exchangeCredential(bus, { credential: readCredential(request.headers), ...wanted });
      const { token, expiresAt, tenant, subject } = issued;
      const caller = await hashCaller(tenant, subject);
      const chunks = bus.subjects.patterns.chunks(tenant, caller);
      return { token, expiresAt, tenant, subject, caller, inboxPrefix: buildInboxPrefix(caller), chunks };
    },
  }),
];
