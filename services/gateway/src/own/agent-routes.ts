// Routes of agents and processors. A definition holds instructions, so only operators read it whole.
import {
  API,
  MillraceError,
  checkRequestSchema,
  jsonValueSchema,
  publicAgentSchema,
  appliedAgentSchema,
} from '@millrace/contracts';
import { z } from 'zod';
import { defineRoute, type OwnRoute } from './define-route.ts';
import { runCheck } from '../checks/run-check.ts';
import { readAgent } from '../agents/read-agent.ts';

/** The members of the public part, flat. */
const shownAgentSchema = z.object({
  ...publicAgentSchema.shape.agent.shape,
  revision: z.number().int(),
  appliedAt: z.string(),
});

export const AGENT_ROUTES: readonly OwnRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/agents',
    id: 'listAgents',
    summary: 'Lists the public part of the agents that the key may use.',
    verb: 'agents-list',
    answer: z.object({ agents: z.array(shownAgentSchema) }),
    async handle({ access }) {
      const agents = await (await access.connectClient()).agents.listPublic();
      return { agents: agents.map(({ agent, revision, appliedAt }) => ({ ...agent, revision, appliedAt })) };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/agents/{agent}',
    id: 'getAgent',
    summary: 'Returns the definition of an agent and its plan.',
    scope: 'operate',
    answer: appliedAgentSchema,
    handle: async ({ access, params }) => (await access.connectOperator()).agents.get(readAgent(params, access)),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/agents/{agent}/check',
    id: 'checkTexts',
    summary:
      'Judges texts or messages with the input or output processors of an agent, without a model, memory or state. Nothing is stored.',
    verb: 'check',
    body: checkRequestSchema.omit({ agent: true, budget: true }),
    answer: API.check.answer,
    handle: ({ access, params, body, context }) =>
      runCheck(access, { ...body, agent: readAgent(params, access) }, context),
  }),
  defineRoute({
    method: 'PUT',
    path: '/v1/agents/{agent}',
    id: 'applyAgent',
    summary: 'Applies a definition. Every problem of it is an issue of one error.',
    verb: 'agents-apply',
    query: z.object({ dryRun: z.stringbool().default(false) }),
    body: z.record(z.string(), jsonValueSchema),
    answer: API['agents-apply'].answer,
    async handle({ access, params, query, body }) {
      const name = readAgent(params, access);
      if (body['name'] !== undefined && body['name'] !== name) throw createOtherNameError(name);
      return (await access.connectOperator('admin')).agents.apply({ ...body, name }, query);
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/v1/agents/{agent}',
    id: 'deleteAgent',
    summary: 'Deletes an agent. Its active runs continue to their end.',
    verb: 'agents-delete',
    answer: API['agents-delete'].answer,
    handle: async ({ access, params }) =>
      (await access.connectOperator('admin')).agents.delete(readAgent(params, access)),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/agents/{agent}/plan',
    id: 'planAgent',
    summary: 'Returns the resolved order of the processors, stage by stage.',
    verb: 'agents-plan',
    answer: API['agents-plan'].answer,
    handle: async ({ access, params }) =>
      (await access.connectOperator('admin')).agents.plan({ agent: readAgent(params, access) }),
  }),
];

function createOtherNameError(name: string): MillraceError {
  return new MillraceError(
    'message-invalid',
    `The name of the definition is another one than that of the path, "${name}".`,
    {
      path: 'name',
      remedy: 'Leave the name out of the body, or use the same one.',
    },
  );
}
