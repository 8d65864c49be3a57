// Text to vectors, by the provider's embedding API.
import { embedMany, type EmbeddingModel } from 'ai';
import { MillraceError } from '@millrace/contracts';
import { toModelError } from './model-error.ts';
import { suggestRemedy } from './provider-remedy.ts';

type EmbedOptions = {
  abortSignal: AbortSignal;
  /** Receives the tokens of a call. */
  onUsage?: ((usage: { inputTokens?: number | undefined }) => void) | undefined;
};

export type Embedder = {
  /** The router id, for example `openai/text-embedding-3-small`. Vectors of two embedders cannot be compared. */
  readonly id: string;
  /**
   * Returns one vector per text, in order, all of one length. Without texts it makes no call. 429, 5xx and network
   * errors are retried twice with Retry-After honoured (the default of `ai`).
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<number[][]>;
};

export function createEmbedder(id: string, model: EmbeddingModel): Embedder {
  return {
    id,
    async embed(texts, { abortSignal, onUsage }) {
      abortSignal.throwIfAborted();
      if (texts.length === 0) return [];
      try {
        const { embeddings, usage } = await embedMany({ model, values: [...texts], abortSignal });
        onUsage?.({ inputTokens: usage.tokens });
        return requireSameLength(embeddings);
      } catch (error) {
        abortSignal.throwIfAborted();
        const known = toModelError(error);
        throw new MillraceError('model-call-failed', `Embedding with ${id} failed: ${known.message}`, {
          remedy: suggestRemedy(known),
          cause: error,
        });
      }
    },
  };
}

/** A store's collection has one width: another one is rejected here, closer to its cause. */
function requireSameLength(embeddings: number[][]): number[][] {
  const length = embeddings[0]?.length ?? 0;
  if (length > 0 && embeddings.every((embedding) => embedding.length === length)) return embeddings;
  throw new Error(`the vectors have lengths ${[...new Set(embeddings.map((vector) => vector.length))].join(', ')}`);
}
