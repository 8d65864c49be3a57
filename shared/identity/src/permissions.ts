// Builds the permissions of a role on the subjects of the bus. A user without a permission neither publishes nor
// subscribes: every list is an allow-list, and `deny` takes single subjects out of a wildcard.
import {
  API,
  OPERATOR_CALLER,
  isOperatorVerb,
  type ApiAddress,
  type ApiVerb,
  type Subjects,
} from '@millrace/contracts';

type SubjectRules = { allow: string[]; deny?: string[] };
export type Permissions = {
  publish: SubjectRules;
  subscribe: SubjectRules;
  /** The user may publish to the reply subject of each request that it receives, and needs no inbox of its caller. */
  answers: boolean;
};

/** Services of this repository: no other user may serve their names. */
export const SHIPPED_SERVICES = [
  'orchestrator',
  'guardrails',
  'tools',
  'message-history',
  'semantic-recall',
  'working-memory',
  'gateway',
  'auth',
] as const;

export type Role = {
  name: string;
  description: string;
  permissions: (subjects: Subjects) => Permissions;
};

const SRV_VERBS = ['PING', 'INFO', 'STATS'];
/** Requests of discovery that a service answers. */
const listAnswered = (service: string) =>
  SRV_VERBS.flatMap((verb) => [`$SRV.${verb}`, `$SRV.${verb}.${service}`, `$SRV.${verb}.${service}.*`]);

const VERBS = Object.keys(API).filter((verb): verb is ApiVerb => verb in API);
/** Verbs that the memory services answer. */
const MEMORY_VERBS: Record<string, ApiVerb[]> = {
  'message-history': ['threads-list', 'threads-get', 'messages-list'],
  'working-memory': ['memory-get'],
};

const listApi = (subjects: Subjects, verbs: readonly ApiVerb[], callers: Pick<ApiAddress, 'tenant' | 'caller'>) =>
  verbs.map((verb) => subjects.patterns.api(verb, callers, API[verb].run));
const EVERYONE = { tenant: '*', caller: '*' };

function permitOrchestrator(subjects: Subjects): Permissions {
  const { patterns } = subjects;
  const own = VERBS.filter((verb) => !Object.values(MEMORY_VERBS).flat().includes(verb));
  return {
    publish: {
      allow: [
        patterns.stages('*'),
        patterns.tools('*'),
        patterns.sessions('*'),
        patterns.cancels,
        subjects.allChunks,
        subjects.logs,
        subjects.allEvents,
        subjects.allRuns,
        patterns.timers,
        subjects.controls,
        patterns.inspections,
        subjects.peer(),
        patterns.peers,
        '$SRV.>',
        '$JS.API.>',
        '$JS.ACK.>',
        '$JS.FC.>',
        '$KV.>',
      ],
    },
    subscribe: {
      allow: [
        ...listApi(subjects, own, EVERYONE),
        patterns.outs,
        subjects.controls,
        patterns.inspections,
        subjects.peer(),
        patterns.peers,
        ...listAnswered('orchestrator'),
      ],
    },
    answers: true,
  };
}

function permitService(subjects: Subjects, service: string): Permissions {
  const { patterns } = subjects;
  return {
    publish: { allow: [patterns.outs] },
    subscribe: {
      allow: [
        patterns.stages(service),
        patterns.tools(service),
        patterns.sessions(service),
        subjects.cancelCalls(service),
        ...listApi(subjects, MEMORY_VERBS[service] ?? [], EVERYONE),
        ...listAnswered(service),
      ],
    },
    answers: true,
  };
}

/** Any service with a name that is not shipped, so that a new processor needs no key of its own. */
function permitDeveloper(subjects: Subjects): Permissions {
  const { patterns } = subjects;
  const taken = SHIPPED_SERVICES.flatMap((service) => [
    patterns.stages(service),
    patterns.tools(service),
    patterns.sessions(service),
    subjects.cancelCalls(service),
    ...SRV_VERBS.flatMap((verb) => [`$SRV.${verb}.${service}`, `$SRV.${verb}.${service}.*`]),
  ]);
  const allow = [patterns.stages('*'), patterns.tools('*'), patterns.sessions('*'), patterns.cancels, '$SRV.>'];
  return { publish: { allow: [patterns.outs] }, subscribe: { allow, deny: taken }, answers: true };
}

/** It asks processors as an orchestrator does, and touches neither runs nor the store. */
function permitChecker(subjects: Subjects): Permissions {
  const { patterns } = subjects;
  const publish = [patterns.stages('*'), patterns.tools('*'), patterns.sessions('*'), patterns.cancels, '$SRV.>'];
  return { publish: { allow: publish }, subscribe: { allow: [patterns.outs] }, answers: false };
}

function permitOperator(subjects: Subjects): Permissions {
  const publish = listApi(subjects, VERBS, { tenant: '*', caller: OPERATOR_CALLER });
  return { publish: { allow: publish }, subscribe: { allow: [subjects.allChunks] }, answers: false };
}

/** It submits for every caller, after it has authenticated the caller itself. */
function permitGateway(subjects: Subjects): Permissions {
  return {
    publish: { allow: listApi(subjects, VERBS, EVERYONE) },
    subscribe: { allow: [subjects.allChunks, ...listAnswered('gateway')] },
    answers: true,
  };
}

const serviceRole = (name: string, description: string): Role => ({
  name,
  description,
  permissions: (subjects) => permitService(subjects, name),
});

/** In the order of the generated configuration and of docs/security.md. */
export const ROLES: readonly Role[] = [
  {
    name: 'orchestrator',
    description: 'drives runs, and owns the streams and buckets',
    permissions: permitOrchestrator,
  },
  serviceRole('guardrails', 'serves the shipped guards'),
  serviceRole('tools', 'serves the shipped tools'),
  serviceRole('message-history', 'serves the history and the verbs of threads'),
  serviceRole('semantic-recall', 'serves recall'),
  serviceRole('working-memory', 'serves working memory and its verb'),
  { name: 'gateway', description: 'submits for callers that it has authenticated', permissions: permitGateway },
  { name: 'operator', description: 'the command line: every run of every tenant', permissions: permitOperator },
  { name: 'checker', description: '`millrace check`: asks processors, no runs', permissions: permitChecker },
  {
    name: 'developer',
    description: 'serves every service that is not shipped',
    permissions: permitDeveloper,
  },
];

export type EndCaller = { tenant: string; caller: string; verbs: readonly ApiVerb[] };

/**
 * Permissions of an end client: verbs and chunks of its own caller. An operator's verbs are left out, whatever is
 * listed.
 */
export function permitCaller(subjects: Subjects, { tenant, caller, verbs }: EndCaller): Permissions {
  const own = verbs.filter((verb) => !isOperatorVerb(verb));
  return {
    publish: { allow: listApi(subjects, own, { tenant, caller }) },
    subscribe: { allow: [subjects.patterns.chunks(tenant, caller)] },
    answers: false,
  };
}
