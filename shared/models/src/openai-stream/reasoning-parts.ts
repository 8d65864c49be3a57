// Makes parts of the reasoning that compatible servers send as `reasoning_content` of chat completions: the AI SDK's OpenAI client drops it. The
// SDK gives the parts of an event after its raw part, so that the reasoning of a raw part has its place in the stream. Pure.
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { isObject } from '@millrace/contracts';

type Part = LanguageModelV4StreamPart;

/** Returns a function for the parts of one stream: the parts before the given one. */
export function createReasoningReader(): (part: Part) => readonly Part[] {
  let opened = 0;
  let id: string | undefined;
  const close = (): Part[] => {
    const closed: Part[] = id === undefined ? [] : [{ type: 'reasoning-end', id }];
    id = undefined;
    return closed;
  };
  return (part) => {
    if (part.type !== 'raw') return endsReasoning(part) ? close() : [];
    const delta = readReasoning(part.rawValue);
    if (delta === '') return [];
    const start: Part[] = [];
    if (id === undefined) {
      id = `reasoning-${opened++}`;
      start.push({ type: 'reasoning-start', id });
    }
    return [...start, { type: 'reasoning-delta', id, delta }];
  };
}

const endsReasoning = ({ type }: Part): boolean => type !== 'response-metadata' && type !== 'stream-start';

function readReasoning(event: unknown): string {
  const choices: unknown = isObject(event) ? event['choices'] : undefined;
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const delta: unknown = isObject(choice) ? choice['delta'] : undefined;
  const text = isObject(delta) ? delta['reasoning_content'] : undefined;
  return typeof text === 'string' ? text : '';
}
