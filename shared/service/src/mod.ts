// The life of a process: configuration, log, resources, health, drain.
export { baseConfigSchema, readConfig, type BaseConfig } from './config.ts';
export { CONNECTION_VARIABLES, readConnectionFile } from '@millrace/bus';
export { serveHealth, type HealthServer } from './health.ts';
export { explainListenFailure, type ListenAddress } from './listen-failure.ts';
export { createLog, type Log } from './log.ts';
export { createResources, type ReleaseStep, type ReleaseFailure, type Resources } from './resources.ts';
export {
  formatStartFailure,
  runService,
  startService,
  UP,
  type RunningService,
  type ServiceContext,
  type ServiceDefinition,
} from './run-service.ts';
