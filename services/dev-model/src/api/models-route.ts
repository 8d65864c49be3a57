// GET /v1/models: what the stand-in is. Any other model name is accepted too, and answered by the same stand-in.
import { dimensionsOf, embeddingModelId, embeddingNote } from '../embedding/embedding-models.ts';
import { ApiError } from './api-error.ts';

const models = [
  {
    id: 'dev-model',
    object: 'model',
    created: 0,
    owned_by: 'millrace',
    description: "Millrace's development stand-in: rules and scripts, not a language model",
  },
  {
    id: embeddingModelId,
    object: 'model',
    created: 0,
    owned_by: 'millrace',
    description: `No learned embedding: ${embeddingNote}`,
    dimensions: dimensionsOf(embeddingModelId),
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
    message: `The stand-in answers under the name '${id}' as under any other, but it has no such model to describe`,
  });
}
