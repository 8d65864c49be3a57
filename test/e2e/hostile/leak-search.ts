// Searches for a secret in every place where a run could have left it: live messages, every stream and bucket of the
// server (dead letters too), the stores of the memories, the services' logs. Reports the places, so that a failure
// names the leak.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestBus, TestStack } from '@millrace/testkit';

export type LeakSearch = {
  /** Returns the places that contain any of the secrets, each once. Empty: none. */
  find(...secrets: string[]): Promise<string[]>;
  stop(): void;
};

type LeakPlace = { where: string; text: string };
type StreamList = { streams?: string[] | null };
type Info = { state: { first_seq: number; last_seq: number } };
type StoredRecord = { message?: { subject: string; data?: string } };

/** Subscribes at once: earlier live messages are not included. @param dir folder of the stores' files */
export function searchLeaks(
  bus: TestBus['bus'],
  stack: TestStack,
  services: readonly string[],
  dir: string,
): LeakSearch {
  const live: LeakPlace[] = [];
  const deltas = new Map<string, string>();
  const listening = bus.nc.subscribe(bus.subjects.allChunks, {
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

/** Joins every string under `text` and `argsTextDelta` of a batch, because a secret can be cut over deltas. */
function streamedTexts(batch: string): string {
  return [...batch.matchAll(/"(?:text|argsTextDelta)":"((?:[^"\\]|\\.)*)"/g)].map((found) => found[1] ?? '').join('');
}

async function ask<T>(bus: TestBus['bus'], verb: string, payload: object = {}): Promise<T> {
  const answer = await bus.nc.request(`$JS.API.${verb}`, JSON.stringify(payload), { timeout: 5_000 });
  return answer.json<T>();
}

async function storedPlaces(bus: TestBus['bus']): Promise<LeakPlace[]> {
  const places: LeakPlace[] = [];
  const { streams } = await ask<StreamList>(bus, 'STREAM.NAMES');
  // Excludes the agents: they name the operator's own keywords.
  for (const stream of streams?.filter((name) => name !== `KV_${bus.names.agents}`) ?? []) {
    const { state } = await ask<Info>(bus, `STREAM.INFO.${stream}`);
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const { message } = await ask<StoredRecord>(bus, `STREAM.MSG.GET.${stream}`, { seq });
      if (message)
        places.push({
          where: `${stream} ${message.subject}`,
          text: Buffer.from(message.data ?? '', 'base64').toString(),
        });
    }
  }
  return places;
}

/** SQLite stores plain text, in its log and in free pages too. */
async function filePlaces(dir: string): Promise<LeakPlace[]> {
  const names = await readdir(dir);
  return Promise.all(
    names.map(async (name) => ({ where: `file ${name}`, text: await readFile(join(dir, name), 'latin1') })),
  );
}
