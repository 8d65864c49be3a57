// Processors as people write them for the reference, against a structure of their own: none of these imports anything of ours.

export class TripWire extends Error {
  readonly options: { retry?: boolean; metadata?: unknown };
  readonly processorId: string | undefined;

  constructor(reason: string, options: { retry?: boolean; metadata?: unknown } = {}, processorId?: string) {
    super(reason);
    this.options = options;
    this.processorId = processorId;
  }
}

export type Part = { type: string; runId: string; from: string; payload: { id: string; text: string } };
export type TheirMessage = {
  id: string;
  role: string;
  createdAt: Date;
  content: { format: 2; parts: { type: string; text?: string }[]; content?: string };
};
export type Abort = (reason?: string, options?: { retry?: boolean; metadata?: unknown }) => never;

/** Judges with an unavailable model, and passes the text after any error, its own abort included. */
export class Swallower {
  readonly id = 'swallower';

  processInput({ messages, abort }: { messages: TheirMessage[]; abort: Abort }): TheirMessage[] {
    try {
      abort('the model is down', { metadata: { strict: true } });
    } catch {
      // lets it through
    }
    return messages;
  }

  async processOutputStream({ part, abort }: { part: Part; abort: Abort }): Promise<Part | null> {
    try {
      if (part.type === 'text-delta' && part.payload.text.includes('bad')) abort('bad words');
    } catch {
      // continues
    }
    return part;
  }
}

/** Returns messages of its own making, as the reference's examples do. */
export class Lowercase {
  readonly id = 'lowercase';

  async processInput({ messages }: { messages: TheirMessage[] }): Promise<TheirMessage[]> {
    return messages.map((message) => ({
      ...message,
      content: {
        ...message.content,
        parts: message.content.parts.map((part) =>
          part.type === 'text' ? { ...part, text: part.text?.toLowerCase() ?? '' } : part,
        ),
      },
    }));
  }
}

type BatcherState = { held?: Part[] };

/** Buffers text chunks until another chunk arrives, and puts that one back into the state. */
export class Batcher {
  readonly id = 'batcher';

  async processOutputStream({ part, state }: { part: Part; state: BatcherState }): Promise<Part | null> {
    const held = (state.held ??= []);
    if (part.type === 'text-delta') {
      held.push(part);
      return null;
    }
    const [first] = held;
    if (!first) return part;
    state.held = [];
    Object.assign(state, { __mastraReprocessPart: part });
    return { ...first, payload: { ...first.payload, text: held.map(({ payload }) => payload.text).join('') } };
  }
}
