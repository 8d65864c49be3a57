// Runs several services in one process.
export { startHost, type HostedService, type HostProcess } from './start-host.ts';
export type { HostedProgram } from './hosted-program.ts';
