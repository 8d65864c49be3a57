// Parses model ids: the provider client and one of its two language APIs.
import { MillraceError } from '@millrace/contracts';

/** responses: OpenAI's responses API. chat: chat completions, for most compatible servers. */
export type ModelApi = 'responses' | 'chat';

const API_OF_PROVIDER = new Map<string, ModelApi>([
  ['openai', 'responses'],
  ['openai-chat', 'chat'],
]);

/** @throws model-unknown, with the two forms that there are. */
export function parseModelId(id: string): { api: ModelApi; name: string } {
  const [provider, name] = split(id);
  const api = API_OF_PROVIDER.get(provider);
  if (api !== undefined && name !== '') return { api, name };
  throw new MillraceError('model-unknown', `There is no language model "${id}".`, {
    remedy: 'Write "openai/<id>" (responses) or "openai-chat/<id>" (chat completions), for example openai/gpt-5-mini.',
  });
}

/** The provider's name of an embedder: embedding has one API, so it has one prefix. @throws model-unknown */
export function parseEmbedderId(id: string): string {
  const [provider, name] = split(id);
  if (provider === 'openai' && name !== '') return name;
  throw new MillraceError('model-unknown', `There is no embedder "${id}".`, {
    remedy: 'Write "openai/<id>", for example openai/text-embedding-3-small.',
  });
}

/** Model names may hold slashes themselves ("openai-chat/meta/llama-3"): only the first one divides. */
function split(id: string): [provider: string, name: string] {
  const slash = id.indexOf('/');
  return slash < 0 ? [id, ''] : [id.slice(0, slash), id.slice(slash + 1)];
}
