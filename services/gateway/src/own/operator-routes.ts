// Routes of operators: suspended runs with their tokens, dead letters, processors.
import { API, MillraceError, suspensionSchema, tokenSchema } from '@millrace/contracts';
import { z } from 'zod';
import { defineRoute, type OwnRoute } from './define-route.ts';

const pageSchema = z.object({
  limit: z.coerce.number().int().min(1).max(1_000).default(100),
  after: z.coerce.number().int().min(0).default(0),
});

export const OPERATOR_ROUTES: readonly OwnRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/suspended',
    id: 'listSuspended',
    summary: 'Lists suspended runs with their open questions and approvals, and the tokens that answer them.',
    scope: 'operate',
    answer: z.object({ suspended: z.array(suspensionSchema) }),
    handle: async ({ access }) => ({ suspended: await (await access.operator()).runs.listSuspended() }),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/dead-letters',
    id: 'listDeadLetters',
    summary: 'Lists runs and saves that were given up.',
    scope: 'operate',
    query: pageSchema,
    answer: API['dead-letters-list'].answer,
    handle: async ({ access, query }) => (await access.operator()).deadLetters.list(query),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/dead-letters/{run}/retry',
    id: 'retryDeadLetter',
    summary: 'Starts a run again under the returned id, or defers a save again.',
    scope: 'operate',
    answer: API['dead-letters-retry'].answer,
    async handle({ access, params: { run = '' } }) {
      if (!tokenSchema.safeParse(run).success) throw new MillraceError('run-unknown', 'The run does not exist.');
      return (await access.operator()).deadLetters.retry(run);
    },
  }),
];
