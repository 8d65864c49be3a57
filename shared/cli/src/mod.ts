// Exports the exit codes and the error texts of the command for other programs. main.ts is the command itself.
export { chooseExitForError, chooseExitForRun, EXIT_CODES } from './command/exit-codes.ts';
export { formatStatus } from './text/outcome-text.ts';
export { formatCodedError } from './command/report-error.ts';
export {
  CONTROL_FILE,
  controlRequestSchema,
  type ControlAnswer,
  type ControlFile,
  type ControlRequest,
} from './command/control-protocol.ts';
