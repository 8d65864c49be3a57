// Names of the members of chunks: which of them are ids, names and states, which are envelopes, and which a guard need not judge as names.
import { CHUNK_MEMBERS, hasIdFormat, hasStructureFormat, MESSAGE_MEMBERS } from '@millrace/contracts';

/** Ids of Millrace and of providers, and names of tools: not text in the form of an id, in any position. */
const IDS: ReadonlySet<string> = new Set([
  'approvalId',
  'approvalRequestId',
  'containerId',
  'fileId',
  'id',
  'itemId',
  'messageId',
  'processorId',
  'responseId',
  'toolCallId',
  'toolName',
]);
/** Other names and states: not text in their form, in any position. */
const STRUCTURE: ReadonlySet<string> = new Set([
  'createdAt',
  'digest',
  'encryptedContent',
  'eventTimestamp',
  'finishReason',
  'kind',
  'label',
  'mimeType',
  'model',
  'modelId',
  'namespace',
  'phase',
  'reasoningEncryptedContent',
  'redactedData',
  'resourceId',
  'role',
  'serviceTier',
  'signature',
  'sourceType',
  'state',
  'threadId',
  'timestamp',
  'type',
]);
/** Names of members that may hold an id, a name or a state instead of text. */
export const STRUCTURE_NAMES: readonly string[] = [...IDS, ...STRUCTURE];
/** For these types an additional member is not text. */
export const NO_TEXT: Record<string, readonly string[]> = {
  'tool-output-denied': ['code'],
  finish: [],
  'step-finish': [],
};
/** Envelopes of messages, calls and provider data: their content is text unless its name is in STRUCTURE. */
export const ENVELOPES = new Set([
  'output',
  'messages',
  'metadata',
  'providerMetadata',
  'response',
  'stepResult',
  'totalUsage',
  'warnings',
]);
/** Only for these types is `output` such an envelope: elsewhere it belongs to a tool. */
export const STEP_ENDS = new Set(['step-finish', 'finish']);
/** Inside these, all strings are text, for every key. */
export const TEXT_INSIDE = new Set(['args', 'result']);
/** Bytes of a file are not text, except those of a text type; a URL in their place is text. */
export const FILES = new Set(['file', 'reasoning-file']);
export const BYTES = new Set(['data', 'base64']);

/** Further members of envelopes. */
const USUAL = [
  'cachedInputTokens',
  'content',
  'cost',
  'format',
  'fromCache',
  'inputTokens',
  'isContinued',
  'millrace',
  'openai',
  'outputTokens',
  'parts',
  'reasoning',
  'reasoningTokens',
  'source',
  'steps',
  'text',
  'toolCalls',
  'toolInvocation',
  'totalTokens',
  'usage',
];
const KNOWN: ReadonlySet<string> = new Set([
  ...CHUNK_MEMBERS,
  ...MESSAGE_MEMBERS,
  ...IDS,
  ...STRUCTURE,
  ...ENVELOPES,
  ...BYTES,
  ...USUAL,
]);
/** Returns whether Millrace or its provider's client chose the name; every other name is text. */
export const isKnownName = (name: string): boolean => KNOWN.has(name);

export const isIdName = (name: string): boolean => IDS.has(name);

/** Returns whether the member is no text: its name is that of an id, a name or a state, and its value has their form. */
export function isStructure(name: string, value: unknown): boolean {
  if (IDS.has(name)) return hasIdFormat(value);
  if (!STRUCTURE.has(name)) return false;
  return (name === 'label' || typeof value !== 'object' || value === null) && hasStructureFormat(name, value);
}
