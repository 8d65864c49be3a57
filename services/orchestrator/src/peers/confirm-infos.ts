// Confirms the advertisements of discovery. Every user of the bus may answer the request to all services, in any name.
// The subject of one replica is different: only the user of that service may subscribe to it. An answer that has not
// been seen yet is therefore requested once more there, and only that one counts.
import { createHash } from 'node:crypto';
import { isToken, toShownText, type RefusedEndpoint, type SrvInfo } from '@millrace/contracts';

/** @returns the answer on the subject of that replica, or undefined without one */
export type AskReplicaInfo = (service: string, replica: string, timeoutMs: number) => Promise<SrvInfo | undefined>;
type Confirmation = { info: SrvInfo } | { refused: RefusedEndpoint };
export type ConfirmedInfos = {
  infos: SrvInfo[];
  refused: RefusedEndpoint[];
  /** Whether each answer equals that of its replica, so that a look with the same answers finds the same without another request. */
  isComplete: boolean;
};

/** Returns a function that confirms the answers of one look; it remembers those of the look before. */
export function createInfoConfirmation(ask: AskReplicaInfo) {
  let known = new Map<string, string>();
  return async (all: readonly SrvInfo[], timeoutMs: number): Promise<ConfirmedInfos> => {
    const seen = new Map<string, string>();
    const confirm = async (answers: readonly SrvInfo[], first: SrvInfo): Promise<Confirmation> => {
      // Invalid names are refused when the advertisement is read.
      if (!isToken(first.name) || !isToken(first.id)) return { info: first };
      const address = `${first.name}.${first.id}`;
      const digest = known.get(address);
      const isKnown = digest !== undefined && answers.every((answer) => digestInfo(answer) === digest);
      const confirmed = isKnown ? first : await ask(first.name, first.id, timeoutMs);
      if (confirmed?.name !== first.name || confirmed.id !== first.id) return { refused: describeUnconfirmed(first) };
      seen.set(address, isKnown ? digest : digestInfo(confirmed));
      return { info: confirmed };
    };
    const found = await Promise.all(
      groupByAddress(all).flatMap((answers) => answers.slice(0, 1).map((first) => confirm(answers, first))),
    );
    known = seen;
    return {
      isComplete: all.every((answer) => seen.get(`${answer.name}.${answer.id}`) === digestInfo(answer)),
      infos: found.flatMap((one) => ('info' in one ? [one.info] : [])),
      refused: found.flatMap((one) => ('refused' in one ? [one.refused] : [])),
    };
  };
}

/** An answer can have 2 MiB, so the memory between two looks holds its hash. */
const digestInfo = (info: SrvInfo): string => createHash('sha256').update(JSON.stringify(info)).digest('base64');

/** Several users may answer in the name of one replica. */
function groupByAddress(all: readonly SrvInfo[]): SrvInfo[][] {
  return [...Map.groupBy(all, ({ name, id }) => JSON.stringify([name, id])).values()];
}

function describeUnconfirmed({ name, id }: SrvInfo): RefusedEndpoint {
  const shown = toShownText(name);
  return { service: shown, name: shown, problem: `it does not answer $SRV.INFO.${shown}.${toShownText(id)}` };
}
