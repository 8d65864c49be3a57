// Classes against the types of the reference, as its users write them.
import type {
  ProcessInputArgs,
  ProcessLLMRequestArgs,
  ProcessOutputStepArgs,
  ProcessOutputStreamArgs,
  Processor,
} from '@mastra/core/processors';
import type { ChunkType } from '@mastra/core/stream';

/** Blocks words in the stream and reports the word. */
export class Stopword implements Processor<'stopword', { word: string }> {
  readonly id = 'stopword';
  readonly words: string[];

  constructor({ words = [] }: { words?: string[] }) {
    this.words = words;
  }

  async processOutputStream({ part, state, abort }: ProcessOutputStreamArgs<{ word: string }>): Promise<ChunkType> {
    if (part.type !== 'text-delta') return part;
    const text = ((state['text'] as string | undefined) ?? '') + part.payload.text;
    const word = this.words.find((one) => text.includes(one));
    // Keeps as many characters as can still become a word, because the state travels.
    state['text'] = text.slice(-Math.max(1, ...this.words.map(({ length }) => length)));
    return word === undefined ? part : abort(`stopword ${word}`, { metadata: { word } });
  }
}

/** Requests a retry for short answers, up to its limit. */
export class Longer implements Processor<'longer'> {
  readonly id = 'longer';
  readonly least: number;
  readonly times: number;

  constructor({ least = 20, times = 1 }: { least?: number; times?: number }) {
    this.least = least;
    this.times = times;
  }

  async processOutputStep({ text = '', messages, toolCalls, retryCount, abort }: ProcessOutputStepArgs) {
    if (text.length >= this.least || (toolCalls?.length ?? 0) > 0) return messages;
    return abort(`too short: ${text.length} of ${this.least}`, { retry: retryCount < this.times });
  }
}

/** Keeps values of a process: a Map of dates, a Set, and a timer without an end. */
export class Keeper implements Processor<'keeper'> {
  readonly id = 'keeper';

  async processInput({ messages, systemMessages, state }: ProcessInputArgs) {
    state['seen'] = new Set(messages.map(({ role }) => role));
    state['when'] = new Map([['input', messages[0]?.createdAt]]);
    state['timer'] = setTimeout(() => undefined, 60_000).unref();
    return { messages, systemMessages: [...systemMessages, { role: 'system' as const, content: 'Be brief.' }] };
  }

  async processLLMRequest({ prompt, state }: ProcessLLMRequestArgs) {
    const seen = state['seen'];
    const when = state['when'];
    // Called without the previous stage.
    if (seen === undefined) return undefined;
    if (!(seen instanceof Set) || !(when instanceof Map) || !(when.get('input') instanceof Date)) {
      throw new Error('the state did not come back as it was');
    }
    state['calls'] = new Set([...((state['calls'] as Set<number> | undefined) ?? []), prompt.length]);
    return undefined;
  }
}

/** Passes everything if it throws, and it always throws. */
export class FailingSwallower implements Processor<'swallower'> {
  readonly id = 'swallower';

  async processOutputStream({ part, abort }: ProcessOutputStreamArgs): Promise<ChunkType> {
    try {
      if (part.type === 'text-delta' && part.payload.text.includes('stop')) abort('swallowed');
    } catch {
      // continue
    }
    return part;
  }
}
