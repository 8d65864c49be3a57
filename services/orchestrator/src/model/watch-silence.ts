// Watches the silence of one call of a model: the time to its first token, then the time between two of its events.
import type { ModelPart } from './prompt.ts';

/** ms */
export type SilenceLimits = { firstTokenMs: number; idleMs: number };

/** Limits of a model if another candidate follows. */
export const FOLLOWED_LIMITS: SilenceLimits = { firstTokenMs: 20_000, idleMs: 30_000 };
/** Limits of the only model, or the last one: some models think for minutes before their first token. */
export const LAST_LIMITS: SilenceLimits = { firstTokenMs: 120_000, idleMs: 120_000 };

/** Events that a model sends before it has generated anything. */
const WITHOUT_TOKEN: ReadonlySet<ModelPart['type']> = new Set([
  'stream-start',
  'response-metadata',
  'raw',
  'text-start',
  'reasoning-start',
]);

export type SilenceWatch = {
  /** Fires when a limit has passed. */
  signal: AbortSignal;
  /** Records an event. */
  observe(type: ModelPart['type']): void;
  /** Stops the clock while the consumer is busy. */
  pause(): void;
  /** Starts the clock. */
  start(): void;
  end(): void;
  /** Returns the message of the error. */
  describe(): string;
};

/** Uses one timer for each of the two limits, not one for each event. The time of the consumer does not count. */
export function watchSilence({ firstTokenMs, idleMs }: SilenceLimits = LAST_LIMITS): SilenceWatch {
  const silence = new AbortController();
  let hasToken = false;
  let isWaiting = true;
  const expire = () => isWaiting && silence.abort();
  let timer = setTimeout(expire, firstTokenMs);
  return {
    signal: silence.signal,
    observe(type) {
      if (hasToken || WITHOUT_TOKEN.has(type)) return;
      hasToken = true;
      clearTimeout(timer);
      timer = setTimeout(expire, idleMs);
    },
    pause: () => void (isWaiting = false),
    start() {
      isWaiting = true;
      if (hasToken) timer.refresh();
    },
    end: () => clearTimeout(timer),
    describe: () =>
      hasToken ? `The model sent nothing for ${idleMs} ms.` : `The model sent no token for ${firstTokenMs} ms.`,
  };
}
