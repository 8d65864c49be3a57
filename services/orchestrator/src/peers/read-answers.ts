// Reads the answers of one look of discovery. Most looks find the same as the one before, and cost a hash of the answers then: decoding,
// confirming and reading advertisements takes most of a look's processor time.
import { createHash } from 'node:crypto';
import { gatherInfo, readInfo, type Bus } from '@millrace/bus';
import { readAdvertised, type AdvertisedServices } from '@millrace/contracts';
import { createInfoConfirmation } from './confirm-infos.ts';

/** @returns reads the undecoded answers of a look; `timeoutMs`: the time for confirmations */
export function createAnswerReader(bus: Bus) {
  const confirm = createInfoConfirmation(async (service, replica, timeoutMs) => {
    const [info] = await gatherInfo(bus, { service: `${service}.${replica}`, gatherMs: timeoutMs, max: 1 });
    return info;
  });
  /** The last look of which every answer was confirmed. */
  let last: { digest: string; services: AdvertisedServices } | undefined;
  return async (answers: readonly Uint8Array[], timeoutMs: number): Promise<AdvertisedServices> => {
    const digest = digestAnswers(answers);
    if (digest === last?.digest) return last.services;
    const decoded = answers.flatMap((answer) => readInfo(answer) ?? []);
    const { infos, refused, isComplete } = await confirm(decoded, timeoutMs);
    const read = readAdvertised(infos, bus.subjects);
    const services = { ...read, refused: [...refused, ...read.refused] };
    last = isComplete ? { digest, services } : undefined;
    return services;
  };
}

/** Returns the same text for the same answers in any order: the order differs from look to look. */
export function digestAnswers(answers: readonly Uint8Array[]): string {
  return answers
    .map((answer) => createHash('sha256').update(answer).digest('base64'))
    .toSorted()
    .join();
}
