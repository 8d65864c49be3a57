// The wire of Millrace: schemas and types, and the pure operations on them. Imports zod alone.
export * from './api/advertised.ts';
export { toShownText } from './api/advertised-endpoint.ts';
export * from './agent/agent.ts';
export * from './message/answer-message.ts';
export * from './api/api.ts';
export { ConversationDraft, applyOps } from './message/apply-ops.ts';
export * from './stage/called-processors.ts';
export * from './api/caller.ts';
export * from './message/changes.ts';
export * from './api/alone.ts';
export { CHECK_MS, checkAnswerSchema, checkRequestSchema, type CheckAnswer, type CheckRequest } from './api/check.ts';
export * from './chunk/chunk.ts';
export * from './chunk/chunk-batch.ts';
export * from './tool/client-tool.ts';
export * from './message/conversation.ts';
export * from './base/places.ts';
export * from './run/budget.ts';
export * from './run/dead-letter.ts';
export * from './agent/discovery.ts';
export * from './run/erasure.ts';
export { substituteEnv } from './base/environment-values.ts';
export * from './base/error-codes.ts';
export * from './base/errors.ts';
export * from './run/event.ts';
export * from './api/identity.ts';
export * from './api/forget.ts';
export * from './base/json.ts';
export * from './base/json-excess.ts';
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
} from './base/json-text.ts';
export { fitsAsIs, markFrequent } from './base/json-fit.ts';
export * from './api/json-schemas.ts';
export * from './agent/judged-files.ts';
export * from './message/label.ts';
export * from './message/label-changes.ts';
export * from './stage/judge-verdict.ts';
export { findFileKind, isKnownMediaType, isPlainType, isTextType, type FileKind } from './base/media-types.ts';
export {
  DEFAULT_THREAD_TITLE,
  MAX_SEARCH_MESSAGES,
  MAX_THREAD_TITLE,
  threadSchema,
  type Thread,
} from './api/memory-api.ts';
export * from './message/message.ts';
export * from './message/formats.ts';
export * from './message/model.ts';
export { findNearestName, suggestName } from './base/nearest-name.ts';
export * from './stage/narrow-input.ts';
export * from './chunk/open-parts.ts';
export * from './agent/option-rows.ts';
export { containsCredential, hideCredentials } from './base/credentials.ts';
export { hideAddresses } from './base/hide-addresses.ts';
export { getOwnMember } from './base/own-member.ts';
export * from './chunk/passed-chunks.ts';
export * from './base/parse-value.ts';
export * from './agent/plan.ts';
export * from './agent/candidate.ts';
export * from './agent/price.ts';
export * from './agent/processor-info.ts';
export { AGENT_READERS, publicAgentSchema, type PublicAgent } from './agent/public-agent.ts';
export * from './run/deferred-save.ts';
export * from './run/run-activity.ts';
export * from './message/reconcile.ts';
export { renameDuplicates } from './message/rename-duplicates.ts';
export * from './run/run.ts';
export * from './run/run-head.ts';
export * from './run/held-pending.ts';
export * from './run/run-changes.ts';
export * from './api/status.ts';
export * from './api/model-health.ts';
export * from './run/run-rejection.ts';
export * from './run/run-state.ts';
export * from './base/stored-version.ts';
export * from './base/schema-issues.ts';
export { setBounded } from './base/set-bounded.ts';
export * from './session/session.ts';
export * from './session/session-line.ts';
export * from './session/caller-flow.ts';
export * from './session/replica-flow.ts';
export * from './base/shown-address.ts';
export * from './base/stage.ts';
export * from './stage/stage-changes.ts';
export * from './stage/stage-call.ts';
export { prefixSchema, readPrefix } from './api/prefix.ts';
export * from './api/subjects.ts';
export * from './chunk/suspension.ts';
export * from './stage/timeout.ts';
export { timings, type Timings } from './base/timings.ts';
export * from './base/tokens.ts';
export * from './tool/tool.ts';
export * from './base/typed-schema.ts';
export * from './api/public-answers.ts';
export type { DefinitionPart } from './api/verb.ts';
export * from './stage/verdict.ts';
