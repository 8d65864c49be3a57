// GET /v1/models: the agents that the key may run, as models.
import { MillraceError, type PublicAgent } from '@millrace/contracts';
import { openAccess } from '../access/open-access.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import { openAiErrorResponse } from './openai-error.ts';

const MS_PER_SECOND = 1_000;

const describeModel = ({ agent: { name }, appliedAt }: PublicAgent) => ({
  id: name,
  object: 'model',
  created: Math.floor(Date.parse(appliedAt) / MS_PER_SECOND),
  owned_by: 'millrace',
});

/** @param id of one model; undefined: all */
export async function serveModels(
  request: Request,
  id: string | undefined,
  context: GatewayContext,
): Promise<Response> {
  try {
    const { access, headers } = await openAccess(request, 'run', context);
    const client = await access.connectClient();
    const models = (await client.agents.listPublic()).map(describeModel);
    if (id === undefined) return Response.json({ object: 'list', data: models }, { headers });
    const model = models.find((one) => one.id === id);
    if (model) return Response.json(model, { headers });
    throw new MillraceError('agent-unknown', `No agent "${id.slice(0, 100)}" is applied.`, {
      path: 'model',
      remedy: 'GET /v1/models lists the agents of this key.',
    });
  } catch (error) {
    return openAiErrorResponse(error);
  }
}
