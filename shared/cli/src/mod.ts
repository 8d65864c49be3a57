// Exports the exit codes and the error texts of the command for other programs. main.ts is the command itself.
export { chooseExitForError, chooseExitForRun, EXIT_CODES } from './exit-codes.ts';
export { formatStatus } from './outcome-text.ts';
export { formatCodedError } from './report-error.ts';
