// An error of the command line itself: no request was sent.

/** `command`: the command whose --help describes the usage. */
export class UsageError extends Error {
  readonly command: string | undefined;
  constructor(message: string, command?: string) {
    super(message);
    this.name = 'UsageError';
    this.command = command;
  }
}
