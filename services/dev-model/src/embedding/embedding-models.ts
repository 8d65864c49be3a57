// Embedding models of dev-model. Under OpenAI's names the vectors have OpenAI's length, so that a configuration runs
// unchanged without a key; they are hashed n-grams all the same.
export const embeddingModelId = 'hashed-ngram';

export const embeddingNote = 'hashed n-grams: similarity of shared words and parts of words, not meaning';

const defaultDimensions = 384;

/** https://platform.openai.com/docs/guides/embeddings */
const dimensionsByModel = new Map([
  ['text-embedding-3-small', 1536],
  ['text-embedding-3-large', 3072],
  ['text-embedding-ada-002', 1536],
]);

export const countDimensions = (model: string): number => dimensionsByModel.get(model) ?? defaultDimensions;
