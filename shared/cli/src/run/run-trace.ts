// Prints the events of a run while it is followed. The events are stored at checkpoints, so the trace reads them when a
// chunk shows that the run has passed one.
import type { RunEvent } from '@millrace/contracts';
import type { Client } from '@millrace/client';

export type RunTrace = {
  /** Reads the events if the chunk marks a checkpoint. */
  observe(chunk: { type: string }): void;
  /** Resolves when the last events are printed. */
  end(): Promise<void>;
};

const MARKS: ReadonlySet<string> = new Set([
  'step-start',
  'tool-call',
  'tool-result',
  'step-finish',
  'finish',
  'tripwire',
]);

export function startTrace(client: Client, runId: string, print: (event: RunEvent) => void): RunTrace {
  let shown = 0;
  let reading: Promise<void> = Promise.resolve();
  let isWaiting = false;
  const read = async () => {
    isWaiting = false;
    // The trace is an addition: without it the run is followed all the same.
    const events = await client.runs.eventsDetail(runId).catch(() => []);
    for (const event of events.slice(shown)) print(event);
    shown = Math.max(shown, events.length);
  };
  const schedule = () => {
    if (isWaiting) return;
    isWaiting = true;
    reading = reading.then(read);
  };
  return {
    observe: ({ type }) => (MARKS.has(type) ? schedule() : undefined),
    async end() {
      schedule();
      await reading;
    },
  };
}
