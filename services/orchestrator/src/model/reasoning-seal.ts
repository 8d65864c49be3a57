// Sends the reasoning of a model back to it with its signature. A seal binds the provider's opaque data to the texts that the model
// wrote: reasoning that a processor has changed, or that another model reads, is dropped with its item. Pure.
import { isObject, type ChunkOf, type MessagePart, type Prompt } from '@millrace/contracts';
import { createHash } from 'node:crypto';
import { filterMetadata, type ProviderMetadata } from './provider-values.ts';

type ReasoningPart = Extract<MessagePart, { type: 'reasoning' }>;
type ReasoningEnd = ChunkOf<'reasoning-end'>['payload'];

/** Member of a part's metadata with `modelId` and `digest`, next to those of providers. A provider cannot set it. */
const SEAL = 'millrace';
/** Names under which providers give data that they accept back. */
const SIGNATURES = ['signature', 'reasoningEncryptedContent', 'redactedData', 'thoughtSignature'];

/** Collects the reasoning of one answer as the model sends it. Texts of one item of the provider share a seal. */
export type ReasoningSealer = {
  addText(partId: string, item: string, text: string): void;
  /** Returns the metadata of an ended part: with a seal over the texts of its item so far, if the provider signed it. */
  seal(item: string, metadata: ProviderMetadata | undefined): ProviderMetadata | undefined;
};

/** `digest`: of the text so far; absent after a further piece. A provider may sign each of many parts of an item. */
type SealedText = { text: string; digest?: string };

export function createReasoningSealer(modelId: string): ReasoningSealer {
  const items = new Map<string, Map<string, SealedText>>();
  return {
    addText(partId, item, text) {
      const texts = items.get(item) ?? new Map<string, SealedText>();
      items.set(item, texts.set(partId, { text: (texts.get(partId)?.text ?? '') + text }));
    },
    seal(item, metadata) {
      if (!isSigned(metadata)) return metadata;
      const texts = [...(items.get(item)?.values() ?? [])];
      const digests = texts.map((part) => (part.digest ??= digestText(part.text)));
      return { ...metadata, [SEAL]: { modelId, digest: joinDigests(digests) } };
    },
  };
}

/** Returns the provider's id of the item that a part belongs to, or the id of the part. */
export function readItem(metadata: unknown, partId: string): string {
  const ids = Object.values(isObject(metadata) ? metadata : {}).map((members) =>
    isObject(members) ? members['itemId'] : undefined,
  );
  return ids.find((id) => typeof id === 'string') ?? partId;
}

/**
 * Adds the metadata of its end to a part of a message, and removes the signature from the earlier parts of its item: the seal of the
 * last part is over all of them.
 */
export function sealAnswerPart(
  parts: readonly MessagePart[],
  part: MessagePart,
  { id, providerMetadata }: ReasoningEnd,
): void {
  if (part.type !== 'reasoning' || !isObject(providerMetadata)) return;
  const item = readItem(providerMetadata, id);
  for (const earlier of parts)
    if (earlier.type === 'reasoning' && readItem(earlier.providerMetadata, '') === item)
      earlier.providerMetadata = removeSignature(earlier.providerMetadata);
  part.providerMetadata = providerMetadata;
}

function removeSignature(metadata: unknown): object {
  const { [SEAL]: _, ...providers } = isObject(metadata) ? metadata : {};
  const unsigned = Object.entries(providers).map(([provider, members]) => [
    provider,
    Object.fromEntries(Object.entries(Object(members)).filter(([name]) => !SIGNATURES.includes(name))),
  ]);
  return Object.fromEntries(unsigned);
}

/** Returns the reasoning part of a prompt. `keepSealed` decides at the call whether the model receives it. */
export function buildReasoningPart({ reasoning, providerMetadata }: ReasoningPart) {
  const providerOptions = isObject(providerMetadata) ? readOptions(providerMetadata) : undefined;
  return providerOptions ? [{ type: 'reasoning' as const, text: reasoning, providerOptions }] : [];
}

function readOptions({ [SEAL]: seal, ...metadata }: Record<string, unknown>): ProviderMetadata | undefined {
  const options = filterMetadata(metadata);
  return options && { ...options, ...readSeal(seal) };
}

const readSeal = (seal: unknown): ProviderMetadata =>
  isObject(seal) ? { [SEAL]: { modelId: String(seal['modelId']), digest: String(seal['digest']) } } : {};

type PromptPart = { type?: unknown; text?: unknown; providerOptions?: unknown };

/**
 * Returns the prompt with the reasoning that the model wrote itself and that nothing has changed, without the seals. A message is left
 * out if none of its parts remains, because compatible servers refuse an empty one.
 */
export function keepSealed(prompt: Prompt, modelId: string): Prompt {
  return prompt.flatMap((message) => {
    const content: unknown = message['content'];
    if (message.role !== 'assistant' || !Array.isArray(content) || !content.some(isReasoning)) return [message];
    const parts: PromptPart[] = content;
    const items = Map.groupBy(parts.filter(isReasoning), (part, at) => readItem(part.providerOptions, `part ${at}`));
    const kept = new Set([...items.values()].filter((item) => isIntact(item, modelId)).flat());
    const last = parts.findLastIndex((part) => !isReasoning(part));
    // A provider refuses reasoning without the item that followed it.
    const sent = parts.flatMap((part, at) => {
      if (!isReasoning(part)) return [part];
      return kept.has(part) && at < last ? [removeSeal(part)] : [];
    });
    return sent.length > 0 ? [{ ...message, content: sent }] : [];
  });
}

const isReasoning = (part: unknown): part is PromptPart => isObject(part) && part['type'] === 'reasoning';

/** Returns whether the last part of the item has a seal of the model over the texts of all its parts. */
function isIntact(item: readonly PromptPart[], modelId: string): boolean {
  const options = item.at(-1)?.providerOptions;
  const seal = isObject(options) ? options[SEAL] : undefined;
  if (!isObject(seal) || seal['modelId'] !== modelId) return false;
  return seal['digest'] === joinDigests(item.map(({ text }) => digestText(String(text))));
}

function removeSeal(part: PromptPart): PromptPart {
  const { [SEAL]: _, ...providerOptions } = isObject(part.providerOptions) ? part.providerOptions : {};
  return { ...part, providerOptions };
}

export const isSigned = (metadata: ProviderMetadata | undefined): metadata is ProviderMetadata =>
  Object.values(metadata ?? {}).some((members) => SIGNATURES.some((name) => typeof members[name] === 'string'));

const digestText = (text: string): string => createHash('sha256').update(text).digest('base64url');
const joinDigests = (digests: readonly string[]): string => digestText(digests.join(' '));
