// Exports the exit codes and the error texts of the command for other programs. main.ts is the command itself.
export { exitOfError, exitOfRun, EXIT_CODES } from './exit-codes.ts';
export { statusText } from './outcome-text.ts';
export { codedText } from './report-error.ts';
