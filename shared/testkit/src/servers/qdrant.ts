// Gives a test file collections of its own in the Qdrant of the run.
import { afterAll } from 'vitest';
import { readServers } from './provided-servers.ts';

type QdrantVariables = { QDRANT_URL: string; QDRANT_API_KEY?: string };

export type TestQdrant = {
  /** Variables of semantic-recall. The name of the embedding model is the file's own, and collections are named by it. */
  env: QdrantVariables & { EMBEDDING_MODEL: string };
  /** Returns all points of the collections, to search for data that must not be stored. */
  readStored(): Promise<string>;
};

const MAX_POINTS = 10_000;

/** Returns undefined if this run has no Qdrant. */
export function findQdrant(): QdrantVariables | undefined {
  const { qdrant } = readServers();
  if ('unavailable' in qdrant) return undefined;
  return { QDRANT_URL: qdrant.url, ...(qdrant.apiKey !== undefined && { QDRANT_API_KEY: qdrant.apiKey }) };
}

/** Call it at the top of a test file, or in a describe. @param model is the beginning of the model's name */
export function useQdrant(server: QdrantVariables, model: string): TestQdrant {
  const { QDRANT_URL: url, QDRANT_API_KEY: key } = server;
  const id = crypto.randomUUID();
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'api-key': key }) };
    const response = await fetch(new URL(path, url), { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!response.ok) throw new Error(`Qdrant: HTTP ${response.status} for ${method} ${path}`);
    return response.json();
  };
  const listCollections = async () => {
    const names = JSON.stringify(await ask('GET', '/collections')).match(/(?<="name":")[^"]+/g) ?? [];
    return names.filter((name) => name.includes(id));
  };
  afterAll(async () => {
    for (const name of await listCollections()) await ask('DELETE', `/collections/${name}`);
  });
  return {
    env: { ...server, EMBEDDING_MODEL: `${model}-${id}` },
    async readStored() {
      const body = { limit: MAX_POINTS, with_payload: true, with_vector: false };
      const points = (await listCollections()).map((name) => ask('POST', `/collections/${name}/points/scroll`, body));
      return JSON.stringify(await Promise.all(points));
    },
  };
}
