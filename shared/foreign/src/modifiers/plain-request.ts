// A model call as it will be made, in one object that may be changed in place; and what of it was changed.
import type { MessageList, ProcessInputStepArgs } from '@millrace/processor';
import { applyPlainMessages, plainMessages } from '../plain/plain-messages.ts';
import type { PlainRequest } from './modifier-interfaces.ts';

export function plainRequest(args: ProcessInputStepArgs): PlainRequest {
  const { messageList, model, tools, toolChoice, modelSettings, providerOptions } = args;
  return {
    model,
    messages: plainMessages(messageList),
    tools: structuredClone(Object.values(tools)),
    settings: { ...modelSettings },
    providerOptions: structuredClone(providerOptions),
    ...(toolChoice && { toolChoice }),
  };
}

/** What is not changed here a later processor may change. What is put into the messages is nobody's words, and has the source `context`. */
export function requestChanges(list: MessageList, before: PlainRequest, after: PlainRequest) {
  const differs = (member: keyof PlainRequest) => JSON.stringify(before[member]) !== JSON.stringify(after[member]);
  const { model, messages, tools, toolChoice, settings, providerOptions } = after;
  if (differs('messages')) applyPlainMessages(list, messages, 'context');
  return {
    ...(differs('model') && { model }),
    ...(differs('tools') && { tools: Object.fromEntries(tools.map((tool) => [tool.name, tool])) }),
    ...(toolChoice && differs('toolChoice') && { toolChoice }),
    ...(differs('settings') && { modelSettings: settings }),
    ...(differs('providerOptions') && { providerOptions }),
  };
}
