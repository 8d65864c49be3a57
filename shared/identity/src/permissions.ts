// Builds the permissions of a role on the subjects of the bus. A user without a permission neither publishes nor
// subscribes: every list is an allow-list, and `deny` takes single subjects out of a wildcard.
import {
  API,
  API_VERBS,
  OPERATOR_CALLER,
  createNames,
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

export type BusRole = {
  name: string;
  description: string;
  permissions: (subjects: Subjects) => Permissions;
};

const SRV_VERBS = ['PING', 'INFO', 'STATS'];
/** Requests of discovery that a service answers. */
const listAnswered = (service: string) =>
  SRV_VERBS.flatMap((verb) => [`$SRV.${verb}`, `$SRV.${verb}.${service}`, `$SRV.${verb}.${service}.*`]);

const listApi = (subjects: Subjects, verbs: readonly ApiVerb[], callers: Pick<ApiAddress, 'tenant' | 'caller'>) =>
  verbs.map((verb) => subjects.patterns.api(verb, callers, API[verb].run));
const EVERYONE = { tenant: '*', caller: '*' };
/** The verbs that a service answers. */
const listAnsweredVerbs = (subjects: Subjects, service: string) =>
  listApi(
    subjects,
    API_VERBS.filter((verb) => API[verb].owner === service),
    EVERYONE,
  );

/** Subjects by which NATS and its clients reach the bucket of API keys. */
const listKeyBucket = ({ prefix }: Subjects) => {
  const { keys } = createNames(prefix);
  const [entries, stream] = [`$KV.${keys}.>`, `KV_${keys}`];
  return { entries, stream };
};

/** Every request of JetStream that names the stream of the keys, and every write into it. */
function listKeySubjects(subjects: Subjects): string[] {
  const { entries, stream } = listKeyBucket(subjects);
  const requests = ['STREAM.*', 'STREAM.*.*', 'CONSUMER.*', 'CONSUMER.*.*', 'DIRECT.GET'];
  return [entries, ...requests.flatMap((kind) => [`$JS.API.${kind}.${stream}`, `$JS.API.${kind}.${stream}.>`])];
}

function permitOrchestrator(subjects: Subjects): Permissions {
  const { patterns } = subjects;
  return {
    publish: {
      allow: [
        patterns.stages('*'),
        patterns.tools('*'),
        patterns.sessions('*'),
        patterns.cancels,
        patterns.forgets,
        subjects.allChunks,
        subjects.logs,
        subjects.allEvents,
        subjects.allChanges,
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
      deny: listKeySubjects(subjects),
    },
    subscribe: {
      allow: [
        ...listAnsweredVerbs(subjects, 'orchestrator'),
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
    // message-history makes the other memories delete the data that they have derived from its messages.
    publish: { allow: [patterns.outs, ...(service === 'message-history' ? [patterns.forgets] : [])] },
    subscribe: {
      allow: [
        subjects.forget(service),
        patterns.stages(service),
        patterns.tools(service),
        patterns.sessions(service),
        subjects.cancelCalls(service),
        ...listAnsweredVerbs(subjects, service),
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
    subjects.forget(service),
    ...SRV_VERBS.flatMap((verb) => [`$SRV.${verb}.${service}`, `$SRV.${verb}.${service}.*`]),
  ]);
  const allow = [
    patterns.stages('*'),
    patterns.tools('*'),
    patterns.sessions('*'),
    patterns.cancels,
    patterns.forgets,
    '$SRV.>',
  ];
  return { publish: { allow: [patterns.outs] }, subscribe: { allow, deny: taken }, answers: true };
}

/** It asks processors as an orchestrator does, and touches neither runs nor the store. */
function permitChecker(subjects: Subjects): Permissions {
  const { patterns } = subjects;
  const publish = [patterns.stages('*'), patterns.tools('*'), patterns.sessions('*'), patterns.cancels, '$SRV.>'];
  return { publish: { allow: publish }, subscribe: { allow: [patterns.outs] }, answers: false };
}

function permitOperator(subjects: Subjects): Permissions {
  const publish = listApi(subjects, API_VERBS, { tenant: '*', caller: OPERATOR_CALLER });
  return { publish: { allow: publish }, subscribe: { allow: [subjects.allChunks] }, answers: false };
}

/** NATS asks here whether it shall accept a connection that has no user in its configuration. */
export const CALLOUT_SUBJECT = '$SYS.REQ.USER.AUTH';
/** Requests in the system account: the connections of every server, and the end of one. */
export const SYSTEM_SUBJECTS = {
  connections: '$SYS.REQ.SERVER.PING.CONNZ',
  kick: (server: string) => `$SYS.REQ.SERVER.${server}.KICK`,
};

/** The second user of auth, in the system account: it lists connections and ends them. */
export function permitSystem(): Permissions {
  const publish = [SYSTEM_SUBJECTS.connections, SYSTEM_SUBJECTS.kick('*')];
  return { publish: { allow: publish }, subscribe: { allow: [] }, answers: false };
}

/** It reads and writes the bucket of API keys, verifies credentials, and announces revoked keys. */
function permitAuth(subjects: Subjects): Permissions {
  const { entries, stream } = listKeyBucket(subjects);
  const requests = ['STREAM.CREATE', 'STREAM.UPDATE', 'STREAM.INFO', 'STREAM.MSG.GET'];
  const ofConsumers = ['CREATE', 'INFO', 'DELETE'].map((verb) => `$JS.API.CONSUMER.${verb}.${stream}.>`);
  return {
    publish: {
      allow: [
        subjects.revoked,
        entries,
        '$JS.API.INFO',
        '$JS.API.STREAM.LIST',
        ...requests.map((request) => `$JS.API.${request}.${stream}`),
        ...ofConsumers,
        `$JS.FC.${stream}.>`,
      ],
    },
    subscribe: {
      allow: [
        subjects.verify,
        subjects.exchange,
        CALLOUT_SUBJECT,
        ...listAnsweredVerbs(subjects, 'auth'),
        ...listAnswered('auth'),
      ],
    },
    answers: true,
  };
}

/** A gateway asks for others, and whether one of them has left. */
const GATEWAY_PINGS = ['$SRV.PING.gateway', '$SRV.PING.gateway.*'];

/** It submits for every caller, after auth has verified the credential of the caller. */
function permitGateway(subjects: Subjects): Permissions {
  return {
    publish: {
      allow: [...listApi(subjects, API_VERBS, EVERYONE), subjects.verify, subjects.exchange, ...GATEWAY_PINGS],
    },
    subscribe: { allow: [subjects.allChunks, subjects.revoked, ...listAnswered('gateway')] },
    answers: true,
  };
}

const defineServiceRole = (name: string, description: string): BusRole => ({
  name,
  description,
  permissions: (subjects) => permitService(subjects, name),
});

/** In the order of the generated configuration and of docs/security.md. */
export const ROLES: readonly BusRole[] = [
  {
    name: 'orchestrator',
    description: 'drives runs, and owns the streams and buckets',
    permissions: permitOrchestrator,
  },
  defineServiceRole('guardrails', 'serves the shipped guards'),
  defineServiceRole('tools', 'serves the shipped tools'),
  defineServiceRole('message-history', 'serves the history and the verbs of threads'),
  defineServiceRole('semantic-recall', 'serves recall and the search of threads'),
  defineServiceRole('working-memory', 'serves working memory and its verbs'),
  { name: 'auth', description: 'stores API keys and verifies credentials', permissions: permitAuth },
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

/** A client that may submit or replay may follow too. */
const FOLLOWING: readonly ApiVerb[] = ['submit', 'replay'];

/**
 * Permissions of an end client: verbs of its own caller, and its chunks. An operator's verbs are left out, whatever is
 * listed.
 */
export function permitCaller(subjects: Subjects, { tenant, caller, verbs }: EndCaller): Permissions {
  const own = verbs.filter((verb) => !isOperatorVerb(verb));
  return {
    publish: { allow: listApi(subjects, own, { tenant, caller }) },
    subscribe: {
      allow: own.some((verb) => FOLLOWING.includes(verb)) ? [subjects.patterns.chunks(tenant, caller)] : [],
    },
    answers: false,
  };
}
