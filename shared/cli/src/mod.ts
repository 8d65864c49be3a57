// The `millrace` command is main.ts; this is what other commands share with it: how a run or an error ends a process, and the texts
// of both.
export { exitOfError, exitOfRun, EXIT_CODES } from './exit-codes.ts';
export { statusText } from './outcome-text.ts';
export { codedText } from './report-error.ts';
