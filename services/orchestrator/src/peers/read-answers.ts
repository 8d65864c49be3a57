// Reads the answers of one look of discovery. Most looks find the same as the one before, and cost a hash of the answers then: decoding,
// confirming and reading advertisements takes most of a look's processor time.
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { gatherInfo, readInfo, type Bus } from '@millrace/bus';
import { readAdvertised, type AdvertisedServices, type SrvInfo } from '@millrace/contracts';
import { createInfoConfirmation } from './confirm-infos.ts';

/** Maximum number of processes that are read; further answers are ignored. */
const MAX_ANSWERS = 5_000;

/** @returns reads the undecoded answers of a look; `timeoutMs`: the time for confirmations */
export function createAnswerReader(bus: Bus) {
  const confirm = createInfoConfirmation(async (service, replica, timeoutMs) => {
    const [info] = await gatherInfo(bus, { service: `${service}.${replica}`, gatherMs: timeoutMs, max: 1 });
    return info;
  });
  /** The last look of which every answer was confirmed. */
  let last: { hashes: readonly string[]; services: AdvertisedServices } | undefined;
  return async (answers: readonly Uint8Array[], timeoutMs: number): Promise<AdvertisedServices> => {
    const valid = selectValid(answers, new Set(last?.hashes));
    const hashes = valid.map(({ hash }) => hash).toSorted();
    if (last && isDeepStrictEqual(hashes, last.hashes)) return last.services;
    const infos = valid.flatMap(({ data, info = readInfo(data) }) => info ?? []).slice(0, MAX_ANSWERS);
    const { infos: confirmed, refused, isComplete } = await confirm(infos, timeoutMs);
    const read = readAdvertised(confirmed, bus.subjects);
    const services = { ...read, refused: [...refused, ...read.refused] };
    last = isComplete ? { hashes, services } : undefined;
    return services;
  };
}

type ValidAnswer = { hash: string; data: Uint8Array; info?: SrvInfo };

/**
 * Removes the answers that are no advertisement: a foreign service that answers with other bytes at each look must not cost the reading of
 * all. Decodes only the answers that are not known. @param known hashes of valid answers
 */
export function selectValid(answers: readonly Uint8Array[], known: ReadonlySet<string>): ValidAnswer[] {
  return answers.flatMap((data): ValidAnswer[] => {
    const hash = createHash('sha256').update(data).digest('base64');
    if (known.has(hash)) return [{ hash, data }];
    const info = readInfo(data);
    return info ? [{ hash, data, info }] : [];
  });
}
