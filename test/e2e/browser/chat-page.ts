// The script of a web page with useChat, unchanged, against the gateway: loads its chat, resumes its stream, sends,
// decides calls and stops. Its settings are in the fragment of its address.
import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai';
import { createElement as h, useState } from 'react';
import { createRoot } from 'react-dom/client';

/** The test is compiled without the types of a browser. */
declare const location: { hash: string };
declare const document: { body: Parameters<typeof createRoot>[0] };

type Settings = { api: string; key: string; chat: string };
const settings: Settings = JSON.parse(decodeURIComponent(location.hash.slice(1)));
const headers = { authorization: `Bearer ${settings.key}` };

function Chat({ initial }: { initial: UIMessage[] }) {
  const [text, setText] = useState('');
  const chat = useChat({
    id: settings.chat,
    messages: initial,
    resume: true,
    transport: new DefaultChatTransport({ api: settings.api, headers }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const send = () => {
    setText('');
    return chat.sendMessage({ text });
  };
  const stop = async () => {
    await fetch(`${settings.api}/${settings.chat}/stop`, { method: 'POST', headers });
  };
  return h(
    'main',
    null,
    ...chat.messages.map((message) => h(Message, { key: message.id, message, decide: chat.addToolApprovalResponse })),
    h('output', { id: 'status' }, chat.status),
    h('output', { id: 'error' }, chat.error?.message ?? ''),
    h('textarea', { id: 'text', value: text, onChange: (event: object) => setText(readValue(event)) }),
    h('button', { id: 'send', onClick: () => void send() }, 'Send'),
    h('button', { id: 'stop', onClick: () => void stop() }, 'Stop'),
  );
}

const readValue = (event: object): string => String(Reflect.get(Object(Reflect.get(event, 'target')), 'value'));

type Decide = (answer: { id: string; approved: boolean }) => PromiseLike<void> | void;

function Message({ message, decide }: { message: UIMessage; decide: Decide }) {
  return h(
    'article',
    { 'data-role': message.role },
    ...message.parts.map((part, at) => h(Part, { key: at, part, decide })),
  );
}

function Part({ part, decide }: { part: UIMessage['parts'][number]; decide: Decide }) {
  if (part.type === 'text') return h('p', null, part.text);
  if (part.type === 'data-tripwire') return h('strong', null, 'blocked');
  if (part.type !== 'dynamic-tool') return null;
  const { toolName, state } = part;
  const buttons =
    state === 'approval-requested'
      ? [true, false].map((approved) =>
          h(
            'button',
            { key: String(approved), onClick: () => void decide({ id: part.approval.id, approved }) },
            approved ? 'Approve' : 'Deny',
          ),
        )
      : [];
  return h('code', null, `${toolName}: ${state}`, ...buttons);
}

const loaded = await fetch(`${settings.api}/${settings.chat}/messages`, { headers });
const { messages } = JSON.parse(await loaded.text());
createRoot(document.body).render(h(Chat, { initial: messages }));
