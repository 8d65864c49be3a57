// Returns the number of subscriptions of a server from its monitoring page: leaked ones appear here.
import { z } from 'zod';

const pageSchema = z.object({ connections: z.array(z.object({ subscriptions: z.number() })) });

export async function countSubscriptions(monitorUrl: string): Promise<number> {
  const { connections } = pageSchema.parse(await (await fetch(`${monitorUrl}/connz`)).json());
  return connections.reduce((sum, { subscriptions }) => sum + subscriptions, 0);
}
