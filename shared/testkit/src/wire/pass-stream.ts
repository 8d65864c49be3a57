// A session of the wire that returns its input, except for the changes of a test.
import type { ScriptedWire, WireScript } from './serve-wire.ts';
import type { WireJson } from './wire-discovery.ts';

/** Returns the messages that replace the correct one. */
export type StreamTwist = (right: WireJson, batch: WireJson, wire: ScriptedWire) => readonly unknown[];

export const makeOpened = ({ service, replica }: ScriptedWire, more: WireJson = {}): WireJson => ({
  opened: true,
  service,
  replica,
  served: 1,
  ...more,
});

export const listChunks = (batch: WireJson): WireJson[] => (Array.isArray(batch['chunks']) ? batch['chunks'] : []);

/** A batch in the open request passes. @param verdict of a session that reaches its end */
export function passStream(
  twist: StreamTwist = (right) => [right],
  verdict: WireJson = { type: 'continue' },
): Pick<WireScript, 'call' | 'batch'> {
  const sessions = new Map<unknown, { sequence: number; processed: number }>();
  const end = { verdicts: [verdict], ms: [0] };
  return {
    call(call, wire) {
      sessions.set(call['session'], { sequence: 0, processed: 0 });
      wire.reply(makeOpened(wire, call['end'] === true ? { output: { chunks: call['chunks'] ?? [], ...end } } : {}));
    },
    batch(batch, wire) {
      const session = sessions.get(batch['session']);
      if (!session || batch['drop'] === true) return;
      session.processed += listChunks(batch).length;
      const right = {
        session: batch['session'],
        ...session,
        chunks: batch['chunks'],
        ...(batch['end'] === true && end),
      };
      for (const message of twist(right, batch, wire)) {
        wire.out(message);
        session.sequence += 1;
      }
    },
  };
}
