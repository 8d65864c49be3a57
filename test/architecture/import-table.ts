// Who may import whom: the one table of the architecture, by package name without the scope. Services never import services, shared
// never imports services: they meet on subjects.

const ofProcessorServices = ['contracts', 'bus', 'service', 'processor', 'models'];
const ofStores = [...ofProcessorServices, 'stores'];

/** Some rows wait for their package. The testkit is not in them: every package may have it as a devDependency, for its tests. */
export const IMPORT_TABLE: Readonly<Record<string, readonly string[]>> = {
  contracts: [],
  servers: [],
  bus: ['contracts'],
  models: ['contracts'],
  service: ['contracts', 'bus'],
  processor: ['contracts', 'bus', 'service'],
  foreign: ['contracts', 'processor'],
  stores: ['contracts', 'service'],
  client: ['contracts', 'bus'],
  /** The conformance suite over the bus. */
  check: ['contracts', 'bus'],
  cli: ['contracts', 'bus', 'client', 'check'],
  orchestrator: ['contracts', 'bus', 'service', 'models'],
  gateway: ['contracts', 'client', 'service'],
  'dev-model': ['service'],
  guardrails: ofStores,
  'prompt-context': ofProcessorServices,
  conversation: ofProcessorServices,
  tools: ofProcessorServices,
  'message-history': ofStores,
  'semantic-recall': ofStores,
  'working-memory': ofStores,
  /** The client for its test alone. */
  'processor-examples': ['contracts', 'processor', 'client'],
  dev: ['contracts', 'client', 'cli', 'servers', 'service'],
  testkit: ['contracts', 'bus', 'check', 'service', 'processor', 'models', 'servers', 'client'],
  /** A black box over the bus and HTTP. */
  test: ['contracts', 'client', 'testkit'],
};
