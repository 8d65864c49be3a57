// Questions among the processes of one service: which ones are up, and whether one of them has left. The server answers for a process without
// a connection: no responders.
import { z } from 'zod';
import type { Bus } from '../core/bus.ts';
import { isInbox } from '../connection/inbox.ts';
import { gather, hasLeft } from '../core/micro.ts';
import { publish } from '../core/publish.ts';
import { request } from '../core/request.ts';
import { subscribe } from '../connection/subscribe.ts';

const ASK_WITHIN_MS = 500;
const ANSWER_WITHIN_MS = 300;

const peerSchema = z.object({ id: z.string() });

/** `silent`: the question was delivered, or may have been, and no answer arrived in time. */
export type PeerAnswer = 'answered' | 'silent' | 'no-responders';

/** Answers the questions of peers until it is stopped. */
export function answerPeers(bus: Bus): { stop(): void } {
  const subscriptions = [bus.subjects.peer(), bus.subjects.peer(bus.id)].map((subject) =>
    subscribe(bus, subject, {
      take: ({ reply }) => {
        if (reply && isInbox(reply)) publish(bus, reply, { id: bus.id });
      },
    }),
  );
  return { stop: () => subscriptions.forEach((subscription) => subscription.unsubscribe()) };
}

/** Resolves with the ids of all processes that answer within 300 ms, the own one among them. */
export async function findPeers(bus: Bus): Promise<string[]> {
  const answers = await gather(bus, bus.subjects.peer(), peerSchema, { gatherMs: ANSWER_WITHIN_MS });
  return answers.map(({ id }) => id);
}

export async function askPeer(bus: Bus, id: string): Promise<PeerAnswer> {
  if (!bus.hasConnection()) return 'silent';
  const subject = bus.subjects.peer(id);
  const answer = await request(bus, { subject, payload: {}, reply: peerSchema, timeoutMs: ASK_WITHIN_MS });
  if ('ok' in answer) return 'answered';
  if (answer.error.code !== 'nobody-there') return 'silent';
  // An earlier version of the service answers on the subject of the services protocol alone.
  return (await hasLeft(bus, `${bus.name}.${id}`, ASK_WITHIN_MS)) ? 'no-responders' : 'silent';
}
