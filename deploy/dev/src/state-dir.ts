// Defines the persistent state of the local stack: `.millrace/` in the checkout. Delete it for a fresh start.
import { join } from 'node:path';
import { CONTROL_FILE } from '@millrace/cli';

export type StateDir = ReturnType<typeof locateStateDir>;

export function locateStateDir(root: string) {
  return {
    root,
    nats: join(root, 'nats'),
    natsPorts: join(root, 'nats-ports.json'),
    gatewayPort: join(root, 'gateway-port.json'),
    redis: join(root, 'redis'),
    qdrant: join(root, 'qdrant'),
    /** The embedded stores: a file per service. */
    database: (service: string) => join(root, 'sqlite', `${service}.db`),
    log: (service: string) => join(root, 'logs', `${service}.log`),
    /** Compiled code, which makes a warm start faster. */
    compileCache: join(root, 'compile-cache'),
    /** Keys of the roles, if NATS is started here. */
    keys: join(root, 'keys'),
    /** The built console, which the gateway serves. */
    console: join(root, 'console'),
    /** Address and token of the running `npm start`. */
    controlFile: join(root, CONTROL_FILE),
    stackFile: join(root, 'stack.json'),
  };
}
