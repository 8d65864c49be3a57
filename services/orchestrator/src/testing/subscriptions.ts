// How many subscriptions a server has, by its monitoring page: what is not given back shows up here.
import { z } from 'zod';

const pageSchema = z.object({ connections: z.array(z.object({ subscriptions: z.number() })) });

export async function subscriptionsOf(monitorUrl: string): Promise<number> {
  const { connections } = pageSchema.parse(await (await fetch(`${monitorUrl}/connz`)).json());
  return connections.reduce((sum, { subscriptions }) => sum + subscriptions, 0);
}
