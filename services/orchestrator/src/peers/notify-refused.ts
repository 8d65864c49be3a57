// Notifies services of their rejected advertisements: the services have no right to ask for them.
import {
  MAX_REFUSAL_NOTICE,
  buildRefusalSubject,
  isToken,
  type RefusalNotice,
  type RefusedEndpoint,
} from '@millrace/contracts';
import { publish, type Bus } from '@millrace/bus';

/** A problem contains parts of the advertisement: a longer one could exceed the message size of the server, and fail discovery. */
const MAX_PROBLEM_CHARACTERS = 1_000;
const shorten = (one: RefusedEndpoint): RefusedEndpoint => ({
  ...one,
  problem: one.problem.slice(0, MAX_PROBLEM_CHARACTERS),
});

/** A service with a name that is no token has no subject. */
export function notifyRefused(bus: Bus, refused: readonly RefusedEndpoint[]): void {
  const { prefix } = bus.subjects;
  for (const [service, all] of Map.groupBy(refused, ({ service }) => service)) {
    if (!isToken(service)) continue;
    const notice: RefusalNotice = { prefix, refused: all.slice(0, MAX_REFUSAL_NOTICE).map(shorten) };
    publish(bus, buildRefusalSubject(service), notice);
  }
}
