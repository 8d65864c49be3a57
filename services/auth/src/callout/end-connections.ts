// Ends connections of NATS by the name of their user, through the system account. A connection with an authentication
// under way is not listed yet: a second round finds it.
import { decode, encode, isNoResponders, type Bus } from '@millrace/bus';
import { SYSTEM_SUBJECTS } from '@millrace/identity';
import { z } from 'zod';

export type ConnectionEnder = {
  /** Ends the connections of the user at once, and those that were connecting at that moment. */
  end(user: string): void;
  /** Ends the connections of refused users: a key may have been revoked while no replica of auth was up. */
  endRefused(isRefused: (user: string) => Promise<boolean>): Promise<void>;
  stop(): void;
};

/** NATS gives an authentication 2 s; a connection that it accepts after a revocation is listed by then. */
const SECOND_ROUND_MS = 3_000;
/** Servers of a cluster answer within this time. */
const ANSWER_WITHIN_MS = 500;
const PAGE = 512;
/** Of one server: 512,000 connections. */
const MAX_PAGES = 1_000;

const answerSchema = z.object({
  server: z.object({ id: z.string().regex(/^N[A-Z2-7]{55}$/) }),
  data: z.object({
    connections: z.array(z.object({ cid: z.number().int(), authorized_user: z.string().optional() })),
  }),
});
type FoundConnection = { server: string; cid: number; user: string };

/**
 * @param system a connection in the system account
 * @param page connections in one answer of a server
 */
export function createConnectionEnder(system: Bus, page = PAGE): ConnectionEnder {
  const timers = new Set<NodeJS.Timeout>();
  // NATS ignores a request without a reply subject. Its answer is of no use: the second round is the check.
  const answers = system.inbox.open(() => undefined);
  const kick = ({ server, cid }: FoundConnection) => {
    if (system.nc.isClosed()) return;
    system.nc.publish(SYSTEM_SUBJECTS.kick(server), encode({ cid }), { reply: answers.subject });
  };
  const endNow = async (user: string) => {
    // Each answer counts at once: a silent server of the cluster delays no other. A full page has successors.
    let hasMore = true;
    for (let at = 0; at < MAX_PAGES && hasMore; at += 1)
      hasMore = await listPage(system, { user, limit: page }, (found) => found.user === user && kick(found));
  };
  return {
    end(user) {
      void endNow(user);
      const timer = setTimeout(() => {
        timers.delete(timer);
        void endNow(user);
      }, SECOND_ROUND_MS);
      timers.add(timer);
    },
    async endRefused(isRefused) {
      const refused: FoundConnection[] = [];
      for (let at = 0, hasMore = true; at < MAX_PAGES && hasMore; at += 1) {
        const found: FoundConnection[] = [];
        hasMore = await listPage(system, { offset: at * page, limit: page }, (one) => found.push(one));
        for (const one of found) if (await isRefused(one.user)) refused.push(one);
      }
      // An earlier end would move the connections of the next page.
      refused.forEach(kick);
    },
    stop: () => {
      answers.release();
      timers.forEach((timer) => clearTimeout(timer));
    },
  };
}

/** Passes the connections of all servers as they arrive. Resolves with true if a server has a further page. */
function listPage(
  system: Bus,
  filter: { user?: string; offset?: number; limit: number },
  take: (found: FoundConnection) => unknown,
): Promise<boolean> {
  return new Promise((resolve) => {
    let hasMore = false;
    const finish = () => {
      clearTimeout(timer);
      inbox.release();
      resolve(hasMore);
    };
    const inbox = system.inbox.open(
      (message) => {
        if (isNoResponders(message)) return finish();
        const answer = decode(message.data, answerSchema, message.subject);
        if ('error' in answer) {
          return system.log.error({ error: answer.error.message }, 'the list of connections of NATS is invalid');
        }
        const { server, data } = answer.ok;
        hasMore ||= data.connections.length >= filter.limit;
        for (const { cid, authorized_user: user = '' } of data.connections) take({ server: server.id, cid, user });
      },
      SYSTEM_SUBJECTS.connections,
      finish,
    );
    const timer = setTimeout(finish, ANSWER_WITHIN_MS);
    const ask = encode({ auth: true, ...filter });
    system.nc.publish(SYSTEM_SUBJECTS.connections, ask, { reply: inbox.subject });
  });
}
