// The vector store of a test file: collections of its own in the Qdrant of the run, or a database file of the embedded store.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findQdrant, useQdrant } from '@millrace/testkit';
import { afterAll } from 'vitest';

export type RecallStore = {
  /** Variables of semantic-recall. */
  env: Record<string, string>;
  /** Returns everything in the store, to search for data that must not be stored. */
  readStored(): Promise<string>;
};

/** The model for embeddings of dev-model, which accepts other names too. */
const MODEL = 'openai/hashed-ngram';

/** Call it at the top of a test file. Without Qdrant, the file runs on the embedded store. */
export function useRecallStore(store: 'qdrant' | 'embedded' = 'qdrant'): RecallStore {
  const qdrant = store === 'qdrant' ? findQdrant() : undefined;
  if (qdrant) return useQdrant(qdrant, MODEL);
  const folder = mkdtempSync(join(tmpdir(), 'millrace-vectors-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return {
    env: { SQLITE_PATH: join(folder, 'vectors.db'), EMBEDDING_MODEL: MODEL },
    readStored: async () =>
      readdirSync(folder)
        .map((file) => readFileSync(join(folder, file), 'utf8'))
        .join('\n'),
  };
}
