// POST /v1/embeddings. Fields: https://platform.openai.com/docs/api-reference/embeddings/create
import { z } from 'zod';
import { parseBody } from '../api/parse-body.ts';
import { estimateTokens } from '../output-limit.ts';
import { embed } from './hashed-ngram.ts';

export const embeddingModelId = 'hashed-ngram';

export const embeddingNote = 'hashed n-grams: similarity of shared words and parts of words, not meaning';

const defaultDimensions = 384;

/**
 * Under OpenAI's names the vectors have OpenAI's length, so that a configuration runs unchanged without a key; they are
 * hashed n-grams all the same. https://platform.openai.com/docs/guides/embeddings
 */
const dimensionsByModel = new Map([
  ['text-embedding-3-small', 1536],
  ['text-embedding-3-large', 3072],
  ['text-embedding-ada-002', 1536],
]);

export const countDimensions = (model: string): number => dimensionsByModel.get(model) ?? defaultDimensions;

/** OpenAI's limit on texts per request; vectors can be as long as its longest, rounded up. */
const maxInputs = 2048;
const maxDimensions = 4096;

const inputText = z.string('dev-model accepts texts, not tokens').min(1, 'an empty text has no vector');

const embeddingsRequestSchema = z.object({
  model: z.string().min(1),
  input: z.union([inputText, z.array(inputText).min(1).max(maxInputs)]),
  dimensions: z.int().min(1).max(maxDimensions).nullish(),
  encoding_format: z.enum(['float', 'base64']).nullish(),
});

export async function serveEmbeddings(request: Request): Promise<Response> {
  const body = await parseBody(request, embeddingsRequestSchema);
  const inputs = [body.input].flat();
  const dimensions = body.dimensions ?? countDimensions(body.model);
  const encode = body.encoding_format === 'base64' ? encodeBase64 : toFloats;
  const tokens = inputs.reduce((sum, input) => sum + estimateTokens(input), 0);
  return Response.json(
    {
      object: 'list',
      data: inputs.map((input, index) => ({
        object: 'embedding',
        index,
        embedding: encode(embed(input, dimensions)),
      })),
      model: body.model,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    },
    { headers: { 'x-millrace-embedding': embeddingNote } },
  );
}

/** Eight digits hold a 32-bit float; most values are zero and stay one character long. */
const toFloats = (vector: Float64Array): number[] => Array.from(vector, (value) => Number(value.toPrecision(8)));

/** 32-bit little-endian floats, as OpenAI encodes them. */
function encodeBase64(vector: Float64Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return bytes.toString('base64');
}
