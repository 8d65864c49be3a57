// The wire of Millrace: schemas and types, and the pure operations on them. Imports zod alone.
export * from './advertised.ts';
export { toShownText } from './advertised-endpoint.ts';
export * from './agent.ts';
export * from './answer-message.ts';
export * from './api.ts';
export { ConversationDraft, applyOps } from './apply-ops.ts';
export * from './called-processors.ts';
export * from './caller.ts';
export * from './changes.ts';
export * from './alone.ts';
export { CHECK_MS, checkAnswerSchema, checkRequestSchema, type CheckAnswer, type CheckRequest } from './check.ts';
export * from './chunk.ts';
export * from './chunk-batch.ts';
export * from './client-tool.ts';
export * from './conversation.ts';
export { createCounts } from './counts.ts';
export * from './dead-letter.ts';
export * from './discovery.ts';
export * from './erasure.ts';
export * from './error-codes.ts';
export * from './errors.ts';
export * from './event.ts';
export * from './identity.ts';
export * from './forget.ts';
export * from './json.ts';
export * from './json-excess.ts';
export {
  attachTexts,
  measureJson,
  nameText,
  readWithText,
  replaceInexact,
  takeMemberText,
  writeNumber,
  writeWithText,
  type ValueWithText,
} from './json-text.ts';
export { fitsAsIs, markFrequent } from './json-fit.ts';
export * from './json-schemas.ts';
export * from './judged-files.ts';
export * from './label.ts';
export * from './label-changes.ts';
export * from './judge-verdict.ts';
export { findFileKind, isKnownMediaType, isPlainType, isTextType, type FileKind } from './media-types.ts';
export {
  DEFAULT_THREAD_TITLE,
  MAX_SEARCH_MESSAGES,
  MAX_THREAD_TITLE,
  threadSchema,
  type Thread,
} from './memory-api.ts';
export * from './message.ts';
export * from './formats.ts';
export * from './model.ts';
export { findNearestName, suggestName } from './nearest-name.ts';
export * from './narrow-input.ts';
export * from './open-parts.ts';
export * from './option-rows.ts';
export { containsCredential, hideCredentials } from './credentials.ts';
export { hideAddresses } from './hide-addresses.ts';
export { getOwnMember } from './own-member.ts';
export * from './passed-chunks.ts';
export * from './parse-value.ts';
export * from './plan.ts';
export * from './price.ts';
export * from './processor-info.ts';
export { AGENT_READERS, publicAgentSchema, type PublicAgent } from './public-agent.ts';
export * from './deferred-save.ts';
export * from './run-activity.ts';
export * from './reconcile.ts';
export { renameDuplicates } from './rename-duplicates.ts';
export * from './run.ts';
export * from './run-head.ts';
export * from './held-pending.ts';
export * from './run-changes.ts';
export * from './status.ts';
export * from './run-rejection.ts';
export * from './run-state.ts';
export * from './stored-version.ts';
export * from './schema-issues.ts';
export { setBounded } from './set-bounded.ts';
export * from './session.ts';
export * from './session-line.ts';
export * from './caller-flow.ts';
export * from './replica-flow.ts';
export * from './shown-address.ts';
export * from './stage.ts';
export * from './stage-changes.ts';
export * from './stage-call.ts';
export { prefixSchema, readPrefix } from './prefix.ts';
export * from './subjects.ts';
export * from './suspension.ts';
export * from './timeout.ts';
export { timings, type Timings } from './timings.ts';
export * from './tokens.ts';
export * from './tool.ts';
export * from './typed-schema.ts';
export * from './public-answers.ts';
export type { DefinitionPart } from './verb.ts';
export * from './verdict.ts';
