// Looks for a secret wherever a run could have left it: what clients saw live, every stream and bucket of the server (the dead ends too),
// the stores of the memories, the services' logs. Says where it was found, so that a failure names the leak.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestBus, TestStack } from '@millrace/testkit';

export type LeakSearch = {
  /** Where any of the secrets stands now, each place once. Empty: nowhere. */
  find(...secrets: string[]): Promise<string[]>;
  stop(): void;
};

type Place = { where: string; text: string };
type Listed = { streams?: string[] | null };
type Info = { state: { first_seq: number; last_seq: number } };
type Stored = { message?: { subject: string; data?: string } };

/** Starts to listen at once: what was published live before is not seen. @param dir where stores keep their files */
export function searchLeaks(
  bus: TestBus['bus'],
  stack: TestStack,
  services: readonly string[],
  dir: string,
): LeakSearch {
  const live: Place[] = [];
  const deltas = new Map<string, string>();
  const listening = bus.nc.subscribe(bus.subjects.chunks('tenant', 'run').replace('tenant.run', '>'), {
    callback: (_error, message) => {
      const text = message.string();
      live.push({ where: `live ${message.subject}`, text });
      deltas.set(message.subject, (deltas.get(message.subject) ?? '') + streamedTexts(text));
    },
  });
  return {
    async find(...secrets) {
      await bus.nc.flush();
      const joined = [...deltas].map(([subject, text]) => ({ where: `live text of ${subject}`, text }));
      const places = [...live, ...joined, ...(await storedPlaces(bus)), ...(await filePlaces(dir))];
      for (const service of services) places.push({ where: `log of ${service}`, text: await stack.log(service) });
      return [
        ...new Set(
          places.filter(({ text }) => secrets.some((secret) => text.includes(secret))).map(({ where }) => where),
        ),
      ];
    },
    stop: () => listening.unsubscribe(),
  };
}

/** Every string under `text` and `argsTextDelta` of a batch, joined: a secret may be cut over deltas. */
function streamedTexts(batch: string): string {
  return [...batch.matchAll(/"(?:text|argsTextDelta)":"((?:[^"\\]|\\.)*)"/g)].map((found) => found[1] ?? '').join('');
}

async function ask<T>(bus: TestBus['bus'], verb: string, payload: object = {}): Promise<T> {
  const answer = await bus.nc.request(`$JS.API.${verb}`, JSON.stringify(payload), { timeout: 5_000 });
  return answer.json<T>();
}

async function storedPlaces(bus: TestBus['bus']): Promise<Place[]> {
  const places: Place[] = [];
  const { streams } = await ask<Listed>(bus, 'STREAM.NAMES');
  // The agents name the keywords that their guards look for: the operator's own words.
  for (const stream of streams?.filter((name) => name !== `KV_${bus.names.agents}`) ?? []) {
    const { state } = await ask<Info>(bus, `STREAM.INFO.${stream}`);
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const { message } = await ask<Stored>(bus, `STREAM.MSG.GET.${stream}`, { seq });
      if (message)
        places.push({
          where: `${stream} ${message.subject}`,
          text: Buffer.from(message.data ?? '', 'base64').toString(),
        });
    }
  }
  return places;
}

/** SQLite keeps text as it is, also in its log and in pages that are free. */
async function filePlaces(dir: string): Promise<Place[]> {
  const names = await readdir(dir);
  return Promise.all(
    names.map(async (name) => ({ where: `file ${name}`, text: await readFile(join(dir, name), 'latin1') })),
  );
}
