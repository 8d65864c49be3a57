// The table of allowed imports between packages, by name without the scope. Services never import services and shared
// never imports services; they communicate on subjects.

const ofProcessorServices = ['contracts', 'bus', 'service', 'processor', 'models'];
const ofStores = [...ofProcessorServices, 'stores'];

/** The testkit is in no row: every package can have it as a devDependency for its tests. */
export const IMPORT_TABLE: Readonly<Record<string, readonly string[]>> = {
  contracts: [],
  servers: [],
  'openai-wire': [],
  bus: ['contracts'],
  /** The roles of the bus, and the keys of their users. */
  identity: ['contracts', 'bus'],
  models: ['contracts'],
  service: ['contracts', 'bus'],
  /** One process for several services. */
  host: ['service'],
  processor: ['contracts', 'bus', 'service'],
  foreign: ['contracts', 'processor'],
  stores: ['contracts', 'service'],
  client: ['contracts', 'bus'],
  /** The conformance suite over the bus. */
  check: ['contracts', 'bus'],
  cli: ['contracts', 'bus', 'client', 'check', 'identity'],
  orchestrator: ['contracts', 'bus', 'service', 'models'],
  auth: ['contracts', 'bus', 'identity', 'service'],
  gateway: ['contracts', 'bus', 'client', 'identity', 'openai-wire', 'service', 'stores'],
  'dev-model': ['openai-wire', 'service'],
  guardrails: ofStores,
  tools: ofProcessorServices,
  'message-history': ofStores,
  'semantic-recall': ofStores,
  'working-memory': ofStores,
  comparison: ['client', 'processor'],
  'http-examples': [],
  'react-chat': [],
  /** The client is for its test only. */
  'processor-examples': ['contracts', 'processor', 'client'],
  packages: [],
  dev: ['contracts', 'client', 'cli', 'host', 'identity', 'servers', 'service'],
  testkit: ['contracts', 'bus', 'check', 'host', 'identity', 'service', 'processor', 'models', 'servers', 'client'],
  /** A black box over the bus and HTTP. */
  test: ['contracts', 'client', 'testkit'],
};
