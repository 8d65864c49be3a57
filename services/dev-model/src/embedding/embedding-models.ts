// Which vectors the stand-in makes. Under OpenAI's names it makes vectors of OpenAI's size, so that a configuration runs
// unchanged without a key; they are hashed n-grams all the same.
export const embeddingModelId = 'hashed-ngram';

export const embeddingNote = 'hashed n-grams: words and parts of words in common, not meaning';

const defaultDimensions = 384;

/** https://platform.openai.com/docs/guides/embeddings */
const dimensionsByModel = new Map([
  ['text-embedding-3-small', 1536],
  ['text-embedding-3-large', 3072],
  ['text-embedding-ada-002', 1536],
]);

export const dimensionsOf = (model: string): number => dimensionsByModel.get(model) ?? defaultDimensions;
