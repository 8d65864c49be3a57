// Writes OpenAI's wire: chat completions and responses, whole and as the events of a stream. Imports nothing.
export * from './chat-completion.ts';
export { chooseErrorType, type OpenAiError } from './openai-error.ts';
export * from './response.ts';
export * from './response-item.ts';
export * from './item-events.ts';
export type { TokenCounts } from './token-counts.ts';
