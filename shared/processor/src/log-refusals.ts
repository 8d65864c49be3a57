// Logs the advertisements of this service that orchestrators have rejected: no agent that is applied from then on calls them.
import { buildRefusalSubject, refusalNoticeSchema, type RefusedEndpoint } from '@millrace/contracts';
import { listen, type Bus, type Listening } from '@millrace/bus';

/** Number of rejections that are logged, each once: every orchestrator sends them, at each change of the services. */
const MAX_LOGGED = 100;

/** Listens until it is stopped. The log of an installation ignores those of another prefix on the same server. */
export function logRefusals(bus: Bus): Listening {
  const logged = new Set<string>();
  return listen(bus, buildRefusalSubject(bus.name), refusalNoticeSchema, ({ prefix, refused }) => {
    if (prefix !== bus.subjects.prefix) return;
    for (const one of refused) {
      const { name, problem } = one;
      const key = JSON.stringify([name, problem]);
      if (logged.has(key) || logged.size >= MAX_LOGGED) continue;
      logged.add(key);
      bus.log.warn({ name, problem, remedy: chooseRemedy(one) }, 'advertised but refused: agents do not find it');
    }
  });
}

const chooseRemedy = ({ owner }: RefusedEndpoint): string =>
  owner === undefined
    ? 'Correct its description, and start the service again.'
    : `Give it another id, or stop the service "${owner}".`;
