import { cosineSimilarity, embedMany } from 'ai';
import { describe, expect, test } from 'vitest';
import { startDevModelUnderTest } from '../testing/dev-model-under-test.ts';

const { openai, post } = await startDevModelUnderTest();

describe('embeddings', () => {
  test('texts that share words have similar embeddings through embedMany', async () => {
    const { embeddings, usage } = await embedMany({
      model: openai.embedding('hashed-ngram'),
      values: ['Where did I park?', 'I always park in the garage.', 'The invoice was paid.'],
    });
    const [question = [], statement = [], stranger = []] = embeddings;
    expect(question).toHaveLength(384);
    expect(cosineSimilarity(question, statement)).toBeGreaterThan(cosineSimilarity(question, stranger) + 0.2);
    expect(usage.tokens).toBeGreaterThan(10);
  });

  test.each([
    ['hashed-ngram', undefined, 384],
    ['text-embedding-3-small', undefined, 1536],
    ['text-embedding-3-large', 256, 256],
    ['whatever', undefined, 384],
  ])('embeddings of %s with dimensions %s have length %s', async (model, dimensions, length) => {
    const { embeddings } = await embedMany({
      model: openai.embedding(model),
      values: ['Hello'],
      providerOptions: { openai: { ...(dimensions !== undefined && { dimensions }) } },
    });
    expect(embeddings[0]).toHaveLength(length);
    expect(Math.hypot(...(embeddings[0] ?? []))).toBeCloseTo(1, 6);
  });

  test('base64 embeddings are the same vectors as 32-bit floats', async () => {
    const embed = async (encoding_format: string) => {
      const response = await post('/v1/embeddings', { model: 'hashed-ngram', input: 'Hello there', encoding_format });
      const [, embedding] = /"embedding":("[^"]*"|\[[^\]]*\])/.exec(await response.text()) ?? [];
      return embedding ?? '';
    };
    const floats: number[] = JSON.parse(await embed('float'));
    const bytes = Buffer.from(await embed('base64'), 'base64');
    expect(bytes).toHaveLength(384 * 4);
    for (const [index, float] of floats.entries()) expect(bytes.readFloatLE(index * 4)).toBeCloseTo(float, 6);
  });

  test('the models route describes the embeddings as hashed n-grams', async () => {
    const response = await post('/v1/embeddings', { model: 'text-embedding-3-small', input: 'Hello' });
    expect(response.headers.get('x-millrace-embedding')).toContain('not meaning');
  });

  test.each([
    [{ input: 'Hello' }, 'model'],
    [{ model: 'm' }, 'input'],
    [{ model: 'm', input: '' }, 'input'],
    [{ model: 'm', input: ['a', ''] }, 'input[1]'],
    [{ model: 'm', input: [[1, 2]] }, 'input[0]'],
    [{ model: 'm', input: 'a', dimensions: 0 }, 'dimensions'],
    [{ model: 'm', input: 'a', dimensions: 1e9 }, 'dimensions'],
    [{ model: 'm', input: 'a', encoding_format: 'hex' }, 'encoding_format'],
  ])('dev-model rejects the embedding request %j by field', async (body, param) => {
    const response = await post('/v1/embeddings', body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', param } });
  });
});
