// Explains why a server cannot listen, by the variables of its address.
import { MillraceError } from '@millrace/contracts';

export type ListenAddress = {
  host: string;
  port: number;
  /** Variables that set them, such as GATEWAY_HOST and GATEWAY_PORT. */
  hostVariable: string;
  portVariable: string;
};

/** Returns config-invalid with the variable, or the error itself if the address did not cause it. */
export function explainListenFailure(
  error: unknown,
  { host, port, hostVariable, portVariable }: ListenAddress,
): unknown {
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'EADDRINUSE':
      return new MillraceError('config-invalid', `${portVariable}: the port ${port} of ${host} is in use.`, {
        path: portVariable,
        remedy: `Set ${portVariable} to a free port, or stop the process that listens there.`,
        cause: error,
      });
    case 'EACCES':
      return new MillraceError('config-invalid', `${portVariable}: this process may not listen on the port ${port}.`, {
        path: portVariable,
        remedy: `Set ${portVariable} to a port above 1023.`,
        cause: error,
      });
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new MillraceError('config-invalid', `${hostVariable}: ${host} is no address of this machine.`, {
        path: hostVariable,
        remedy: `Set ${hostVariable} to an address of this machine, or to 0.0.0.0 for all of them.`,
        cause: error,
      });
    default:
      return error;
  }
}
