// GET /v1/models: the models of dev-model. It accepts any other model name too.
import { countDimensions, embeddingModelId, embeddingNote } from '../embedding/embeddings-route.ts';
import { ApiError } from './api-error.ts';

const models = [
  {
    id: 'dev-model',
    object: 'model',
    created: 0,
    owned_by: 'millrace',
    description: "Millrace's development stand-in: canned exchanges and scripts, not a language model",
  },
  {
    id: embeddingModelId,
    object: 'model',
    created: 0,
    owned_by: 'millrace',
    description: `Not a learned embedding: ${embeddingNote}`,
    dimensions: countDimensions(embeddingModelId),
  },
];

export const listModels = (): Response => Response.json({ object: 'list', data: models });

export function showModel(id: string): Response {
  const model = models.find((candidate) => candidate.id === id);
  if (model !== undefined) return Response.json(model);
  throw new ApiError({
    status: 404,
    code: 'model_not_found',
    param: 'model',
    message: `dev-model answers under any model name, '${id}' included, but it has no such model to describe`,
  });
}
