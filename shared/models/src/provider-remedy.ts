// Finds the correction of a call that failed because the base URL or the model id does not fit the provider.
import { isObject, readJson, type ModelError } from '@millrace/contracts';

/** Statuses of a server for a path that it does not implement. */
const UNKNOWN_PATH: ReadonlySet<number | undefined> = new Set([404, 405, 501]);
/** Paths of calls if the base URL has none. */
const BARE_PATHS: ReadonlySet<string> = new Set(['/responses', '/chat/completions', '/embeddings']);
/** OpenAI has all APIs: a call with this address has another error. */
const OPENAI = 'https://api.openai.com/';

/** Error code of a provider that implements the API, but does not have the model. */
const UNKNOWN_MODEL = 'model_not_found';

type ProviderAnswer = { [Member in 'statusCode' | 'url' | 'responseBody']?: ModelError[Member] | undefined };

/** Returns the remedy, in words of ours alone, or undefined if the error has another cause. */
export function suggestRemedy(error: ModelError): string | undefined {
  const { statusCode, url = '', responseBody = '' } = error;
  if (!URL.canParse(url) || url.startsWith(OPENAI)) return undefined;
  const { pathname } = new URL(url);
  if (UNKNOWN_PATH.has(statusCode)) {
    if (readErrorCode(responseBody) === UNKNOWN_MODEL) return undefined;
    if (BARE_PATHS.has(pathname))
      return 'Add the path of the provider’s API to its base URL (OPENAI_BASE_URL, GUARD_BASE_URL or EMBEDDING_BASE_URL), usually /v1.';
    if (!pathname.endsWith('/responses')) return undefined;
    return 'If the provider has the model, but no Responses API, write the id of the model as openai-chat/<id>.';
  }
  return isChatAnswer(error) ? 'Write the id of the model as openai-chat/<id>.' : undefined;
}

/**
 * Returns whether a request of the Responses API was answered with chat completions: some servers have one API on all paths. An answer with
 * the status of an error has a message of its own.
 */
export function isChatAnswer({ statusCode = 200, url = '', responseBody = '' }: ProviderAnswer): boolean {
  if (statusCode >= 400 || !url.endsWith('/responses')) return false;
  const event = readJson(responseBody)?.value;
  return isObject(event) && Array.isArray(event['choices']) && typeof event['type'] !== 'string';
}

function readErrorCode(body: string): unknown {
  const answer = readJson(body)?.value;
  return isObject(answer) && isObject(answer['error']) ? answer['error']['code'] : undefined;
}
