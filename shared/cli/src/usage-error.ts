// The command line itself is wrong: nothing was asked of anybody.

/** `command`: whose --help tells more. */
export class UsageError extends Error {
  readonly command: string | undefined;
  constructor(message: string, command?: string) {
    super(message);
    this.name = 'UsageError';
    this.command = command;
  }
}
