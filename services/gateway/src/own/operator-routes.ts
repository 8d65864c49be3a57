// Routes of operators: suspended runs with their tokens, dead letters, processors.
import {
  API,
  MillraceError,
  keyIdSchema,
  keyRequestSchema,
  processorInfoSchema,
  refusedEndpointSchema,
  shownKeySchema,
  suspensionSchema,
  threadIdSchema,
  tokenSchema,
  tryRequestSchema,
} from '@millrace/contracts';
import { z } from 'zod';
import { runTry } from '../checks/run-check.ts';
import { defineRoute, type OwnRoute } from './define-route.ts';

const pageSchema = z.object({
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  after: z.coerce.number().int().min(0).default(0),
});

export const OPERATOR_ROUTES: readonly OwnRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/processors',
    id: 'listProcessors',
    summary:
      'Lists the processors that running services advertise, with their options and the load of each replica, and the rejected advertisements.',
    verb: 'processors',
    answer: z.object({
      processors: z.array(processorInfoSchema),
      refused: z.array(refusedEndpointSchema),
      refusedTotal: z.number().int().min(0),
    }),
    async handle({ access }) {
      const { processors, refused, refusedTotal } = await (
        await access.connectOperator()
      ).processors.survey({ loads: true });
      return { processors, refused, refusedTotal };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/processors/{processor}/try',
    id: 'tryProcessor',
    summary:
      'Judges a text, or messages, with one processor at one stage. Returns the verdict, the changed text and the violations with spans. Nothing is stored.',
    verb: 'processors-try',
    body: tryRequestSchema.omit({ processor: true, budget: true }),
    answer: API['processors-try'].answer,
    async handle({ access, params: { processor = '' }, body, context }) {
      if (!tokenSchema.safeParse(processor).success)
        throw new MillraceError('processor-unknown', 'No running service has a processor of that name.');
      return runTry(access, { ...body, processor }, context);
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/status',
    id: 'getStatus',
    summary: 'Returns the version of an orchestrator, and the streams with their sizes and limits.',
    verb: 'status',
    answer: API.status.answer,
    handle: async ({ access }) => (await access.connectOperator()).status(),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/models/health',
    id: 'getModelHealth',
    summary: 'Returns the providers, and the state of each model of an applied agent.',
    verb: 'models',
    answer: API.models.answer,
    handle: async ({ access }) => (await access.connectOperator()).models(),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/erasures',
    id: 'eraseResource',
    summary:
      'Erases a resource in every store. Returns the progress; a repeated request with the same eraseId returns it again.',
    verb: 'erase',
    body: z.strictObject({ resourceId: threadIdSchema, eraseId: tokenSchema.optional() }),
    answer: API.erase.answer,
    handle: async ({ access, body: { resourceId, eraseId } }) =>
      (await access.connectOperator()).erase(resourceId, eraseId === undefined ? {} : { eraseId }),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/keys',
    id: 'listKeys',
    summary: 'Lists the API keys of the tenant, without their secrets.',
    verb: 'keys-list',
    answer: z.object({ keys: z.array(shownKeySchema) }),
    handle: async ({ access }) => ({ keys: await (await access.connectOperator('admin')).keys.list() }),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/keys',
    id: 'createKey',
    summary: 'Creates an API key. No other answer contains it.',
    verb: 'keys-create',
    body: keyRequestSchema,
    answer: API['keys-create'].answer,
    status: 201,
    handle: async ({ access, body }) => (await access.connectOperator('admin')).keys.create(body),
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/keys/{key}',
    id: 'revokeKey',
    summary: 'Revokes an API key at once.',
    verb: 'keys-revoke',
    answer: API['keys-revoke'].answer,
    async handle({ access, params: { key = '' } }) {
      if (!keyIdSchema.safeParse(key).success)
        throw new MillraceError('key-unknown', 'The tenant has no API key of that id.');
      await (await access.connectOperator('admin')).keys.revoke(key);
      return { id: key };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/suspended',
    id: 'listSuspended',
    summary: 'Lists suspended runs with their open questions and approvals, and the tokens that answer them.',
    verb: 'suspended-list',
    answer: z.object({ suspended: z.array(suspensionSchema) }),
    handle: async ({ access }) => ({ suspended: await (await access.connectOperator()).runs.listSuspended() }),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/dead-letters',
    id: 'listDeadLetters',
    summary: 'Lists runs and saves that were given up.',
    verb: 'dead-letters-list',
    query: pageSchema,
    answer: API['dead-letters-list'].answer,
    handle: async ({ access, query }) => (await access.connectOperator()).deadLetters.list(query),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/dead-letters/{run}/retry',
    id: 'retryDeadLetter',
    summary: 'Starts a run again under the returned id, or defers a save again.',
    verb: 'dead-letters-retry',
    answer: API['dead-letters-retry'].answer,
    async handle({ access, params: { run = '' } }) {
      if (!tokenSchema.safeParse(run).success) throw new MillraceError('run-unknown', 'The run does not exist.');
      return (await access.connectOperator()).deadLetters.retry(run);
    },
  }),
];
