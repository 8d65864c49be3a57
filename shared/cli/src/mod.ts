// The `millrace` command is main.ts; this is what other commands share with it: how a run or an error ends a process, and the text
// of an error.
export { exitOfError, exitOfRun, EXIT_CODES } from './exit-codes.ts';
export { codedText } from './report-error.ts';
